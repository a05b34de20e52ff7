// What follows when calls of an answer were stored or settled: the next calls start, or the iteration is finished.

import type { Execution } from '../../schema/execution.ts';
import { appendMissingResult } from './callResult.ts';
import type { ExecutionBatch } from './executionBatch.ts';
import { finishIteration } from './nextIteration.ts';
import { isSettled, judgeCalls, nextCalls, settleCall, startNextWave } from './pendingCalls.ts';

/** The execution with its next calls recorded as running, or with its iteration finished when all have their result. */
export function startNextCalls(execution: Execution, batch: ExecutionBatch): Execution {
  const ready = refuseWaitingCalls(execution, batch);
  if (ready.pendingCalls.every(isSettled)) return finishIteration(judgeCalls(ready), batch);
  return { ...ready, ...batch.counters(), pendingCalls: startNextWave(ready.pendingCalls) };
}

/** Waiting is not supported by any tool source yet, so a call that would have to wait fails in its turn. */
function refuseWaitingCalls(execution: Execution, batch: ExecutionBatch): Execution {
  const next = nextCalls(execution.pendingCalls);
  if (next.kind !== 'wait') return execution;
  const refused = next.calls.reduce((current, call) => {
    const reason = `${call.name} was not run: it would have to wait for a ${call.waits}, which is not supported here.`;
    appendMissingResult(call, reason, 'failed', batch);
    return settleCall(current, call.index, 'failed', { message: reason });
  }, execution);
  return refuseWaitingCalls(refused, batch);
}
