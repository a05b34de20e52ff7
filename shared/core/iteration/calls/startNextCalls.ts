// Continues after calls of an answer were stored or settled: the next calls start, the execution starts to
// wait, or the iteration ends.

import type { ToolCall } from '../../contract/tools.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { appendMissingResult } from '../../kernel/state/callResult.ts';
import { finishIteration } from '../../kernel/state/nextIteration.ts';
import { judgeCalls, nextCalls, settleCall, startNextWave } from '../../kernel/state/pendingCalls.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { NO_WAITS, type Waits } from './planWaits.ts';

/**
 * Returns the execution with its next calls recorded as running; waiting and released by its holder if
 * nothing else runs and the next calls wait; or with its iteration finished if all calls have their result.
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
      const started = next.calls.reduce(
        (current, pending) => startWaiting(current, pending, calls[pending.index], batch, waits),
        execution,
      );
      // A call that cannot wait has its result, and the calls after it come next.
      if (!started.pendingCalls.some(({ state }) => state === 'waiting')) {
        return startNextCalls(started, calls, batch, waits);
      }
      // The wait is not an attempt at the iteration, and the work after it gets all attempts again.
      const kind = started.pendingCalls.find(({ state }) => state === 'waiting')?.waits ?? 'other';
      const waitingSince = { kind, at: batch.now };
      const attempts = { lease: null, claims: 0, startedClaims: 0 };
      return { ...started, ...batch.counters(), ...attempts, waitingSince, status: 'waiting' };
    }
  }
}

/** A call that cannot wait here fails when it is the next one. */
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
