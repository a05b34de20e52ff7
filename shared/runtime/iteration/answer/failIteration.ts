// Records a failed model call, or a connection that ran out of time. The agent's next model takes over where it may; else an
// execution whose model did not answer waits, and any other failure costs the iteration, or ends the execution when another
// attempt cannot help.

import { InquestError, RetryableError, TerminalError } from '../../../errors.ts';
import { failureOf, isTerminal, type TerminalStatus } from '../../../schema/common.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { MessageDraft } from '../../../schema/message.ts';
import { isTimeout } from '../../kernel/execution/budget.ts';
import { commitCall } from '../../kernel/execution/commitCall.ts';
import type { IterationContext } from '../../kernel/execution/context.ts';
import { afterCall, interactionWrite, type ModelCall } from '../../kernel/model/modelCall.ts';
import { endWithFailure, finishIteration } from '../../kernel/state/nextIteration.ts';
import { PAUSE_MS } from '../../kernel/state/retryLater.ts';
import { noteBudget } from '../../kernel/tokens/tokenBudget.ts';
import { fallbackNotice, modelLabel, nextModel, withNextModel } from '../../features/modelOutages/fallback.ts';
import { isOutage, waitForModel } from '../../features/modelOutages/waitForModel.ts';

/**
 * Commits the failure. Where another model takes over, the conversation stays as it is, and the next iteration asks that
 * model. A model that did not answer is waited for. Else terminal errors and a failed conclusion end the execution; others
 * cost one iteration.
 * @param call the model call that failed; absent when the model was never asked.
 * @param prelude messages that were sent with the request and are not stored yet.
 * @throws LeaseLostError when another writer changed the execution; nothing was written then. What `waitForModel` throws.
 *   Any `error` that is not an `InquestError`, unchanged.
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
  const outage = call !== undefined && isOutage(error, call);
  const { agent } = context;
  const next = call && nextModel(error, agent, withSilence(held.current()));
  if (next === undefined && outage && (await waitForModel(context, error, failure, call))) return;
  const endStatus = outage ? 'failed' : endStatusOf(error, controller.loops, call);

  await commitCall(context, (current, batch) => {
    const called = { ...current, outage: null, ...(call && afterCall(current, call, agent.model)) };
    if (call !== undefined) {
      batch.writes.push(interactionWrite(current, context, call, { failure, events: [] }));
    }
    if (next !== undefined) {
      // What people said is said to the next model, too; a forced conclusion is asked for again.
      for (const draft of context.guidance.messages) batch.appendMessage(draft);
      batch.appendEvent(fallbackNotice(agent.model, next, failure));
      noteBudget(current, called, batch);
      return finishIteration(withNextModel(called), batch);
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
      // A connection to tools that ran out of time is no time-out of the model.
      timedOut: call !== undefined && isTimeout(error),
      answeredNothing: error.code === 'MODEL_EMPTY_ANSWER',
    });
    return isTerminal(finished.status) ? finished : { ...finished, notBefore: pauseAfter(error, batch.now) };
  });
  if (next === undefined) return;
  const { sessionId, executionId, iteration } = held.current();
  const models = { from: modelLabel(agent.model), to: modelLabel(next) };
  deps.log.warn(
    { sessionId, executionId, iteration, ...models, code: failure.code },
    'another model takes over',
  );
}

/** When the next iteration may start after this error; null for at once. */
function pauseAfter(error: InquestError, now: Date): Date | null {
  const asked = error instanceof RetryableError ? error.retryAfterMs : undefined;
  const pause =
    asked ?? (error.code === 'MODEL_UNAVAILABLE' || error.code === 'MODEL_QUOTA' ? PAUSE_MS : undefined);
  return pause === undefined ? null : new Date(now.getTime() + pause);
}

/** The execution with an outage counted as a time-out: a model that says nothing twice is given up for the next one. */
function withSilence(execution: Execution): Execution {
  const { outage, consecutiveTimeouts } = execution;
  return outage === null ? execution : { ...execution, consecutiveTimeouts: consecutiveTimeouts + 1 };
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
