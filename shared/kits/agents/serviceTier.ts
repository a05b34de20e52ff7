// The service tier of an agent: its own, or that of its model, by the severity of the alert.

import { severityRank } from '../../contract/severity.ts';
import { isNative } from '../../core/contract/modelFacts.ts';
import type { ModelSettings, PlannedAgent } from '../../core/schema/agent.ts';

/** The word for each rank of a severity. */
const WORDS = ['critical', 'critical', 'error', 'warning', 'minor', 'info'] as const;
/** Answers of the tier flex take one to 15 minutes. */
const FLEX_ITERATION_MS = 5 * 60_000;

/** The model with the tier flex, if it is Google's and has no tier. */
export function flexByDefault(model: ModelSettings): ModelSettings {
  return isNative(model.provider) && model.serviceTier === undefined
    ? { ...model, serviceTier: 'flex' }
    : model;
}

/**
 * An agent with the tier for an alert: its own for the severity, else that of its model, else flex for a
 * check and for an alert of severity `info`. Only Google's models have tiers.
 * @param severity null without an alert: only a tier for all severities counts.
 */
export function withTier<A extends Pick<PlannedAgent, 'model' | 'tiers' | 'limits'>>(
  agent: A,
  severity: string | null,
  isCheck: boolean,
): A {
  const { model, tiers, limits } = agent;
  if (!isNative(model.provider)) return agent;
  const word = severity === null ? 'any' : (WORDS[severityRank(severity)] ?? 'any');
  const set = tiers?.[word] ?? tiers?.any;
  if (set !== undefined) return { ...agent, model: { ...model, serviceTier: set } };
  const usual = isCheck || word === 'info' ? flexByDefault(model) : model;
  if (usual === model) return agent;
  const iterationTimeoutMs = Math.max(limits.iterationTimeoutMs, FLEX_ITERATION_MS);
  return { ...agent, model: usual, limits: { ...limits, iterationTimeoutMs } };
}
