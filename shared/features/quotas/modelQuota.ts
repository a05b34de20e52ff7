// Quotas of models: each request takes a part of the minute's quota before it is sent.

import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { Claimant, ModelQuota, Quotas } from '../../contract/quotas.ts';
import { isCritical } from '../../contract/severity.ts';
import type { LlmRequest } from '../../core/contract/llm.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Asking, BudgetFeature } from '../../core/kernel/feature/feature.ts';
import { describeInput } from '../../core/kernel/stageFeature.ts';
import { callTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import type { Reservation } from '../../core/kernel/tokens/tokenLedger.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { DEFAULT_TENANT } from '../../core/schema/session.ts';
import { readSession } from '../../kits/agents/extendDeadlines.ts';
import { modelAllowance } from '../../kits/quotas/quota.ts';
import { count, countUnits, type QuotaRequest, slowDown, takeQuota } from './takeQuota.ts';
import { findPlace, formatRequestName, waitForQuota } from './waitForQuota.ts';

/** Tokens of an answer as they are reserved: most answers have fewer, and the rest is corrected. */
const USUAL_ANSWER = 4_096;
/** A process works on few sessions at a time. */
const MAX_CLAIMANTS = 100;

/** The budgets with a quota for each request: a request without one waits, and its tokens are returned. */
export function withQuotas(budgets: BudgetFeature): BudgetFeature {
  return {
    ...budgets,
    async affordCall(context, conclusion, build) {
      const afforded = await budgets.affordCall(context, conclusion, build);
      if (afforded.kind === 'refused') return afforded;
      const { request } = afforded.asking;
      const tokens = () => reservedTokens(request);
      const taking = await modelRequest(context, request.model, tokens);
      if (taking === undefined) return afforded;
      const { quotas, wanted, quota } = taking;
      const taken = await takeQuota(wanted, quotas, context.deps);
      if (taken.kind === 'granted')
        return { ...afforded, reservation: counted(context, afforded, wanted, quotas) };
      afforded.reservation.settle(0);
      const subject = `${request.model.provider}/${request.model.model}`;
      const reason = `The quota of ${subject} for this minute (${describe(quota)}) is used up.`;
      const { until, place } = taken;
      const places = place === undefined ? {} : { [formatRequestName(context.held.current())]: place };
      return waitForQuota(context, { subject, reason, until, places });
    },
  };
}

function reservedTokens(request: LlmRequest): number {
  const { input, output } = callTokens(request);
  return input + Math.min(output, USUAL_ANSWER);
}

/**
 * A request to a model with a quota; undefined for a model without one.
 * @param tokens is not called for a model without one: it reads the whole request.
 */
export async function modelRequest(
  { held, deps }: Pick<IterationContext, 'held' | 'deps'>,
  { provider, model }: Pick<ModelSettings, 'provider' | 'model'>,
  tokens: () => number,
): Promise<{ quotas: Quotas; quota: ModelQuota; wanted: QuotaRequest } | undefined> {
  const quotas = findQuotas(deps);
  const quota = quotas?.limits.models[`${provider}/${model}`];
  if (quotas === undefined || quota === undefined) return undefined;
  const execution = held.current();
  const wanted = {
    allowance: modelAllowance({ provider, model }),
    limit: { requests: quota.rpm, tokens: quota.tpm },
    claimant: await loadClaimant(execution, quotas, deps),
    tokens: tokens(),
    place: findPlace(execution, formatRequestName(execution)),
  };
  return { quotas, quota, wanted };
}

/** The limits that all instances share; undefined without any. */
export const findQuotas = ({ quotas }: RuntimeDeps & Pick<FeatureDeps, 'quotas'>): Quotas | undefined =>
  quotas;

/** For whom an execution works. @throws RetryableError when the store fails. */
export async function loadClaimant(
  execution: Pick<Execution, 'sessionId'>,
  { claimants }: Pick<Quotas, 'claimants'>,
  deps: IterationContext['deps'],
): Promise<Claimant> {
  const { sessionId } = execution;
  const known = claimants.get(sessionId);
  if (known !== undefined) return known;
  const session = await readSession(execution, deps);
  const claimant = {
    tenant: session?.tenantId ?? DEFAULT_TENANT,
    isCritical: isCritical((session && describeInput(session, deps).severity) ?? null),
  };
  const [oldest] = claimants.keys();
  if (claimants.size >= MAX_CLAIMANTS && oldest !== undefined) claimants.delete(oldest);
  claimants.set(sessionId, claimant);
  return claimant;
}

function describe({ rpm, tpm }: ModelQuota): string {
  return [rpm && `${rpm} requests`, tpm && `${tpm} tokens`].filter(Boolean).join(', ');
}

/** A reservation that corrects the quota: repeated requests count, 429 halves it, used tokens count. */
function counted(
  { deps }: Pick<IterationContext, 'deps'>,
  { reservation, asking }: { reservation: Reservation; asking: Asking },
  wanted: QuotaRequest,
  quotas: Quotas,
): Reservation {
  const { allowance, limit, tokens } = wanted;
  let settled = false;
  // A refusal of tier flex, followed by the standard tier, does not mean that the quota is used up.
  let isShed = asking.request.model.serviceTier === 'flex';
  return {
    ...reservation,
    async extend(used, failure) {
      count(quotas, allowance, countUnits(limit, { requests: 1 }));
      if (failure?.startsWith('MODEL_QUOTA') && !isShed) await slowDown(wanted, quotas, deps);
      isShed = false;
      return reservation.extend(used);
    },
    settle(used) {
      const taken = countUnits(limit, { requests: 1, tokens });
      if (!settled) count(quotas, allowance, countUnits(limit, { requests: 1, tokens: used }) - taken);
      settled = true;
      reservation.settle(used);
    },
  };
}
