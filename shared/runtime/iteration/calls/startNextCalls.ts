// What follows when calls of an answer were stored or settled: the next calls start, the execution begins to wait, or the
// iteration is finished.

import type { ToolCall } from '../../../contract/tools.ts';
import type { Execution, PendingCall } from '../../../schema/execution.ts';
import { askPerson } from '../../features/approval/askPerson.ts';
import type { ChildPlan } from '../../features/children/planChildren.ts';
import { startChild } from '../../features/children/startChild.ts';
import type { ExecutionBatch } from '../../kernel/conversation/executionBatch.ts';
import { appendMissingResult } from '../../kernel/state/callResult.ts';
import { finishIteration } from '../../kernel/state/nextIteration.ts';
import { judgeCalls, nextCalls, settleCall, startNextWave } from '../../kernel/state/pendingCalls.ts';

/**
 * The execution with its next calls recorded as running; waiting and given up by its holder when nothing else runs and the
 * next ones wait; or with its iteration finished when all have their result.
 * @param calls the calls of the stored answer.
 * @param children what children are created from; undefined where no call asks an agent. Calls that ask stay requested
 *   while it is unread.
 */
export function startNextCalls(
  execution: Execution,
  calls: readonly ToolCall[],
  batch: ExecutionBatch,
  children?: ChildPlan | 'unread',
): Execution {
  const next = nextCalls(execution.pendingCalls);
  switch (next.kind) {
    case 'settled':
      return finishIteration(judgeCalls(execution), batch);
    case 'run':
    case 'in_progress':
      return { ...execution, ...batch.counters(), pendingCalls: startNextWave(execution.pendingCalls) };
    case 'wait': {
      if (children === 'unread' && next.calls.some(({ waits }) => waits === 'child'))
        return { ...execution, ...batch.counters() };
      const asked = next.calls.reduce(
        (current, pending) => startWaiting(current, pending, calls[pending.index], batch, children),
        execution,
      );
      // A call that may not wait has its result, and those behind it come next.
      if (!asked.pendingCalls.some(({ state }) => state === 'waiting')) {
        return startNextCalls(asked, calls, batch, children);
      }
      // The wait is no attempt at the iteration, and what follows it gets all attempts anew.
      return { ...asked, ...batch.counters(), status: 'waiting', lease: null, claims: 0 };
    }
  }
}

/** What waits for something that cannot be asked for fails in its turn. */
function startWaiting(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall | undefined,
  batch: ExecutionBatch,
  children?: ChildPlan | 'unread',
): Execution {
  if (pending.waits === 'person' && call !== undefined) return askPerson(execution, pending, call, batch);
  if (pending.waits === 'child' && call !== undefined && typeof children === 'object')
    return startChild(execution, pending, call, children, batch);
  const message = `${pending.name} was not run: it would have to wait for a ${pending.waits}, which is not possible here.`;
  appendMissingResult(pending, message, 'failed', batch);
  return settleCall(execution, pending.index, 'failed', { message });
}
