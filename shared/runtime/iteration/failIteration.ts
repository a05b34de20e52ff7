// Records a failed model call, or a connection that ran out of time, in the timeline and in the conversation. The failure costs the iteration,
// and ends the execution when another attempt cannot help.

import { type ErrorCode, InquestError, RetryableError, TerminalError } from '../../errors.ts';
import { failureOf, isTerminal, type TerminalStatus } from '../../schema/common.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { isTimeout } from './budget.ts';
import { commitBatch } from './commitBatch.ts';
import type { IterationContext } from './context.ts';
import { afterCall, interactionWrite, type ModelCall } from './modelCall.ts';
import { endWithFailure, finishIteration } from './nextIteration.ts';
import { PAUSE_MS } from './retryLater.ts';
import { budgetNotice } from './tokenBudget.ts';

/**
 * Commits the failure. Terminal errors and a failed conclusion end the execution; others cost one iteration.
 * @param call the model call that failed; absent when the model was never asked.
 * @param prelude messages that were sent with the request and are not stored yet.
 * @throws LeaseLostError when another writer changed the execution; nothing was written then. Any `error` that is not an
 *   `InquestError`, unchanged.
 */
export async function failIteration(
  context: IterationContext,
  error: unknown,
  call?: ModelCall,
  prelude: MessageDraft[] = [],
): Promise<void> {
  const { held, controller, masker, deps } = context;
  // Any other error is a bug in this code, which the model cannot correct.
  if (!(error instanceof InquestError)) throw error;
  const failure = failureOf(error, (text) => masker.mask(text).text);
  const endStatus = endStatusOf(error, controller.loops, call);

  await commitBatch(held, deps, (current, batch) => {
    for (const draft of prelude) batch.appendMessage(draft);
    const failed = {
      ...current,
      ...(call && afterCall(current, call, context.agent.model)),
      lastInteractionFailed: true,
      lastErrorMessage: failure.message,
    };
    if (call !== undefined) {
      batch.writes.push(interactionWrite(current, context, call, { failure, events: [] }));
    }
    if (endStatus !== undefined) return endWithFailure(failed, { status: endStatus, failure }, batch);
    batch.appendEvent({
      eventType: 'error',
      status: isTimeout(error) ? 'timed_out' : 'failed',
      content: failure.message,
      metadata: { code: failure.code, retryable: true, recoverable: true, iteration: current.iteration },
    });
    if (failed.budgetReached !== null && current.budgetReached === null)
      batch.appendEvent(budgetNotice(failed.budgetReached, failed.limits));
    batch.appendMessage(controller.explainFailure(failure.message));
    const next = finishIteration(failed, batch, {
      timedOut: isTimeout(error),
      answeredNothing: error.code === 'MODEL_EMPTY_ANSWER',
    });
    return isTerminal(next.status) ? next : { ...next, notBefore: pauseAfter(error, batch.now) };
  });
}

/** Errors of a service that is down or out of quota: without a pause, all iterations would fail within a second. */
const NEEDS_PAUSE: ReadonlySet<ErrorCode> = new Set(['MODEL_QUOTA', 'MODEL_UNAVAILABLE']);

/** When the next iteration may start after this error; null for at once. */
function pauseAfter(error: InquestError, now: Date): Date | null {
  const asked = error instanceof RetryableError ? error.retryAfterMs : undefined;
  const pause = asked ?? (NEEDS_PAUSE.has(error.code) ? PAUSE_MS : undefined);
  return pause === undefined ? null : new Date(now.getTime() + pause);
}

/** The status the failure ends the execution with; undefined when another iteration may follow. */
function endStatusOf(
  error: InquestError,
  loops: boolean,
  call: ModelCall | undefined,
): TerminalStatus | undefined {
  if (error instanceof TerminalError) return error.code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed';
  return !loops || call?.mode === 'conclude' ? 'failed' : undefined;
}
