// Checks whether destinations of messages refuse them, as the database of the installation records it.

import { textAt, timeAt } from '../../shared/runtime/views/fieldAt.ts';
import { paths } from '../../shared/schema/documents.ts';
import { openRawDocuments } from '../../shared/wiring/openRawDocuments.ts';
import { environmentOf } from '../deploy/target.ts';
import type { DeployedSystem } from './deployedSystem.ts';
import { type Finding, missing } from './finding.ts';

const TIMEOUT_MS = 30_000;
/** As many as destinations.yaml can have. */
const MAX_DESTINATIONS = 100;

/** A finding for each destination that gets no messages at the moment, with the fix. */
export async function checkCircuits({ target }: DeployedSystem, now = new Date()): Promise<Finding[]> {
  const documents = openRawDocuments(environmentOf(target), TIMEOUT_MS);
  try {
    const found = await documents.list({ collection: paths.destinations, limit: MAX_DESTINATIONS });
    return found.flatMap(({ id, fields }) => {
      const closedUntil = timeAt(fields, 'closedUntil');
      if (closedUntil === null || new Date(closedUntil) <= now) return [];
      const [code, message] = [textAt(fields, 'failure', 'code'), textAt(fields, 'failure', 'message')];
      const text = `refuses messages (${code}): ${message} The next one is tried at ${closedUntil}`;
      return [missing(`destination ${id}`, text)];
    });
  } finally {
    await documents.close();
  }
}
