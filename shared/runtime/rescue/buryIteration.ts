// A dead letter: a message whose deliveries all failed. Its execution ends with an error event, unless it went on
// without it; a message that was only ever refused gets a second life.

import { RetryableError } from '../../errors.ts';
import { agentSnapshotType, executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import type { StateDeps } from '../deps.ts';
import { loadConversation } from '../iteration/conversation.ts';
import { decide, type Ending } from '../iteration/decide.ts';
import { endOpen } from '../iteration/endExecution.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { RACE_LOST, retryLostRaces } from '../races.ts';
import { readable } from '../readable.ts';
import { advanceStage } from '../stage/advanceStage.ts';

export type BuryDecision =
  /** Claims an iteration that was never scheduled: recorded and acked. */
  | { kind: 'reject_ahead' }
  /** Nothing left to do but to make sure that its stage went on. */
  | { kind: 'already_ended' }
  /** The execution went on without it. */
  | { kind: 'late_copy'; republish: boolean }
  /** A copy of it is at work until `until`: what becomes of that, decides. */
  | { kind: 'busy'; until: Date }
  /** It waits for children or people, and needs no message. */
  | { kind: 'waits' }
  /** All its deliveries came while the execution paused: the message was never tried. */
  | { kind: 'publish_again' }
  | { kind: 'end'; ending: Ending };

export type BuryOutcome =
  | Exclude<BuryDecision, { kind: 'busy' | 'end' | 'reject_ahead' }>
  | { kind: 'ended'; execution: Execution }
  /** To be recorded by the caller. */
  | { kind: 'rejected'; reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD' };

const MAX_RACES = 5;

/** Decides by state alone. `deliveries` is how often Pub/Sub tried, if it said so. */
export function decideBurial(
  execution: Execution,
  message: IterationMessage,
  deliveries: number | undefined,
  now: Date,
): BuryDecision {
  const decision = decide(execution, message, now);
  switch (decision.kind) {
    case 'reject_ahead':
    case 'already_ended':
    case 'late_copy':
    case 'busy':
    case 'end':
    case 'waits':
      return decision;
    case 'wait':
      return { kind: 'publish_again' };
    case 'ask_model':
    case 'run_tools':
      // A claim clears the pause; as long as it stands, nobody has tried since.
      if (execution.notBefore !== null) return { kind: 'publish_again' };
      return { kind: 'end', ending: exhausted(execution, deliveries) };
  }
}

function exhausted({ iteration, lastErrorMessage }: Execution, deliveries: number | undefined): Ending {
  const tries = deliveries === undefined ? 'Every delivery' : `All ${deliveries} deliveries`;
  const last = lastErrorMessage === null ? '' : ` The last error known: ${lastErrorMessage}`;
  const message = `Iteration ${iteration} could not be run. ${tries} of its message failed: functions that died or ran out of time, or refusals while the lease of a dead one ran out. The log of runIteration says which.${last}`;
  return { status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED', message } };
}

/**
 * Handles one dead letter.
 * @throws RetryableError when it must be delivered again: a copy is at work, or store, publisher failed.
 */
export function buryIteration(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome> {
  return retryLostRaces(`execution ${message.executionId}`, MAX_RACES, () =>
    tryToBury(message, deliveries, deps),
  );
}

async function tryToBury(
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
      return { kind: 'rejected', reason: 'ITERATION_AHEAD' };
    case 'already_ended':
      await advanceStage(stored.value, deps);
      return decision;
    case 'late_copy':
      if (decision.republish) await publishIteration(deps.publisher, stored.value);
      return decision;
    case 'waits':
      return decision;
    case 'publish_again':
      await publishIteration(deps.publisher, stored.value);
      return decision;
    case 'busy': {
      const retryAfterMs = decision.until.getTime() - now.getTime();
      const text = `a copy of this dead letter is at work on execution ${executionId}`;
      throw new RetryableError('EXECUTION_BUSY', text, { retryAfterMs });
    }
    case 'end': {
      await stopAtNewerDocuments(sessionId, executionId, deps);
      const execution = await endOpen(stored, decision.ending, deps);
      return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
    }
  }
}

/** A document of newer code is no fault of the message: it waits for that code (SCHEMA_TOO_NEW). */
async function stopAtNewerDocuments(
  sessionId: string,
  executionId: string,
  { store }: StateDeps,
): Promise<void> {
  await Promise.all([
    loadConversation(store, sessionId, executionId),
    readable(store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType)),
  ]);
}
