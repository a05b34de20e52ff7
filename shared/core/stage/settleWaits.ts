// Settles waiting calls that are due. Runs whenever a process finds a waiting execution: for a duplicate of
// its message, a dead letter, the sweep, or a late decision.

import type { Stored } from '../contract/store.ts';
import { type ExecutionBatch, startBatch } from '../kernel/conversation/executionBatch.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { closeApprovals } from '../kernel/execution/closeApprovals.ts';
import { publishAgain } from '../kernel/execution/publishAgain.ts';
import { appendMissingResult } from '../kernel/state/callResult.ts';
import { continueUnheld } from '../kernel/state/continueUnheld.ts';
import { deadlineExceeded, endingDue } from '../kernel/state/decide.ts';
import { decideWait, type WaitDecision } from '../kernel/state/decideWait.ts';
import { settleCall } from '../kernel/state/pendingCalls.ts';
import { replaceExecution, withDue } from '../kernel/state/replaceExecution.ts';
import { executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../schema/execution.ts';
import { endExecution } from './endExecution.ts';
import { continueAfterEnd, publishOrAdvance } from './publishOrAdvance.ts';

interface DueCall {
  /** The call, in state `waiting`. */
  call: PendingCall;
  /** The action that is due now. */
  decision: WaitDecision;
  /** The child it waits for, if it waits for one that can be read. */
  child: Stored<Execution> | undefined;
}

/**
 * Settles the calls whose wait is over, and publishes the next messages. One fenced batch settles the calls
 * that waited for a person or for something missing; the end of each child settles its own call. Publishes
 * children that were never claimed, and ends those past their deadline. Does nothing if nothing is due.
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
    if (stored === undefined || stored.value.status !== 'waiting') return false;
    const now = deps.clock.now();
    const due = await decideWaits(stored.value, now, deps);
    const over = due.filter(({ decision: { kind } }) => kind === 'time_out' || kind === 'fail');
    if (over.length > 0) {
      const calls = over.map(({ call }) => call);
      return (await settleOver(stored, calls, now, deps)) ? true : RACE_LOST;
    }
    // One child's message can be too recent when another's result is stored: the caller waits for both.
    const done = await Promise.allSettled(due.map((one) => attendToChild(one, now, deps)));
    const outcomes = done.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    if (outcomes.includes(RACE_LOST)) return RACE_LOST;
    const failed = done.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return outcomes.includes(true);
  });
}

/** The due action of each waiting call. A permanently unreadable child counts as missing. */
async function decideWaits(
  { sessionId, pendingCalls }: Execution,
  now: Date,
  { store }: StateDeps,
): Promise<DueCall[]> {
  return Promise.all(
    pendingCalls
      .filter(({ state }) => state === 'waiting')
      .map(async (call) => {
        const { waitsFor } = call;
        const { value: child } =
          waitsFor?.kind === 'child'
            ? await captureFailure(store.get(paths.execution(sessionId, waitsFor.id), executionType))
            : { value: undefined };
        return { call, child, decision: decideWait(call, child?.value, now) };
      }),
  );
}

/** Performs the due action of a call that waits for a child; returns whether this settled the call. */
async function attendToChild(
  { decision, child }: DueCall,
  now: Date,
  deps: StateDeps,
): Promise<boolean | typeof RACE_LOST> {
  if (child === undefined) return false;
  switch (decision.kind) {
    case 'settle':
      await continueAfterEnd(child.value, deps);
      return true;
    case 'publish_child':
      await publishAgain(child, deps);
      return false;
    case 'end_child': {
      const { value } = child;
      const ending = endingDue(value, now) ?? deadlineExceeded(value.deadline);
      const ended = await endExecution(child, ending, deps);
      return ended === undefined ? RACE_LOST : true;
    }
    default:
      return false;
  }
}

/** Gives up the calls that waited too long for a person, or that wait for something missing. */
async function settleOver(
  stored: Stored<Execution>,
  over: PendingCall[],
  now: Date,
  deps: StateDeps,
): Promise<boolean> {
  const batch = startBatch(stored.value, now);
  const settled = over.reduce((execution, call) => giveUp(execution, call, batch), stored.value);
  const execution = withDue(continueUnheld(settled, batch), now);
  const forPeople = over.filter(({ waitsFor }) => waitsFor?.kind === 'person');
  const closing = await closeApprovals(forPeople, 'expired', deps);
  const writes = [...batch.writes, ...closing.writes];
  const written = await replaceExecution(execution, stored.version, writes, deps, closing);
  if (!written.ok) return false;
  await publishOrAdvance(execution, deps);
  return true;
}

/**
 * Gives up a call: without a decision it counts as denied. The iteration does not fail, because the model
 * gets an answer.
 */
function giveUp(execution: Execution, call: PendingCall, batch: ExecutionBatch): Execution {
  const { name, waitsFor } = call;
  if (waitsFor?.kind !== 'person') {
    const message = `${name} has no result: what it waited for is missing, or cannot be read.`;
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
  const result = `Not run: ${name} needs approval, and nobody decided until ${until}, which counts as denied. Do not call it again; go on without it, or conclude and say what a person should do.`;
  appendMissingResult(call, result, 'failed', batch);
  return settleCall(execution, call.index, 'done');
}
