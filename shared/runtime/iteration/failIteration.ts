// An iteration whose model call, or whose way to the tools, failed: recorded in the timeline and in the conversation, counted, and
// either the end of the execution or the start of the next iteration.

import { type ErrorCode, InquestError, RetryableError, TerminalError } from '../../errors.ts';
import { addTokens, failureOf, isTerminal, NO_TOKENS, type TerminalStatus } from '../../schema/common.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { isTimeout } from './budget.ts';
import type { IterationContext } from './context.ts';
import { entriesFor } from './entries.ts';
import { interactionWrite, type ModelCall, tokensOf } from './modelCall.ts';
import { endWith, finishIteration } from './nextIteration.ts';

/**
 * Commits the failure. Terminal errors and a failed conclusion end the execution; others cost one iteration.
 * @param call the model call that failed; absent when the model was never asked.
 * @throws LeaseLostError when the execution changed meanwhile; nothing was written then.
 */
export async function failIteration(
  context: IterationContext,
  error: unknown,
  call?: ModelCall,
  prelude: MessageDraft[] = [],
): Promise<void> {
  const { held, controller, deps } = context;
  const now = deps.clock.now();
  // Anything else is a fault of ours; the model can do nothing about it.
  if (!(error instanceof InquestError)) throw error;
  const failure = failureOf(error);
  const final = endingOf(error, controller.loops, call);

  await held.commit((current) => {
    const entries = entriesFor(current, now);
    for (const draft of prelude) entries.message(draft);
    const failed = {
      ...current,
      tokens: addTokens(current.tokens, (call && tokensOf(call)) ?? NO_TOKENS),
      lastInteractionFailed: true,
      lastErrorMessage: failure.message,
    };
    const interaction = call === undefined ? [] : [interactionWrite(current, context, call, failure)];
    if (final !== undefined) {
      const execution = endWith(failed, { status: final, failure }, entries, now);
      return { execution, writes: [...entries.writes, ...interaction] };
    }
    entries.event({
      eventType: 'error',
      status: isTimeout(error) ? 'timed_out' : 'failed',
      content: failure.message,
      metadata: { code: failure.code, retryable: true, recoverable: true, iteration: current.iteration },
    });
    entries.message(controller.explainFailure(failure.message));
    const next = finishIteration(failed, entries, now, isTimeout(error));
    const execution = isTerminal(next.status) ? next : { ...next, notBefore: pauseAfter(error, now) };
    return { execution, writes: [...entries.writes, ...interaction] };
  });
}

/** What fails because a service is down or a quota is used up needs time, or all iterations are gone in a second. */
const NEEDS_TIME: ReadonlySet<ErrorCode> = new Set([
  'MODEL_QUOTA',
  'MODEL_UNAVAILABLE',
  'TOOL_SERVER_UNAVAILABLE',
]);
/** As long as Pub/Sub's first back-off. */
const PAUSE_MS = 10_000;

function pauseAfter(error: InquestError, now: Date): Date | null {
  const asked = error instanceof RetryableError ? error.retryAfterMs : undefined;
  const pause = asked ?? (NEEDS_TIME.has(error.code) ? PAUSE_MS : undefined);
  return pause === undefined ? null : new Date(now.getTime() + pause);
}

/** The status the failure ends the execution with; undefined when the next iteration may do better. */
function endingOf(
  error: InquestError,
  loops: boolean,
  call: ModelCall | undefined,
): TerminalStatus | undefined {
  if (error instanceof TerminalError) return error.code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed';
  return !loops || call?.mode === 'conclude' ? 'failed' : undefined;
}
