// Handles a dead letter, a message whose deliveries all failed: ends its execution with an error event, unless the
// execution has moved on. A message that was only ever refused because of a pause is published again.

import { RetryableError } from '../../errors.ts';
import { agentSnapshotType, executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import type { StateDeps } from '../deps.ts';
import { loadConversation } from '../iteration/conversation.ts';
import { type DecisionWithoutWork, decide, type Ending } from '../iteration/decide.ts';
import { endExecution } from '../iteration/endExecution.ts';
import { finishWithoutWork, type OutcomeWithoutWork } from '../iteration/finishWithoutWork.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { EXECUTION_RACES, RACE_LOST, retryLostRaces } from '../races.ts';
import { captureFailure } from '../reading.ts';

/** What a dead letter leads to. */
export type BuryDecision =
  | DecisionWithoutWork
  /** Another process holds the lease until `until`, and its work decides what follows. */
  | { kind: 'busy'; until: Date }
  | { kind: 'end'; ending: Ending }
  /** The execution paused at every delivery, so the message was never tried. */
  | { kind: 'publish_again' };

/** How a dead letter was handled. */
export type BuryOutcome =
  | OutcomeWithoutWork
  | { kind: 'publish_again' }
  | { kind: 'ended'; execution: Execution };

/** Decides from state alone. `deliveries` is the number of deliveries, if Pub/Sub gave it. */
export function decideBurial(
  execution: Execution,
  message: IterationMessage,
  deliveries: number | undefined,
  now: Date,
): BuryDecision {
  const decision = decide(execution, message, now);
  switch (decision.kind) {
    case 'wait':
      return { kind: 'publish_again' };
    case 'ask_model':
    case 'run_tools':
      // A claim clears the pause: while it is set, no delivery has claimed this iteration.
      if (execution.notBefore !== null) return { kind: 'publish_again' };
      return { kind: 'end', ending: exhaustedEnding(execution, deliveries) };
    case 'reject_ahead':
    case 'already_ended':
    case 'late_copy':
    case 'waits':
    case 'busy':
    case 'end':
      return decision;
  }
}

function exhaustedEnding({ iteration, lastErrorMessage }: Execution, deliveries: number | undefined): Ending {
  const tries = deliveries === undefined ? 'Every delivery' : `All ${deliveries} deliveries`;
  const last = lastErrorMessage === null ? '' : ` The last error known: ${lastErrorMessage}`;
  const message = `Iteration ${iteration} could not be run. ${tries} of its message failed: functions that died or ran out of time, or refusals while the lease of a dead one ran out. The log of runIteration says which.${last}`;
  return { status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED', message } };
}

/**
 * Handles one dead letter.
 * @throws RetryableError when it must be delivered again: another process holds the execution, or store or publisher
 *   failed.
 */
export function buryIteration(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome> {
  return retryLostRaces(`execution ${message.executionId}`, EXECUTION_RACES, () =>
    tryBurial(message, deliveries, deps),
  );
}

async function tryBurial(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome | typeof RACE_LOST> {
  const { sessionId, executionId } = message;
  const stored = await deps.store.get(paths.execution(sessionId, executionId), executionType);
  if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
  const now = deps.clock.now();
  const decision = decideBurial(stored.value, message, deliveries, now);
  switch (decision.kind) {
    case 'reject_ahead':
    case 'already_ended':
    case 'late_copy':
    case 'waits':
      return finishWithoutWork(stored.value, decision, deps);
    case 'publish_again':
      await publishIteration(deps.publisher, stored.value);
      return decision;
    case 'busy': {
      const retryAfterMs = decision.until.getTime() - now.getTime();
      const text = `a copy of this dead letter is at work on execution ${executionId}`;
      throw new RetryableError('EXECUTION_BUSY', text, { retryAfterMs });
    }
    case 'end': {
      await requireReadableVersions(sessionId, executionId, deps);
      const execution = await endExecution(stored, decision.ending, deps);
      return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
    }
  }
}

/** Throws SCHEMA_TOO_NEW for a document of newer code: the message is handled once that code is deployed. */
async function requireReadableVersions(
  sessionId: string,
  executionId: string,
  { store }: StateDeps,
): Promise<void> {
  await Promise.all([
    loadConversation(store, sessionId, executionId),
    captureFailure(store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType)),
  ]);
}
