// A cheap model summarises a long result, if its server asks for it; as untrusted as the result.

import type { LlmRequest } from '../../core/contract/llm.ts';
import type { LargeResult, ToolCall } from '../../core/contract/tools.ts';
import { InquestError, RetryableError } from '../../core/errors.ts';
import type { ExecutionBatch } from '../../core/kernel/conversation/executionBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { callModel } from '../../core/kernel/inline/callModel.ts';
import { afterCall, interactionWrite, type ModelCall } from '../../core/kernel/model/modelCall.ts';
import { callTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import { budgetNotice } from '../../core/kernel/tokens/tokenBudget.ts';
import type { Reservation, TokenLedger } from '../../core/kernel/tokens/tokenLedger.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { type Failure, toStoredFailure } from '../../core/schema/common.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { maskAnswer } from '../../masking/answer/maskAnswer.ts';
import { summaryPrompt, summarySystemPrompt } from '../../prompt/largeResult.ts';
import { secondsText } from '../../text/amounts.ts';
import { limitText } from '../../text/limitText.ts';
import { runGradually } from '../../text/yieldingSteps.ts';
import { cutSteps } from './cutResult.ts';

/** Limit of the result in the prompt: about 100,000 tokens. */
const SHOWN_BYTES = 400_000;
/** Limits of a call's arguments in the prompt, and of a summary, in UTF-8 bytes. */
const CALL_BYTES = 4_000;
const SUMMARY_BYTES = 16_000;
/** A summary gets at most `MAX_MS` and half of the remaining time; under `MIN_MS` it is skipped. */
const MAX_MS = 60_000;
const MIN_MS = 5_000;

/** The outcome of a request for a summary. */
interface Summary {
  /** The model of the server's `summarizeWith`. */
  model: ModelSettings;
  /** The ended call, for its interaction record. */
  call: ModelCall;
  /** Masked, with hidden characters made visible; undefined if the call failed. */
  text?: string;
  /** Why there is no summary. */
  failure?: Failure;
  /** UTF-8 bytes of the tool's whole output. */
  originalBytes: number;
}

/**
 * Requests a summary. A failure is returned, not thrown.
 * @returns undefined if there is no time for it, or no room in the tokens of the session or the day.
 * @throws the lease's reason when it is lost.
 */
export async function summarizeResult(
  { held, budget, dataNonce: nonce, masker, deps, ...context }: IterationContext,
  { name, arguments: args }: ToolCall,
  large: LargeResult,
  model: ModelSettings,
): Promise<Summary | undefined> {
  const execution = held.current();
  const now = deps.clock.now().getTime();
  const ms = Math.min(MAX_MS, Math.floor((budget.until.getTime() - now) / 2));
  if (ms < MIN_MS || budget.signal.aborted || execution.budgetReached !== null) return undefined;
  const shown = await runGradually(cutSteps(large.text, SHOWN_BYTES, `[${large.bytes} bytes]`));
  const shortened = { name, arguments: limitText(args, CALL_BYTES).content };
  const request = {
    model,
    messages: [
      textMessage('system', summarySystemPrompt(nonce)),
      textMessage('user', summaryPrompt(shortened, shown, nonce)),
    ],
    tools: [],
  };
  const reservation = await reserveSummary(request, context.ledger);
  if (reservation === undefined) return undefined;
  const limit = new AbortController();
  const cancel = deps.clock.after(ms, () =>
    limit.abort(new RetryableError('MODEL_TIMEOUT', `no summary within ${secondsText(ms)}.`)),
  );
  held.check();
  const signal = AbortSignal.any([budget.signal, limit.signal]);
  const until = new Date(now + ms);
  const call = await callModel(
    request,
    { mode: 'investigate', lastMessage: execution.lastMessage, reservation },
    { guidance: context.guidance, deps, budget: { signal, until, stop: cancel } },
  ).finally(cancel);
  if (held.signal.aborted) throw held.signal.reason;
  const summary: Summary = { model, call, originalBytes: large.bytes };
  if (!call.outcome.ok) {
    const { error } = call.outcome;
    // Any other error is a bug in this code.
    if (!(error instanceof InquestError)) throw error;
    const { sessionId, executionId, iteration } = execution;
    const fields = { sessionId, executionId, iteration, model: model.model, err: error };
    deps.log.warn(fields, 'a tool result could not be summarised; it is shown in part');
    return { ...summary, failure: toStoredFailure(error, (text) => masker.mask(text).text) };
  }
  const { response } = maskAnswer(call.outcome.response, masker);
  const text = limitText(response.text.trim(), Math.min(SUMMARY_BYTES, large.maxBytes)).content;
  if (text === '')
    return { ...summary, failure: { code: 'MODEL_EMPTY_ANSWER', message: 'The summary held no text.' } };
  return { ...summary, text: response.truncated ? `${text}\n[The summary was cut off.]` : text };
}

/** Reserves a summary's tokens; undefined if budgets lack room beside the conclusions. */
async function reserveSummary(request: LlmRequest, ledger: TokenLedger): Promise<Reservation | undefined> {
  const { input, output } = callTokens(request);
  const tokens = input + output;
  try {
    const outcome = await ledger.reserve({ tokens, conclusion: tokens });
    return outcome.kind === 'reserved' ? outcome : undefined;
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    return undefined;
  }
}

/** Appends the event and the record of the call. Returns the execution with its tokens and cost. */
export function appendSummary(
  { masker }: IterationContext,
  { name, callId, resultEvent, resultMessage }: PendingCall,
  { model, call, text, failure, originalBytes }: Summary,
  current: Execution,
  batch: ExecutionBatch,
): Execution {
  const counted: Execution = { ...current, ...afterCall(current, call, model) };
  if (text !== undefined) {
    batch.appendEvent({
      eventType: 'mcp_tool_summary',
      content: text,
      metadata: { toolName: name, callId, originalBytes, summaryOf: resultEvent },
    });
  }
  if (counted.budgetReached !== null && current.budgetReached === null)
    batch.appendEvent(budgetNotice(counted.budgetReached, counted.limits));
  batch.writes.push(
    interactionWrite(
      current,
      { agent: { model }, controller: { interactionType: 'summarization' }, masker },
      call,
      { failure: failure ?? null, events: [], kind: `r${resultMessage}` },
    ),
  );
  return counted;
}
