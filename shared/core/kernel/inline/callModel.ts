// The inline way of waiting for a model: the process asks, and holds its lease until the answer comes.

import type { CallReport, LlmRequest } from '../../contract/llm.ts';
import type { Execution } from '../../schema/execution.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { IterationContext } from '../execution/context.ts';
import { isForQuota } from '../execution/newerDocument.ts';
import { type CallOptions, type ModelCall, sumCallTokens } from '../model/modelCall.ts';
import { callTokens } from '../tokens/estimateTokens.ts';
import { limitSilence } from './limitSilence.ts';

/** Asks the model. A failure is returned as the outcome, not thrown. */
export async function callModel(
  request: LlmRequest,
  { mode, lastMessage, reservation, onProgress }: CallOptions,
  {
    held,
    budget,
    guidance,
    deps,
  }: Pick<IterationContext, 'budget' | 'guidance' | 'deps'> & Partial<Pick<IterationContext, 'held'>>,
): Promise<ModelCall> {
  const { llm, clock, failpoint } = deps;
  const startedAt = clock.now();
  let extended = 0;
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const silence = limitSilence(held?.current().limits ?? {}, budget.signal, report, clock);
  const answering = llm
    .generate(withoutSlowTier(request, held?.current()), {
      signal: silence.signal,
      onBytes: silence.onBytes,
      deadline: budget.until.getTime(),
      report,
      mayRepeat: async () => {
        const used = report.usage?.total ?? uncountedTokens(request, report);
        const isReserved = await reservation.extend(used - extended, report.attemptErrors.at(-1));
        extended = Math.max(extended, used);
        return isReserved;
      },
      ...(onProgress && { onProgress }),
    })
    .then(
      (response): ModelCall['outcome'] => ({ ok: true, response }),
      (error: unknown): ModelCall['outcome'] => ({ ok: false, error }),
    );
  await failpoint?.(CRASH_POINTS.duringModelCall);
  const outcome = await answering;
  silence.stop();
  const call: ModelCall = {
    mode,
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    messageCount: request.messages.length,
    lastMessage,
    guidanceTaken: guidance.taken,
    report,
    listPrices: deps.listPrices?.(request.model),
    outcome,
  };
  reservation.settle(sumCallTokens(call)?.total ?? uncountedTokens(request, report));
  return call;
}

/** The request at the standard tier after a time-out or outage: flex can outlast an iteration. */
function withoutSlowTier(request: LlmRequest, execution: Execution | undefined): LlmRequest {
  const { model } = request;
  const { consecutiveTimeouts = 0, outage = null } = execution ?? {};
  const isLate = consecutiveTimeouts > 0 || (outage !== null && !isForQuota(outage));
  if (model.serviceTier !== 'flex' || !isLate) return request;
  return { ...request, model: { ...model, serviceTier: 'standard' } };
}

/** A call's tokens without the provider's counts: none without answer, else request and received part. */
function uncountedTokens(request: LlmRequest, { responseBytes }: CallReport): number {
  if (responseBytes === 0) return 0;
  const { input, output } = callTokens(request);
  return input + Math.min(output, Math.ceil(responseBytes / 2));
}
