// What follows when calls of an answer were stored or settled: the next calls start, the execution begins to wait, or the
// iteration is finished.

import type { ToolCall } from '../../contract/tools.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { askPerson } from '../approval/askPerson.ts';
import { appendMissingResult } from './callResult.ts';
import type { ExecutionBatch } from './executionBatch.ts';
import { finishIteration } from './nextIteration.ts';
import { judgeCalls, nextCalls, settleCall, startNextWave } from './pendingCalls.ts';

/**
 * The execution with its next calls recorded as running; waiting and given up by its holder when nothing else runs and the
 * next ones wait; or with its iteration finished when all have their result.
 * @param calls the calls of the stored answer.
 */
export function startNextCalls(
  execution: Execution,
  calls: readonly ToolCall[],
  batch: ExecutionBatch,
): Execution {
  const next = nextCalls(execution.pendingCalls);
  switch (next.kind) {
    case 'settled':
      return finishIteration(judgeCalls(execution), batch);
    case 'run':
    case 'in_progress':
      return { ...execution, ...batch.counters(), pendingCalls: startNextWave(execution.pendingCalls) };
    case 'wait': {
      const asked = next.calls.reduce(
        (current, pending) => startWaiting(current, pending, calls[pending.index], batch),
        execution,
      );
      // A call that may not wait has its result, and those behind it come next.
      if (!asked.pendingCalls.some(({ state }) => state === 'waiting')) {
        return startNextCalls(asked, calls, batch);
      }
      // The wait is no attempt at the iteration, and what follows it gets all attempts anew.
      return { ...asked, ...batch.counters(), status: 'waiting', lease: null, claims: 0 };
    }
  }
}

/** Waiting for children is not supported by any tool source yet, so such a call fails in its turn. */
function startWaiting(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall | undefined,
  batch: ExecutionBatch,
): Execution {
  if (pending.waits === 'person' && call !== undefined) return askPerson(execution, pending, call, batch);
  const message = `${pending.name} was not run: it would have to wait for a ${pending.waits}, which is not supported here.`;
  appendMissingResult(pending, message, 'failed', batch);
  return settleCall(execution, pending.index, 'failed', { message });
}
