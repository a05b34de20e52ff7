// Handles a dead letter, a message whose deliveries all failed: publishes its iteration again, or ends the
// execution with an error event when the iteration was started several times and never finished.

import type { Stored } from '../contract/store.ts';
import { readMessages } from '../kernel/conversation/conversation.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../kernel/documents/retryConflict.ts';
import { captureNewer, readInTime } from '../kernel/execution/newerDocument.ts';
import { publishAgain } from '../kernel/execution/publishAgain.ts';
import { readControl } from '../kernel/execution/readControl.ts';
import { type DecisionWithoutWork, decideIteration, type Ending } from '../kernel/state/decide.ts';
import { retryLaterError } from '../kernel/state/retryLater.ts';
import { readSystemControl } from '../kernel/systemPause.ts';
import type { Failure } from '../schema/common.ts';
import { agentSnapshotType, executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { IterationMessage } from '../schema/iterationMessage.ts';
import { endExecution } from '../stage/endExecution.ts';
import { finishWithoutWork, type OutcomeWithoutWork } from '../stage/finishWithoutWork.ts';

/** The number of started claims after which an iteration is given up. Failed deliveries do not count. */
export const MAX_STARTED_CLAIMS = 3;
/** The same of all claims, for an iteration that ends its process before the first write. */
export const MAX_CLAIMS = 8;

/** How to handle a dead letter. */
export type BuryDecision =
  | DecisionWithoutWork
  /** Another process holds the lease until `until`; its work determines how the execution continues. */
  | { kind: 'busy'; until: Date }
  /**
   * The execution pauses until `until`. The dead letter is redelivered until then, because a new message
   * would only be refused.
   */
  | { kind: 'wait'; until: Date }
  | { kind: 'end'; ending: Ending }
  /** The iteration has claims left. The session's deadline ends the repetitions. */
  | { kind: 'publish_again' };

/** How a dead letter was handled. */
export type BuryOutcome =
  | OutcomeWithoutWork
  | { kind: 'publish_again' }
  | { kind: 'ended'; execution: Execution };

/**
 * Depends only on the state.
 * @param deliveries the number of deliveries; undefined if Pub/Sub did not state it.
 * @param isPaused whether the session is paused. Resuming it publishes the iteration again.
 */
export function decideBurial(
  execution: Execution,
  message: IterationMessage,
  deliveries: number | undefined,
  now: Date,
  isPaused = false,
): BuryDecision {
  const decision = decideIteration(execution, message, now, null, isPaused);
  switch (decision.kind) {
    case 'ask_model':
    case 'collect':
    case 'run_tools':
      return execution.startedClaims < MAX_STARTED_CLAIMS && execution.claims < MAX_CLAIMS
        ? { kind: 'publish_again' }
        : { kind: 'end', ending: exhaustedEnding(execution, deliveries) };
    case 'busy':
      return { kind: 'busy', until: decision.until };
    default:
      return decision;
  }
}

function exhaustedEnding(
  { iteration, claims, startedClaims, lastErrorMessage }: Execution,
  deliveries: number | undefined,
): Ending {
  const tries = deliveries === undefined ? 'every delivery' : `all ${deliveries} deliveries`;
  const last = lastErrorMessage === null ? '' : ` The last error known: ${lastErrorMessage}`;
  const message = `Iteration ${iteration} was claimed ${claims} times, started ${startedClaims} times and never finished; ${tries} of its message failed. See the log of runIteration for the cause.${last}`;
  return { status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED', message } };
}

/**
 * Handles one dead letter.
 * @throws RetryableError when it must be delivered again: another process holds the execution, the execution
 *   pauses, or store or publisher failed.
 */
export function buryIteration(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome> {
  return retryLostRaces(`execution ${message.executionId}`, DOCUMENT_RACES, () =>
    tryBurial(message, deliveries, deps),
  );
}

async function tryBurial(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome | typeof RACE_LOST> {
  const { sessionId, executionId } = message;
  const [system, stored, control] = await Promise.all([
    readSystemControl(deps),
    deps.store.get(paths.execution(sessionId, executionId), executionType),
    captureNewer(readControl(sessionId, deps)),
  ]);
  if (system.pause !== null) return { kind: 'paused' };
  if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
  const now = deps.clock.now();
  const decision = decideBurial(stored.value, message, deliveries, now, control.value?.paused);
  switch (decision.kind) {
    case 'publish_again': {
      const { publishedIteration, iteration } = stored.value;
      // Once for newer code; after that the dead letter is redelivered until the code is deployed, because
      // each publication is a write.
      const failure = publishedIteration < iteration ? undefined : await failureOfDocuments(stored, deps);
      if (failure !== undefined) return endNow(stored, { status: 'failed', failure }, deps);
      await publishAgain(stored, deps);
      return decision;
    }
    case 'busy':
    case 'wait':
      throw retryLaterError(executionId, decision, now);
    case 'end': {
      const isExhausted = decision.ending.failure.code === 'DELIVERY_EXHAUSTED';
      const failure = isExhausted ? await failureOfDocuments(stored, deps) : undefined;
      return endNow(stored, failure ? { status: 'failed', failure } : decision.ending, deps);
    }
    default:
      return finishWithoutWork(stored, decision, deps);
  }
}

async function endNow(
  stored: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<BuryOutcome | typeof RACE_LOST> {
  const execution = await endExecution(stored, ending, deps);
  return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
}

/**
 * The failure that ends an execution whose documents have waited too long for newer code; undefined when
 * there are none. Broken documents are left to the next delivery.
 * @throws SchemaVersionError while newer code is awaited.
 */
async function failureOfDocuments(stored: Stored<Execution>, deps: StateDeps): Promise<Failure | undefined> {
  const { sessionId, executionId } = stored.value;
  const reading = Promise.all([
    readMessages(deps.store, sessionId, executionId),
    captureFailure(deps.store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType)),
    readControl(sessionId, deps),
  ]);
  return (await readInTime(stored, captureFailure(reading), deps)).failure;
}
