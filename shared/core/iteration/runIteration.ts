// Handles one iteration message: load, decide, claim, work, publish the next message. docs/reliability.md
// explains why a repetition is safe.

import type { Stored } from '../contract/store.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../kernel/documents/retryConflict.ts';
import { captureNewer, readInTime, requireRead } from '../kernel/execution/newerDocument.ts';
import { readControl } from '../kernel/execution/readControl.ts';
import type { Feature } from '../kernel/feature/feature.ts';
import { decideIteration, type Ending } from '../kernel/state/decide.ts';
import { retryLaterError } from '../kernel/state/retryLater.ts';
import { recentSystemPause } from '../kernel/systemPause.ts';
import { executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { IterationMessage } from '../schema/iterationMessage.ts';
import { endExecution } from '../stage/endExecution.ts';
import { finishWithoutWork, type OutcomeWithoutWork } from '../stage/finishWithoutWork.ts';
import { composeFeatures, type RunDeps } from './context/features.ts';
import { type DueWork, loadTexts, loadWorker, startSlowWork } from './loadWork.ts';
import { loadSnapshot } from './prepare/loadAgent.ts';
import { readUnknownConversation } from './prepare/loadConversation.ts';
import { runClaimed, type WorkOutcome } from './runClaimed.ts';

/** How a message was handled. It is acknowledged; one to redeliver throws a RetryableError. */
export type IterationOutcome =
  | WorkOutcome
  /** Another process handles another message about the same iteration. */
  | { kind: 'spare_copy' }
  | OutcomeWithoutWork;

/**
 * Handles one iteration message.
 * @param messageId Pub/Sub's id of the message; null when unknown. The lease stores it.
 * @param features the features of the iteration, in the order in which their hooks run.
 * @throws RetryableError when the message must be delivered again: another process holds the execution, or
 *   the store or the publisher failed.
 */
export function runIteration(
  message: IterationMessage,
  messageId: string | null,
  deps: RuntimeDeps,
  features: readonly Feature[],
): Promise<IterationOutcome> {
  const running: RunDeps = { ...deps, features: composeFeatures(features) };
  return retryLostRaces(`execution ${message.executionId}`, DOCUMENT_RACES, ({ isLast }) =>
    tryIteration(message, messageId, isLast, running),
  );
}

async function tryIteration(
  message: IterationMessage,
  messageId: string | null,
  isLast: boolean,
  deps: RunDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const { sessionId, executionId } = message;
  const [systemPause, execution, whole, snapshot, control] = await Promise.all([
    recentSystemPause(deps),
    captureNewer(deps.store.get(paths.execution(sessionId, executionId), executionType)),
    captureNewer(readUnknownConversation(sessionId, executionId, deps)),
    captureNewer(loadSnapshot(sessionId, executionId, deps)),
    captureNewer(readControl(sessionId, deps)),
  ]);
  await deps.failpoint?.(CRASH_POINTS.afterLoad);
  // The sweep publishes all that is unfinished after the pause, also what newer code started.
  if (systemPause !== null) return { kind: 'paused' };
  const stored = requireRead(execution);
  if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
  const isPaused = control.newer === undefined && control.value.paused;
  const decision = decideIteration(stored.value, message, deps.clock.now(), messageId, isPaused);
  switch (decision.kind) {
    case 'reject_ahead':
    case 'already_ended':
    case 'late_copy':
    case 'waits':
    case 'paused':
    case 'parked':
      return finishWithoutWork(stored, decision, deps);
    case 'busy':
      if (decision.spare) return { kind: 'spare_copy' };
      throw retryLaterError(executionId, decision, deps.clock.now());
    case 'wait':
      throw retryLaterError(executionId, decision, deps.clock.now());
    case 'end':
      return endUnclaimed(stored, decision.ending, deps);
    case 'ask_model':
    case 'collect':
    case 'run_tools':
      return workOn({ stored, work: decision, whole, snapshot, control, messageId, isLast }, deps);
  }
}

/**
 * Loads the documents of the work, claims the execution and works. An unreadable document ends the execution.
 */
async function workOn(due: DueWork, deps: RunDeps): Promise<WorkOutcome | typeof RACE_LOST> {
  const { stored, control } = due;
  const { value: agent, failure } = await readInTime(stored, loadWorker(due, deps), deps);
  if (failure !== undefined) return endUnclaimed(stored, { status: 'failed', failure }, deps);
  const tools = startSlowWork(due, agent, deps);
  try {
    const { value: texts, failure } = await readInTime(stored, loadTexts(due, agent, deps), deps);
    if (failure !== undefined) return await endUnclaimed(stored, { status: 'failed', failure }, deps);
    if (texts === RACE_LOST) return RACE_LOST;
    const masker = deps.maskerFor(agent.maskKey);
    const { watchedUntil } = requireRead(control);
    return await runClaimed(due, { ...agent, ...texts, masker, watchedUntil, tools }, deps);
  } finally {
    // Closed last: a server can take seconds to stop, and the next message must not wait for it.
    await tools.close();
  }
}

/** Ends an execution that this process has not claimed. */
async function endUnclaimed(
  stored: Stored<Execution>,
  ending: Ending,
  deps: RunDeps,
): Promise<WorkOutcome | typeof RACE_LOST> {
  const execution = await endExecution(stored, ending, deps);
  return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
}
