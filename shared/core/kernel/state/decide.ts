// Decides how to handle an iteration message, from the state of its execution only.

import type { IterationMode } from '../../contract/controller.ts';
import { isHeld } from '../../contract/lease.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ConclusionReason } from '../../prompts/wording.ts';
import { type Failure, isTerminal, type TerminalStatus } from '../../schema/common.ts';
import { countedIterations, type Execution, isCollecting } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';

/** Two consecutive time-outs of model calls end an execution, or make it conclude (`afterFailure`). */
export const MAX_CONSECUTIVE_TIMEOUTS = 2;

/** After two consecutive iterations with an empty answer, the model is asked to conclude. */
const MAX_EMPTY_ANSWERS = 2;

/** The end of an execution without an answer. */
export interface Ending {
  /** The final status of the execution. */
  status: TerminalStatus;
  /** The reason, as it is stored and shown. */
  failure: Failure;
}

/** Decisions that leave the execution unchanged. */
export type DecisionWithoutWork =
  /** The message names an iteration that was never scheduled: it is recorded and acknowledged. */
  | { kind: 'reject_ahead' }
  /** The execution has ended; at most its stage still has to advance. */
  | { kind: 'already_ended' }
  /** A duplicate for an earlier iteration; `republish` if its successor might be unpublished. */
  | { kind: 'late_copy'; republish: boolean }
  /** Calls wait for children or people, whose end settles the calls: nothing is claimed. */
  | { kind: 'waits' }
  /** The session is paused: nothing is claimed. Resuming it publishes the message again. */
  | { kind: 'paused' }
  /** The model does not answer, and the pause is long: the sweep publishes at its end. */
  | { kind: 'parked' };

/** The decision about a delivered message. */
export type Decision =
  | DecisionWithoutWork
  /**
   * Another process holds the lease until `until`. `spare` if it handles a newer message about this
   * iteration: that message is delivered again if its holder dies, so this one is not needed.
   */
  | { kind: 'busy'; until: Date; spare: boolean }
  /** The last iteration failed and requested a pause until `until`. */
  | { kind: 'wait'; until: Date }
  | { kind: 'end'; ending: Ending }
  | Work;

/** Work that needs the lease. */
export type Work =
  | { kind: 'ask_model'; mode: IterationMode }
  /** The calls that the chain names run before the model is asked for the first time. */
  | { kind: 'collect' }
  /** The answer, or the collected calls, are stored and some calls have no result yet. */
  | { kind: 'run_tools' };

/** How executions of a cancelled session end. */
export const CANCELLED = makeEnding('cancelled', 'CANCELLED', 'The investigation was cancelled.');

/**
 * Decides from state only; `now` is compared with the lease, the pause and the deadline.
 * @param messageId Pub/Sub's id of the delivered message; null if unknown, and for a dead letter.
 * @param isPaused whether the session is paused. Its deadline and its waits continue.
 */
export function decideIteration(
  execution: Execution,
  message: IterationMessage,
  now: Date,
  messageId: string | null,
  isPaused = false,
): Decision {
  if (isTerminal(execution.status)) return { kind: 'already_ended' };
  if (message.iteration < execution.iteration) {
    return { kind: 'late_copy', republish: execution.publishedIteration < execution.iteration };
  }
  if (message.iteration > execution.iteration) return { kind: 'reject_ahead' };
  if (execution.lease !== null && isHeld(execution.lease, now)) {
    const { until, messageId: heldFor } = execution.lease;
    return { kind: 'busy', until, spare: isOlder(messageId, heldFor) };
  }
  const ending = endingDue(execution, now);
  if (ending !== undefined) return { kind: 'end', ending };
  if (isPaused && execution.status !== 'waiting') return { kind: 'paused' };
  // A message that comes earlier asks whether the model has answered.
  if (execution.notBefore !== null && execution.notBefore > now && !isThinking(execution)) {
    return isParked(execution) ? { kind: 'parked' } : { kind: 'wait', until: execution.notBefore };
  }
  if (execution.status === 'waiting') return { kind: 'waits' };
  if (execution.pendingCalls.length > 0) return { kind: 'run_tools' };
  const mode = iterationMode(execution);
  // An execution that concludes at once because no tokens are left collects nothing.
  return mode === 'investigate' && isCollecting(execution)
    ? { kind: 'collect' }
    : { kind: 'ask_model', mode };
}

