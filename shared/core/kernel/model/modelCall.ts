// A model call that has ended: its record, tokens and costs, for success and failure.

import { limitText } from '../../../text/limitText.ts';
import type { IterationMode } from '../../contract/controller.ts';
import type { CallReport, GenerateOptions, LlmResponse } from '../../contract/llm.ts';
import { createDocument, type Write } from '../../contract/store.ts';
import type { Reservation } from '../../kernel/tokens/tokenLedger.ts';
import type { Agent, ModelSettings } from '../../schema/agent.ts';
import { addTokens, type Failure, NO_TOKENS, type TokenUsage } from '../../schema/common.ts';
import { interactionType, paths } from '../../schema/coreDocuments.ts';
import { addCosts, costOfCall, type ModelPrice } from '../../schema/cost.ts';
import type { Execution } from '../../schema/execution.ts';
import { numberedId } from '../../schema/ids.ts';
import type { Interaction } from '../../schema/interaction.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import type { IterationContext } from '../execution/context.ts';
import { isSessionUsedUp } from '../tokens/tokenBudget.ts';
import { codeRecord, groundingRecord, showNativeTools } from './nativeToolRecord.ts';

/** Limit of a thought in its interaction, in UTF-8 bytes; the conversation has the whole. */
const MAX_THINKING_BYTES = 100_000;

/** A model call that has ended. */
export interface ModelCall {
  /** Whether the request made the agent conclude. */
  mode: IterationMode;
  /** When the call started. */
  startedAt: Date;
  /** Milliseconds until the answer or the failure, all attempts included. */
  durationMs: number;
  /** Number of messages in the request. */
  messageCount: number;
  /** Number of the last message of the execution that was sent, stored or not. */
  lastMessage: number;
  /** Number of the last guidance that was sent, stored or not. */
  guidanceTaken: number;
  /** Attempts, bytes and tokens. */
  report: CallReport;
  /** The published prices of the model, for settings without prices. */
  listPrices?: readonly ModelPrice[] | undefined;
  /** The answer, not yet masked, or the error. */
  outcome: { ok: true; response: LlmResponse } | { ok: false; error: unknown };
}

/** How a call is counted and shown. */
export interface CallOptions extends Pick<ModelCall, 'mode' | 'lastMessage'> {
  /** The tokens of the request and its answer. They are settled when the call ends. */
  reservation: Reservation;
  /** Receives the streaming answer; absent if it is not shown. */
  onProgress?: GenerateOptions['onProgress'] | undefined;
}

/** A call's tokens over all attempts: failed ones are billed. Null without the provider's counts. */
export function sumCallTokens(call: ModelCall): TokenUsage | null {
  return call.report.usage ?? (call.outcome.ok ? call.outcome.response.usage : null);
}

/** US dollars; null if unknown. A call that failed before its answer costs nothing with a price. */
function computeCallCost(call: ModelCall, { prices }: ModelSettings): number | null {
  const isUnanswered = !call.outcome.ok && call.report.responseBytes === 0;
  const tokens = sumCallTokens(call) ?? (isUnanswered ? NO_TOKENS : null);
  return costOfCall(tokens, prices ?? call.listPrices, call.startedAt, call.report.serviceTier);
}

/** The fields of an execution that a model call changes, for success and failure. */
export function afterCall(
  execution: Execution,
  call: ModelCall,
  model: ModelSettings,
): Pick<Execution, 'tokens' | 'cost' | 'budgetReached' | 'guidanceTaken' | 'signaturesRefusedUpTo'> {
  const usd = computeCallCost(call, model);
  const tokens = addTokens(execution.tokens, sumCallTokens(call) ?? NO_TOKENS);
  const isUsedUp = isSessionUsedUp(execution.limits, execution.tokensBefore + tokens.total);
  return {
    tokens,
    guidanceTaken: call.guidanceTaken,
    budgetReached: execution.budgetReached ?? (isUsedUp ? 'sessionTokens' : null),
    cost: addCosts(execution.cost, { usd: usd ?? 0, unpricedCalls: usd === null ? 1 : 0 }),
    signaturesRefusedUpTo:
      call.report.repairedSignatures === true ? call.lastMessage : execution.signaturesRefusedUpTo,
  };
}

