// The commit that ends a model call, with or without an answer. It deletes the live text in the same batch,
// so that a reader sees either the live text or the stored one.

import type { Execution } from '../../schema/execution.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { commitBatch } from './commitBatch.ts';
import type { IterationContext } from './context.ts';

/** Commits like `commitBatch`, and deletes the live text. Same errors; then it is deleted later. */
export async function commitCall(
  { held, live, deps }: Pick<IterationContext, 'held' | 'live' | 'deps'>,
  build: (current: Execution, batch: ExecutionBatch) => Execution,
): Promise<void> {
  await commitBatch(held, deps, (current, batch) => {
    const execution = build(current, batch);
    batch.writes.push(...live.deletion());
    return execution;
  });
  live.confirmDeletion();
}
