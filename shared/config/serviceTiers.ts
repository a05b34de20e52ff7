// The setting of service tiers, of an agent, its chain or the system, by the severity of the alert.

import * as z from 'zod';
import { type PlannedAgent, TIER_SEVERITIES } from '../core/schema/agent.ts';
import { SERVICE_TIERS } from '../core/schema/cost.ts';
import { isObject } from '../text/json.ts';
import { strictMapping } from './fields.ts';

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
