// The service tier of an agent: its own, or that of its chain or the system, by the severity of the alert.

import * as z from 'zod';
import { severityRank } from '../alerts/fields/severity.ts';
import { isNative } from '../core/contract/modelFacts.ts';
import { type ModelSettings, type PlannedAgent, TIER_SEVERITIES } from '../core/schema/agent.ts';
import { SERVICE_TIERS } from '../core/schema/cost.ts';
import { isObject } from '../text/json.ts';
import { strictMapping } from './fields.ts';

/** The word for each rank of a severity. */
const WORDS = ['critical', 'critical', 'error', 'warning', 'minor', 'info'] as const;
/** Answers of the tier flex take one to 15 minutes. */
const FLEX_ITERATION_MS = 5 * 60_000;

const tier = z.enum(SERVICE_TIERS);
const { any: _, ...severities } = Object.fromEntries(TIER_SEVERITIES.map((word) => [word, tier.optional()]));

/** `serviceTier` of an agent, a chain or system.yaml: a tier, or tiers by severity. */
export const tierField = z
  .union([tier, strictMapping(severities)], {
    // The fault of a mapping is that of its value.
    error: ({ input }) =>
      isObject(input)
        ? undefined
        : `must be ${SERVICE_TIERS.join(', ')}, or one of them for each of ${TIER_SEVERITIES.slice(1).join(', ')}`,
  })
  .optional();

/** A setting of `serviceTier`. */
type TierEntry = z.output<typeof tierField>;

/** The tiers of an agent, of settings of which the nearest comes first; nothing without any. */
export function nearestTiers(entries: readonly TierEntry[]): Pick<PlannedAgent, 'tiers'> {
  let tiers: PlannedAgent['tiers'];
  for (const entry of entries.toReversed()) {
    if (entry === undefined) continue;
    tiers = typeof entry === 'string' ? { any: entry } : { ...tiers, ...entry };
  }
  return tiers === undefined ? {} : { tiers };
}

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
