// Commits a holder's changes to its execution: the execution and the new documents in one fenced write.

import type { Execution } from '../../schema/execution.ts';
import type { StoredMessage } from '../conversation/conversation.ts';
import { type ExecutionBatch, startBatch } from '../conversation/executionBatch.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { HeldExecution } from './lease.ts';

/**
 * Commits the documents that `build` appends to the batch together with the execution it returns. Keeps the
 * messages for the next iteration once the store has confirmed them. After a failure, drops all kept messages
 * of the execution.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
export async function commitBatch(
  held: HeldExecution,
  { clock, conversations }: Pick<RuntimeDeps, 'clock' | 'conversations'>,
  build: (current: Execution, batch: ExecutionBatch) => Execution,
): Promise<void> {
  const now = clock.now();
  let messages: StoredMessage[] = [];
  try {
    await held.commit((current) => {
      const batch = startBatch(current, now);
      messages = batch.messages;
      return { execution: build(current, batch), writes: batch.writes, after: batch.after };
    });
  } catch (error) {
    conversations.drop(held.current());
    throw error;
  }
  conversations.append(held.current(), messages);
}
