// A dead letter: a message whose deliveries all failed. Its execution ends with an error event, unless it went on
// without it; a message that was only ever refused gets a second life.

import { RetryableError } from '../../errors.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import type { StateDeps } from '../deps.ts';
import { loadConversation } from '../iteration/conversation.ts';
import { decide, type Ending } from '../iteration/decide.ts';
import { endOpen } from '../iteration/endExecution.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
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
export async function buryIteration(
  message: IterationMessage,
  deliveries: number | undefined,
  deps: StateDeps,
): Promise<BuryOutcome> {
  const { sessionId, executionId } = message;
  for (let race = 0; race < MAX_RACES; race++) {
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
      case 'publish_again':
        await publishIteration(deps.publisher, stored.value);
        return decision;
      case 'busy': {
        const retryAfterMs = decision.until.getTime() - now.getTime();
        const text = `a copy of this dead letter is at work on execution ${executionId}`;
        throw new RetryableError('EXECUTION_BUSY', text, { retryAfterMs });
      }
      case 'end': {
        // A document of newer code is no fault of the message: it waits for that code (SCHEMA_TOO_NEW).
        await loadConversation(deps.store, sessionId, executionId);
        const execution = await endOpen(stored, decision.ending, deps);
        if (execution !== undefined) return { kind: 'ended', execution };
      }
    }
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    `execution ${executionId} kept changing under ${MAX_RACES} tries`,
  );
}
