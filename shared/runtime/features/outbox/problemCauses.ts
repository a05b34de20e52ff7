// The messages that a report of an alert causes: the first message of its session shows the state of the problem.

import { createHash } from 'node:crypto';
import type { Store, Write } from '../../../contract/store.ts';
import { incidentType } from '../../../schema/documents.ts';
import type { Incident } from '../../../schema/features/incident.ts';
import { captureFailure } from '../../kernel/documents/reading.ts';
import type { Cause } from './causes.ts';

/** A change of the state of a session's problem. */
interface ProblemChange {
  sessionId: string;
  cause: Cause;
}

/**
 * The change of a problem that a batch stores: it is over, or fires again. A batch changes at most one. One that moves to another
 * session is none.
 * @throws RetryableError when the store fails.
 */
export async function findProblemChange(
  writes: readonly Write[],
  store: Pick<Store, 'get'>,
): Promise<ProblemChange | undefined> {
  for (const write of writes) {
    if (write.op !== 'replace' || write.type.name !== incidentType.name) continue;
    const { sessionId, firing, resolvedAt } = write.value as Incident;
    // What was never resolved can only start to fire, which opens or starts its session.
    if (sessionId === null || resolvedAt === null) continue;
    const { value: stored } = await captureFailure(store.get(write.path, incidentType));
    // With another version the batch fails.
    if (stored?.version !== write.ifVersion) continue;
    const before = stored.value;
    if (before.sessionId !== sessionId || before.firing === firing) continue;
    // Each version is replaced once, so that no other batch has the same key.
    const key = createHash('sha256').update(`${write.path} ${write.ifVersion}`).digest('hex').slice(0, 20);
    return { sessionId, cause: { event: firing ? 'progress' : 'resolved', key, wanted: 'resolved' } };
  }
  return undefined;
}
