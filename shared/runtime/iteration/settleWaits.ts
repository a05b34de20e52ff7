// Settles waiting calls whose time is over. Whoever finds a waiting execution calls it: a copy of its message, a dead
// letter, the sweep, a decision that came too late.

import { executionType, paths } from '../../schema/documents.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import { closeApprovals } from '../approval/closeApprovals.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../races.ts';
import { appendMissingResult } from './callResult.ts';
import { continueUnheld } from './continueUnheld.ts';
import { isCallOver, isWaitOver } from './decideWait.ts';
import { publishOrAdvance } from './endExecution.ts';
import { type ExecutionBatch, startBatch } from './executionBatch.ts';
import { settleCall } from './pendingCalls.ts';
import { replaceExecution, withDueAt } from './replaceExecution.ts';

/**
 * Settles the calls whose wait is over, in one fenced batch, and publishes what follows. Does nothing where none is.
 * @returns whether a call was settled.
 * @throws RetryableError when other writers keep changing the execution, or store or publisher fail.
 */
export async function settleWaits(
  { sessionId, executionId }: Pick<Execution, 'sessionId' | 'executionId'>,
  deps: StateDeps,
): Promise<boolean> {
  return retryLostRaces<boolean>(`execution ${executionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.execution(sessionId, executionId), executionType);
    await deps.failpoint?.(CRASH_POINTS.afterLoad);
    const now = deps.clock.now();
    if (stored === undefined || !isWaitOver(stored.value, now)) return false;
    const over = stored.value.pendingCalls.filter((call) => isCallOver(call, now));
    const batch = startBatch(stored.value, now);
    const settled = over.reduce((execution, call) => giveUp(execution, call, batch), stored.value);
    const execution = withDueAt(continueUnheld(settled, batch), now);
    const closing = await closeApprovals(over, 'expired', deps);
    const written = await replaceExecution(execution, stored.version, [...batch.writes, ...closing], deps);
    if (!written.ok) return RACE_LOST;
    await publishOrAdvance(execution, deps);
    return true;
  });
}

/** Not deciding is denying. It is no failure of the iteration: the model has its answer. */
function giveUp(execution: Execution, call: PendingCall, batch: ExecutionBatch): Execution {
  const { name, waitsFor } = call;
  if (waitsFor === undefined) {
    const message = `${name} was not run: what it waited for is missing.`;
    appendMissingResult(call, message, 'failed', batch);
    return settleCall(execution, call.index, 'failed', { message });
  }
  const until = waitsFor.until.toISOString();
  batch.appendEvent({
    eventType: 'notice',
    status: 'timed_out',
    content: `${name} was neither approved nor denied until ${until}: it counts as denied.`,
    metadata: { code: 'approval_decided', subject: name, approvalId: waitsFor.id },
  });
  const told = `Not run: ${name} needs approval, and nobody decided until ${until}, which counts as denied. Do not call it again; go on without it, or conclude and say what a person should do.`;
  appendMissingResult(call, told, 'failed', batch);
  return settleCall(execution, call.index, 'done');
}