/**
 * Returns the write of a call's interaction document.
 * @param recorded the recorded failure of the call, or null, and the events of its answer; `kind` ends the
 *   document's id if it is not the iteration's own call.
 */
export function interactionWrite(
  execution: Execution,
  {
    agent,
    controller,
    masker,
  }: {
    agent: Pick<Agent, 'model'>;
    controller: Pick<Interaction, 'interactionType'>;
    masker: IterationContext['masker'];
  },
  call: ModelCall,
  { failure, events, kind }: { failure: Failure | null; events: readonly EventDraft[]; kind?: string },
): Write {
  const { sessionId, executionId, iteration, expireAt } = execution;
  const response = call.outcome.ok ? call.outcome.response : undefined;
  const forced = call.mode === 'conclude';
  const interaction: Interaction = {
    sessionId,
    executionId,
    iteration,
    interactionType: forced ? 'forced_conclusion' : controller.interactionType,
    serviceTier: call.report.serviceTier ?? null,
    provider: call.report.provider ?? agent.model.provider,
    model: agent.model.model,
    modelVersion: response?.modelVersion ?? null,
    messageCount: call.messageCount,
    lastMessageId: numberedId(executionId, call.lastMessage),
    requestBytes: call.report.requestBytes,
    responseBytes: call.report.responseBytes,
    toolCallCount: response?.toolCalls.length ?? 0,
    codeExecutionCount: response?.codeExecutions.length ?? 0,
    groundingCount: response?.groundings.length ?? 0,
    codeExecutions: codeRecord(response?.codeExecutions ?? []),
    groundings: showNativeTools(events) ? [] : groundingRecord(response?.groundings ?? []),
    searchEntryPoint: agent.model.storeSearchEntryPoint ? (response?.searchEntryPoint ?? null) : null,
    thinking: response?.thinking ? limitText(response.thinking, MAX_THINKING_BYTES).content : null,
    tokens: sumCallTokens(call),
    costUsd: computeCallCost(call, agent.model),
    durationMs: Math.max(0, call.durationMs),
    finishReason: maskOrNull(response?.finishReason ?? call.report.finishReason, masker),
    attempts: Math.max(1, call.report.attempts),
    attemptErrors: call.report.attemptErrors.map((error) => masker.cleanText(error).text),
    attemptTimes: limitAttemptTimes(call),
    repairedSignatures: call.report.repairedSignatures ?? false,
    failure,
    expireAt,
    createdAt: call.startedAt,
  };
  const path = paths.interaction(sessionId, executionId, iteration, kind ?? kindInId(interaction));
  return createDocument(path, interactionType, interaction);
}

/** The times of attempts within the call. Clocks of tests can differ. */
function limitAttemptTimes({ report, startedAt, durationMs }: ModelCall): Interaction['attemptTimes'] {
  const within = (at: number): number =>
    Math.max(0, Math.min(Math.round(at - startedAt.getTime()), durationMs));
  return (report.attemptTimes ?? []).map(({ startedMs, endedMs, ...rest }) => ({
    ...rest,
    startedMs: within(startedMs),
    endedMs: within(endedMs),
  }));
}

/** The event of a call that another tier answered than requested; none if the same did. */
export function tierNotice(
  { model, serviceTier: requested = 'standard' }: ModelSettings,
  { serviceTier: answered = requested }: CallReport,
): EventDraft[] {
  if (answered === requested) return [];
  const content = `${model} did not answer at the service tier ${requested}; the tier ${answered} did, at its price.`;
  return [{ eventType: 'notice', content, metadata: { code: 'tier_changed', subject: model } }];
}

function kindInId({ interactionType: kind }: Interaction): string | undefined {
  return kind === 'forced_conclusion' || kind === 'executive_summary' ? kind : undefined;
}

function maskOrNull(text: string | null | undefined, masker: IterationContext['masker']): string | null {
  return text === null || text === undefined ? null : masker.cleanText(text).text;
}