/**
 * Whether a message was published before `other`. Pub/Sub's ids are increasing numbers. An older message can
 * be settled already (a copy of a dead letter), so it is no guarantee of a redelivery, and only the newest
 * one must never be dropped.
 */
function isOlder(messageId: string | null, other: string | null): boolean {
  const numbers = /^\d+$/;
  if (messageId === null || other === null || !numbers.test(messageId) || !numbers.test(other)) return false;
  return BigInt(messageId) < BigInt(other);
}

/** Whether an execution pauses without a message: the sweep publishes it when its pause ends. */
export function isParked(execution: Pick<Execution, 'outage' | 'notBefore' | 'waitingSince'>): boolean {
  return execution.notBefore !== null && (execution.outage?.parked === true || isThinking(execution));
}

/** The kind of a wait for a model that answers while nothing runs. */
export const THOUGHT = 'thought';

/** Whether a model thinks about an execution while nothing runs. */
export function isThinking({ waitingSince }: Pick<Execution, 'waitingSince'>): boolean {
  return waitingSince?.kind === THOUGHT;
}

/** The mode of the current iteration. */
export function iterationMode(execution: Execution): IterationMode {
  return conclusionReason(execution) === undefined ? 'investigate' : 'conclude';
}

/** Why the current iteration is the forced conclusion; undefined if it is an ordinary one. */
export function conclusionReason(execution: Execution): ConclusionReason | undefined {
  if (execution.emptyAnswers >= MAX_EMPTY_ANSWERS) return 'empty_answers';
  if (execution.consecutiveTimeouts >= MAX_CONSECUTIVE_TIMEOUTS) return 'time_outs';
  if (countedIterations(execution) > execution.limits.maxIterations) return 'iterations_used';
  return execution.budgetReached === null ? undefined : 'budget';
}

/** The ending that is due before any further work; undefined if the execution can continue. */
export function endingDue(execution: Execution, now: Date): Ending | undefined {
  const { maxIterations, afterFailure } = execution.limits;
  if (now >= execution.deadline) {
    // The deadline of its stage, or of the session if the stage has none or the session's is earlier.
    const message = `The agent did not finish before its deadline (${execution.deadline.toISOString()}).${outageText(execution)}`;
    return makeEnding('timed_out', 'DEADLINE_EXCEEDED', message);
  }
  if (execution.consecutiveTimeouts >= MAX_CONSECUTIVE_TIMEOUTS && afterFailure === 'fail') {
    return makeEnding(
      'failed',
      'ITERATION_TIMEOUT',
      `${execution.consecutiveTimeouts} time-outs in a row. The last one: ${execution.lastErrorMessage ?? 'unknown'}`,
    );
  }
  const isOut = conclusionReason(execution) === 'iterations_used';
  if (isOut && execution.lastInteractionFailed && afterFailure === 'fail') {
    return makeEnding(
      'failed',
      'MAX_ITERATIONS',
      `All ${maxIterations} iterations are used up and the last one failed: ${execution.lastErrorMessage ?? 'unknown'}`,
    );
  }
  return undefined;
}

/** The ending of executions and sessions that are open at the deadline. */
export function deadlineExceeded(deadline: Date): Ending {
  const message = `The investigation did not finish before its deadline (${deadline.toISOString()}).`;
  return makeEnding('timed_out', 'DEADLINE_EXCEEDED', message);
}

function outageText({ outage }: Execution): string {
  if (outage === null) return '';
  if (outage.code === 'SCHEMA_TOO_NEW')
    return ` It has waited for newer code since ${outage.since.toISOString()}.`;
  if (outage.code === 'QUOTA_REACHED')
    return ` It has waited for a quota since ${outage.since.toISOString()}.`;
  return ` Its model has not answered since ${outage.since.toISOString()} (${outage.code}).`;
}

function makeEnding(status: TerminalStatus, code: ErrorCode, message: string): Ending {
  return { status, failure: { code, message } };
}
