// What follows when calls of an answer were stored or settled: the next calls start, or the iteration is finished.

import type { Execution } from '../../schema/execution.ts';
import { appendMissingResult } from './callResult.ts';
import type { Entries } from './entries.ts';
import { finishIteration } from './nextIteration.ts';
import { isSettled, nextCalls, settleCall, startNextWave } from './pendingCalls.ts';

/**
 * The execution with its next calls recorded as running, or with its iteration finished when all have their result.
 * @param timedOut whether the iteration ran out of time.
 */
export function startNextCalls(
  execution: Execution,
  entries: Entries,
  now: Date,
  timedOut = false,
): Execution {
  const ready = refuseWaitingCalls(execution, entries);
  if (ready.pendingCalls.every(isSettled)) return finishIteration(ready, entries, now, timedOut);
  return {
    ...ready,
    pendingCalls: startNextWave(ready.pendingCalls),
    lastEvent: entries.lastEvent(),
    lastMessage: entries.lastMessage(),
  };
}

/** No tool source can create what a call would wait for yet: a call that would have to wait fails in its turn. */
function refuseWaitingCalls(execution: Execution, entries: Entries): Execution {
  const next = nextCalls(execution.pendingCalls);
  if (next.kind !== 'wait') return execution;
  const refused = next.calls.reduce((current, call) => {
    const reason = `${call.name} was not run: it would have to wait for a ${call.waits}, which is not supported here.`;
    appendMissingResult(call, reason, 'failed', entries);
    return settleCall(current, call.index, 'failed', reason);
  }, execution);
  return refuseWaitingCalls(refused, entries);
}
