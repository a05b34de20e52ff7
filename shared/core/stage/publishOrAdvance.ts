// Continues after a write of an execution: publishes its next message or, once it has ended, settles the
// waiting call of its parent or advances its stage.

import type { Stored } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { startBatch } from '../kernel/conversation/executionBatch.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { endDescendants } from '../kernel/execution/descendants.ts';
import { isUnclaimed, publishAgain } from '../kernel/execution/publishAgain.ts';
import { structuredAnswer } from '../kernel/execution/structuredAnswer.ts';
import { appendChildResult } from '../kernel/state/childResult.ts';
import { continueUnheld } from '../kernel/state/continueUnheld.ts';
import { isParked } from '../kernel/state/decide.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { isWaitingForChild, settleCall } from '../kernel/state/pendingCalls.ts';
import { replaceExecution, withDue } from '../kernel/state/replaceExecution.ts';
import { isTerminal, toStoredFailure } from '../schema/common.ts';
import { executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import { advanceStage } from './advanceStage.ts';

/**
 * Publishes the next message of an open execution, unless it waits for others or for its model; continues
 * after the end of an ended one.
 */
export async function publishOrAdvance(execution: Execution, deps: StateDeps): Promise<void> {
  if (execution.endedAt === null) {
    if (execution.status === 'waiting' || isParked(execution)) return;
    await deps.failpoint?.(CRASH_POINTS.afterCommitB);
    await publishIteration(deps.publisher, execution);
    await deps.failpoint?.(CRASH_POINTS.afterPublish);
  } else {
    await deps.failpoint?.(CRASH_POINTS.afterEnding);
    await continueAfterEnd(execution, deps);
  }
}

/**
 * Continues after the end of an execution: ends its open descendants, then settles the call of its parent, or
 * advances its stage. Idempotent: called for every end, and for every message about an execution that has
 * ended.
 * @throws RetryableError when other writers keep changing parent or session, or store or publisher fail.
 */
export async function continueAfterEnd(ended: Execution, deps: StateDeps): Promise<void> {
  await endDescendants(ended, deps);
  if (ended.parentExecutionId === null) await advanceStage(ended, deps);
  else await settleParent(ended, ended.parentExecutionId, deps);
}

/** Gives a child's result to the waiting call in one fenced batch, and continues the parent. */
async function settleParent(child: Execution, parentId: string, deps: StateDeps): Promise<void> {
  const path = paths.execution(child.sessionId, parentId);
  const parent = await retryLostRaces(`execution ${parentId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(path, executionType);
    await deps.failpoint?.(CRASH_POINTS.afterLoad);
    if (stored === undefined || !isWaitingForChild(stored.value, child.executionId)) return stored;
    const settled = await commitSettled(stored, child, deps);
    if (settled === undefined) return RACE_LOST;
    await publishOrAdvance(settled, deps);
    return undefined;
  });
  if (parent === undefined) return;
  // The process that settled the call or ended the parent can have died before it continued.
  if (isTerminal(parent.value.status)) await continueAfterEnd(parent.value, deps);
  // A parent that paused since then has its message already.
  else if (isUnclaimed(parent.value) && parent.value.notBefore === null) await publishAgain(parent, deps);
}

/** The parent with the result of its child; undefined when another writer was faster. */
async function commitSettled(
  parent: Stored<Execution>,
  child: Execution,
  deps: StateDeps,
): Promise<Execution | undefined> {
  const commit = async (result: Execution): Promise<Execution | undefined> => {
    const now = deps.clock.now();
    const batch = startBatch(parent.value, now);
    const structured = await structuredAnswer(result, deps);
    const calls = parent.value.pendingCalls.filter(({ waitsFor }) => waitsFor?.id === child.executionId);
    const settled = calls.reduce((current, call) => {
      appendChildResult(call, result, parent.value.limits, batch, structured);
      return settleCall(current, call.index, 'done');
    }, parent.value);
    const execution = withDue(continueUnheld(settled, batch), now);
    const written = await replaceExecution(execution, parent.version, batch.writes, deps);
    return written.ok ? execution : undefined;
  };
  try {
    return await commit(child);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    // The parent must not wait for a result that can never be stored; the child still has it.
    return await commit({ ...child, status: 'failed', finalAnalysis: null, failure: toStoredFailure(error) });
  }
}
