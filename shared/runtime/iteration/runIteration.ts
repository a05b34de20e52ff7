// Handles one iteration message: load, decide, claim, do the work, publish the next message. docs/reliability.md explains why
// a repetition is safe.

import { executionType, paths } from '../../schema/documents.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { DOCUMENT_RACES, type RACE_LOST, retryLostRaces } from '../kernel/documents/races.ts';
import { captureNewer, requireRead } from '../kernel/execution/newerDocument.ts';
import { readControl } from '../kernel/execution/readControl.ts';
import type { Feature } from '../kernel/feature/feature.ts';
import { decideIteration } from '../kernel/state/decide.ts';
import { retryLaterError } from '../kernel/state/retryLater.ts';
import { recentSystemPause } from '../kernel/systemPause.ts';
import { finishWithoutWork, type OutcomeWithoutWork } from '../stage/finishWithoutWork.ts';
import { composeFeatures, type RunDeps } from './context/features.ts';
import { endUnclaimed, loadAndWork } from './loadAndWork.ts';
import { loadSnapshot } from './prepare/loadAgent.ts';
import { readUnknownConversation } from './prepare/loadConversation.ts';
import type { WorkOutcome } from './runClaimed.ts';

/** How a message was handled. The message is acknowledged; a message that must be redelivered throws a RetryableError. */
export type IterationOutcome =
  | WorkOutcome
  /** Another process handles another message about the same iteration. */
  | { kind: 'spare_copy' }
  | OutcomeWithoutWork;

/**
 * Handles one iteration message.
 * @param messageId Pub/Sub's id of the message; null when unknown. The lease stores it.
 * @param features the features of the iteration, in the order in which their hooks run.
 * @throws RetryableError when the message must be delivered again: another process holds the execution, or the store or the
 *   publisher failed.
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
  // The sweep publishes whatever is not finished when the pause ends, and what newer code has started meanwhile.
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
      return loadAndWork(stored, decision, { whole, snapshot, control }, { messageId, isLast }, deps);
  }
}
