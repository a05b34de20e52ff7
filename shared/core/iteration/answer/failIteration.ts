// Records a failed model call, or a connection that timed out. A feature can handle the failure of a call;
// otherwise it costs the iteration, or ends the execution if another attempt cannot help.

import { InquestError, RetryableError, TerminalError } from '../../errors.ts';
import { isTimeout } from '../../kernel/execution/budget.ts';
import { commitCall } from '../../kernel/execution/commitCall.ts';
import { afterCall, interactionWrite, type ModelCall } from '../../kernel/model/modelCall.ts';
import { endWithFailure, finishIteration } from '../../kernel/state/nextIteration.ts';
import { PAUSE_MS } from '../../kernel/state/retryLater.ts';
import { noteBudget } from '../../kernel/tokens/tokenBudget.ts';
import { isTerminal, type TerminalStatus, toStoredFailure } from '../../schema/common.ts';
import type { MessageDraft } from '../../schema/message.ts';
import type { RunContext } from '../context/features.ts';

/**
 * Commits the failure, unless a feature has handled it. Terminal errors and a failed conclusion end the
 * execution; others cost one iteration.
 * @param call the model call that failed; absent when the model was never asked.
 * @param prelude messages that were sent with the request and are not stored yet.
 * @throws LeaseLostError when another writer changed the execution; nothing was written. As
 *   `Feature.afterFailure`. Any `error` that is not an `InquestError`, unchanged.
 */
export async function failIteration(
  context: RunContext,
  error: unknown,
  call?: ModelCall,
  prelude: MessageDraft[] = [],
): Promise<void> {
  const { controller, masker, agent, features } = context;
  // Any other error is a bug in this code, which the model cannot correct.
  if (!(error instanceof InquestError)) throw error;
  const masked = toStoredFailure(error, (text) => masker.mask(text).text);
  const reaction = call && (await features.afterFailure(context, { error, failure: masked, call }));
  if (reaction === 'handled') return;
  const failure = reaction?.fatal ?? masked;
  const endStatus = reaction === undefined ? decideEndStatus(error, controller.loops, call) : 'failed';

  await commitCall(context, (current, batch) => {
    const called = { ...current, outage: null, ...(call && afterCall(current, call, agent.model)) };
    if (call !== undefined) {
      batch.writes.push(interactionWrite(current, context, call, { failure, events: [] }));
    }
    for (const draft of prelude) batch.appendMessage(draft);
    const failed = { ...called, lastInteractionFailed: true, lastErrorMessage: failure.message };
    if (endStatus !== undefined) return endWithFailure(failed, { status: endStatus, failure }, batch);
    batch.appendEvent({
      eventType: 'error',
      status: isTimeout(error) ? 'timed_out' : 'failed',
      content: failure.message,
      metadata: { code: failure.code, retryable: true, recoverable: true, iteration: current.iteration },
    });
    noteBudget(current, failed, batch);
    batch.appendMessage(controller.explainFailure(failure.message));
    const finished = finishIteration(failed, batch, {
      // A timed-out connection to tools does not count as a time-out of the model.
      timedOut: call !== undefined && isTimeout(error),
      answeredNothing: error.code === 'MODEL_EMPTY_ANSWER',
    });
    return isTerminal(finished.status) ? finished : { ...finished, notBefore: pauseAfter(error, batch.now) };
  });
}

/** When the next iteration can start after this error; null for immediately. */
function pauseAfter(error: InquestError, now: Date): Date | null {
  const requestedMs = error instanceof RetryableError ? error.retryAfterMs : undefined;
  const pause =
    requestedMs ??
    (error.code === 'MODEL_UNAVAILABLE' || error.code === 'MODEL_QUOTA' ? PAUSE_MS : undefined);
  return pause === undefined ? null : new Date(now.getTime() + pause);
}

/** The status with which the failure ends the execution; undefined if another iteration can follow. */
function decideEndStatus(
  error: InquestError,
  loops: boolean,
  call: ModelCall | undefined,
): TerminalStatus | undefined {
  if (error instanceof TerminalError) return error.code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed';
  return !loops || call?.mode === 'conclude' ? 'failed' : undefined;
}
