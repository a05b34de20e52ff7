// Checks whether the hourly test alert arrives at an installation.

import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Canary } from '../../shared/kits/messages/canary.ts';
import { canaryState } from '../../shared/kits/views/activity/canaryState.ts';
import { paths } from '../../shared/lists/documents.ts';
import { openRawDocuments } from '../../shared/wiring/openRawDocuments.ts';
import { composeTargetEnvironment } from '../deploy/target.ts';
import type { DeployedSystem } from './deployedSystem.ts';
import { absent, type Finding, missing, ok } from './finding.ts';

const PART = 'canary';
const TIMEOUT_MS = 30_000;

/** Whether the last canaries arrived, as the database of the installation records it. */
export async function checkCanary({ target }: DeployedSystem, now = new Date()): Promise<Finding[]> {
  const documents = openRawDocuments(composeTargetEnvironment(target), TIMEOUT_MS);
  try {
    const found = await documents.get(paths.canary(TOPICS.alerts));
    const timeOf = (field: string): Date | null => {
      const value = found?.fields.get(field);
      return value !== null && typeof value === 'object' && 'text' in value ? new Date(value.text) : null;
    };
    const [since, arrivedAt] = [timeOf('since'), timeOf('arrivedAt')];
    return [canaryFinding(since === null ? undefined : { since, arrivedAt }, now)];
  } finally {
    await documents.close();
  }
}

function canaryFinding(canary: Pick<Canary, 'since' | 'arrivedAt'> | undefined, now: Date): Finding {
  const state = canaryState(canary, now);
  switch (state.kind) {
    case 'unknown':
      return absent(PART, 'none was sent: the sweep sends one every hour, the first when it runs');
    case 'ok':
      return ok(
        PART,
        `the last one arrived ${state.arrivedAt?.toISOString() ?? 'not yet, and was just sent'}`,
      );
    case 'late':
      return missing(
        PART,
        `no test alert has arrived since ${state.since.toISOString()}: alerts can be waiting or lost. See "Canary missing" in docs/runbook.md`,
      );
  }
}
