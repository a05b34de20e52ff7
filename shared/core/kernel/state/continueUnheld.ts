// Continues a waiting execution after a process that does not hold it has settled or approved a call.

import type { Execution } from '../../schema/execution.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { finishIteration } from './nextIteration.ts';
import { judgeCalls, nextCalls } from './pendingCalls.ts';

/**
 * Returns the execution after a wait: with its iteration finished if all calls have their result, else ready
 * for a holder that runs the remaining calls. The caller publishes its message in both cases, unless other
 * calls still wait.
 */
export function continueUnheld(execution: Execution, batch: ExecutionBatch): Execution {
  const next = nextCalls(execution.pendingCalls);
  if (next.kind === 'in_progress') return { ...execution, ...batch.counters() };
  const active: Execution = { ...execution, status: 'active' };
  if (next.kind === 'settled') return finishIteration(judgeCalls(active), batch);
  return { ...active, ...batch.counters(), publishedIteration: execution.iteration - 1 };
}
