// Storms through the local system: alerts of one problem, or of related ones, at once.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { functionsUse, withSystem } from './wholeSystem.ts';

const TRIAGE = `correlate:
  - { labels: [cluster], window: 15m }
rules:
  - { name: storm, labels: { cluster: "*" }, action: investigate, join: true }
`;
const POLL_MS = 500;
const PATIENCE_MS = 15 * 60_000;

/** A storm. */
export interface Storm {
  sessions: number;
  /** Alerts with a session when it was over. */
  accepted: number;
  seconds: number;
  /** Resident memory of the process of all functions at its peak, in MB; undefined without /proc. */
  peakMb: number | undefined;
}

/**
 * Publishes alerts and waits until each has a session.
 * @param folder for the configuration.
 * @param problems number of different problems among them.
 * @param limits as of `withSystem`.
 */
export async function measureStorm(
  folder: string,
  alerts: number,
  problems: number,
  limits?: number,
): Promise<Storm> {
  const triage = join(folder, 'config', 'triage.yaml');
  await mkdir(join(folder, 'config'), { recursive: true });
  await writeFile(triage, TRIAGE);
  try {
    return await withSystem(folder, { answersEach: 1, limits }, {}, async ({ store }) => {
      const { publisher, close } = openCloud(process.env);
      const count = async (collection: string) => (await store.list({ collection }, rawDocumentType)).length;
      const startedAt = performance.now();
      const alertOf = (n: number) => {
        const title = `Problem ${n % problems}`;
        return { title, fingerprint: title, labels: { cluster: 'eu' }, status: 'firing' };
      };
      await Promise.all(
        Array.from({ length: alerts }, (_, n) => publisher.publish(TOPICS.alerts, alertOf(n), {})),
      );
      let accepted = 0;
      while (accepted < alerts && performance.now() - startedAt < PATIENCE_MS) {
        await sleep(POLL_MS);
        accepted = await count('alertKeys');
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      const peakMb = (await functionsUse())?.peakMb;
      const sessions = await count('sessions');
      await close();
      return { sessions, accepted, seconds, peakMb };
    });
  } finally {
    await rm(triage);
  }
}
