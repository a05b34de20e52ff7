// Commits what a holder appends to its execution: the changed execution and the new documents in one fenced write.

import type { Execution } from '../../schema/execution.ts';
import type { Clock } from '../deps.ts';
import { type ExecutionBatch, startBatch } from './executionBatch.ts';
import type { HeldExecution } from './lease.ts';

/**
 * Commits the documents that `build` appends to the batch together with the execution it returns.
 * @throws LeaseLostError when another writer changed the execution; nothing was written then.
 */
export function commitBatch(
  held: HeldExecution,
  clock: Clock,
  build: (current: Execution, batch: ExecutionBatch) => Execution,
): Promise<void> {
  const now = clock.now();
  return held.commit((current) => {
    const batch = startBatch(current, now);
    return { execution: build(current, batch), writes: batch.writes };
  });
}
