// One model call and its interaction record, whether it succeeded or not.

import type { TurnMode } from '../../contract/controller.ts';
import type { CallReport, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import { create, type Write } from '../../contract/store.ts';
import type { Failure, TokenUsage } from '../../schema/common.ts';
import { interactionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Interaction } from '../../schema/interaction.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { IterationContext } from './context.ts';

/** A model call that has ended. */
export interface ModelCall {
  mode: TurnMode;
  startedAt: Date;
  durationMs: number;
  messageCount: number;
  report: CallReport;
  outcome: { ok: true; response: LlmResponse } | { ok: false; error: unknown };
}

/** Asks the model. A failure is returned as the outcome, not thrown. */
export async function callModel(
  request: LlmRequest,
  mode: TurnMode,
  { budget, deps: { llm, clock, failpoint } }: IterationContext,
): Promise<ModelCall> {
  const startedAt = clock.now();
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const answering = llm
    .generate(request, { signal: budget.signal, deadline: budget.until.getTime(), report })
    .then(
      (response): ModelCall['outcome'] => ({ ok: true, response }),
      (error: unknown): ModelCall['outcome'] => ({ ok: false, error }),
    );
  await failpoint?.(CRASH_POINTS.duringModelCall);
  const outcome = await answering;
  return {
    mode,
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    messageCount: request.messages.length,
    report,
    outcome,
  };
}

/** The tokens of a call over all its attempts, because failed attempts are billed too. Null when the provider gave no counts. */
export function tokensOf(call: ModelCall): TokenUsage | null {
  return call.report.usage ?? (call.outcome.ok ? call.outcome.response.usage : null);
}

/** The write of a call's interaction document. `failure` is the failure the call was recorded as, or null. */
export function interactionWrite(
  execution: Execution,
  { agent, controller }: Pick<IterationContext, 'agent' | 'controller'>,
  call: ModelCall,
  failure: Failure | null,
): Write {
  const { sessionId, executionId, iteration, expireAt } = execution;
  const response = call.outcome.ok ? call.outcome.response : undefined;
  const forced = call.mode === 'conclude';
  const interaction: Interaction = {
    sessionId,
    executionId,
    iteration,
    interactionType: forced ? 'forced_conclusion' : controller.interactionType,
    model: agent.model.model,
    modelVersion: response?.modelVersion ?? null,
    messageCount: call.messageCount,
    requestBytes: call.report.requestBytes,
    responseBytes: call.report.responseBytes,
    toolCallCount: response?.toolCalls.length ?? 0,
    codeExecutionCount: response?.codeExecutions.length ?? 0,
    groundingCount: response?.groundings.length ?? 0,
    searchEntryPoint: agent.model.storeSearchEntryPoint ? (response?.searchEntryPoint ?? null) : null,
    thinking: response?.thinking || null,
    tokens: tokensOf(call),
    durationMs: Math.max(0, call.durationMs),
    finishReason: response?.finishReason ?? call.report.finishReason ?? null,
    attempts: Math.max(1, call.report.attempts),
    attemptErrors: call.report.attemptErrors,
    failure,
    expireAt,
    createdAt: call.startedAt,
  };
  const path = paths.interaction(sessionId, executionId, iteration, forced ? 'forced_conclusion' : undefined);
  return create(path, interactionType, interaction);
}
