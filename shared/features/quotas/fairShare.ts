// A claimant's part of a minute: critical alerts first, then the same for each tenant. Pure.

import type { Claimant } from '../../contract/quotas.ts';

/** Units of a minute by claimant. */
type Units = Readonly<Record<string, number>>;

const CRITICAL = 'c_';
const ORDINARY = 'n_';

/** The key of a claimant in a document. */
export function formatClaimantKey({ tenant, isCritical }: Claimant): string {
  return `${isCritical ? CRITICAL : ORDINARY}${tenant}`;
}

/**
 * The most units that a claimant can have of a minute.
 * @param room all units of the minute.
 * @param by units that claimants have.
 * @param expected units that others will need at least.
 */
export function computeShare(room: number, by: Units, claimant: Claimant, expected: Units = {}): number {
  const own = formatClaimantKey(claimant);
  const demands = Object.keys({ ...by, ...expected, [own]: 0 }).map((key): [string, number] => [
    key,
    key === own ? Number.MAX_SAFE_INTEGER : Math.max(by[key] ?? 0, expected[key] ?? 0),
  ]);
  const rank = demands.filter(([key]) => key.startsWith(claimant.isCritical ? CRITICAL : ORDINARY));
  const before = demands.filter(([key]) => !claimant.isCritical && key.startsWith(CRITICAL));
  const first = before.reduce((sum, [, units]) => sum + units, 0);
  return fairShares(room - first, Object.fromEntries(rank))[own] ?? 0;
}

/**
 * Divides `room` so that each gets its demand, or as much as any other whose demand is not met.
 * @param demands whole numbers by name.
 */
export function fairShares(room: number, demands: Units): Record<string, number> {
  const shares: Record<string, number> = {};
  const sorted = Object.entries(demands).sort(([, a], [, b]) => a - b);
  let left = Math.max(0, room);
  for (const [index, [name, demand]] of sorted.entries()) {
    const share = Math.min(demand, Math.ceil(left / (sorted.length - index)));
    shares[name] = share;
    left -= share;
  }
  return shares;
}
