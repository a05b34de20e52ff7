// What follows when calls of an answer were stored or settled: the next calls start, the execution begins to wait, or the
// iteration is finished.

import type { ToolCall } from '../../../contract/tools.ts';
import type { Execution, PendingCall } from '../../../schema/execution.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { appendMissingResult } from '../../kernel/state/callResult.ts';
import { finishIteration } from '../../kernel/state/nextIteration.ts';
import { judgeCalls, nextCalls, settleCall, startNextWave } from '../../kernel/state/pendingCalls.ts';
import { NO_WAITS, type Waits } from './planWaits.ts';

/**
 * The execution with its next calls recorded as running; waiting and given up by its holder when nothing else runs and the
 * next ones wait; or with its iteration finished when all have their result.
 * @param calls the calls of the stored answer.
 * @param waits how calls start to wait. Calls whose plan is `unread` stay requested.
 */
export function startNextCalls(
  execution: Execution,
  calls: readonly ToolCall[],
  batch: ExecutionBatch,
  waits: Waits = NO_WAITS,
): Execution {
  const next = nextCalls(execution.pendingCalls);
  switch (next.kind) {
    case 'settled':
      return finishIteration(judgeCalls(execution), batch);
    case 'run':
    case 'in_progress':
      return { ...execution, ...batch.counters(), pendingCalls: startNextWave(execution.pendingCalls) };
    case 'wait': {
      if (next.calls.some(({ waits: kind }) => kind !== undefined && waits.get(kind) === 'unread'))
        return { ...execution, ...batch.counters() };
      const asked = next.calls.reduce(
        (current, pending) => startWaiting(current, pending, calls[pending.index], batch, waits),
        execution,
      );
      // A call that cannot wait has its result, and those behind it come next.
      if (!asked.pendingCalls.some(({ state }) => state === 'waiting')) {
        return startNextCalls(asked, calls, batch, waits);
      }
      // The wait is no attempt at the iteration, and the work after it gets all attempts again.
      return { ...asked, ...batch.counters(), status: 'waiting', lease: null, claims: 0 };
    }
  }
}

/** A call that cannot wait here fails in its turn. */
function startWaiting(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall | undefined,
  batch: ExecutionBatch,
  waits: Waits,
): Execution {
  const start = pending.waits === undefined ? undefined : waits.get(pending.waits);
  if (typeof start === 'function' && call !== undefined) return start(execution, pending, call, batch);
  const message = `${pending.name} was not run: it would have to wait for a ${pending.waits}, which is not possible here.`;
  appendMissingResult(pending, message, 'failed', batch);
  return settleCall(execution, pending.index, 'failed', { message });
}
