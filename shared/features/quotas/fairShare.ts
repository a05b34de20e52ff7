// Decides a claimant's part of a minute's quota: critical alerts first, then fair shares. Pure.

import type { Claimant } from '../../contract/quotas.ts';
import type { Quota } from '../../kits/quotas/quota.ts';

/** The parts of a stored quota that the decision reads. */
export type Standing = Pick<Quota, 'granted' | 'waiting' | 'served'>;

/** A minute without requests. */
export const UNUSED: Standing = { granted: {}, waiting: {}, served: {} };

/** From this second of a minute on, requests that waited for it and did not come have no precedence. */
const GRACE_SECOND = 45;

const CRITICAL = 'c_';
const ORDINARY = 'n_';

/** The key of a claimant in a stored quota. */
export function formatClaimantKey({ tenant, isCritical }: Claimant): string {
  return `${isCritical ? CRITICAL : ORDINARY}${tenant}`;
}

/** A request for a part of a minute's quota. */
export interface Wish {
  /** For whom it is. */
  claimant: Claimant;
  /** Number of requests. */
  wanted: number;
  /** Whether it has waited: others leave room for it. */
  hasWaited: boolean;
}

/** The most requests of a minute that can be granted: of all claimants, and of one claimant. */
interface Caps {
  /** Requests of all claimants. */
  total: number;
  /** Requests of the claimant. */
  own: number;
}

/**
 * What a minute has room for.
 * @param limit requests of the minute.
 * @param second of the minute.
 */
export function capsFor(standing: Standing, wish: Wish, limit: number, second: number): Caps {
  if (second >= GRACE_SECOND) return { total: limit, own: limit };
  const expected = expectedCriticals(standing, wish.claimant, limit);
  const still = wish.hasWaited ? 0 : missing(standing, formatClaimantKey(wish.claimant));
  const share = computeFairShare(standing, wish.claimant, limit - taken(standing, wish.claimant) - expected);
  return { total: limit - expected, own: share - still };
}

/** How many of the wanted requests the caps have room for. */
export function roomFor({ granted }: Standing, { claimant, wanted }: Wish, { total, own }: Caps): number {
  const free = Math.min(total - sumByPrefix(granted, ''), own - (granted[formatClaimantKey(claimant)] ?? 0));
  return Math.max(0, Math.min(free, wanted));
}

/**
 * How many further requests of a claimant can wait for a later minute. Others are expected to need as much as
 * in this minute.
 * @param later the later minute, whose requests only wait.
 */
export function placesFor(later: Standing, current: Standing, claimant: Claimant, limit: number): number {
  const own = formatClaimantKey(claimant);
  const needs = Object.keys({ ...later.waiting, ...current.granted }).map((key): [string, number] => {
    const before = key === own ? 0 : (current.granted[key] ?? 0);
    return [key, Math.max(later.waiting[key] ?? 0, before)];
  });
  const expected: Standing = { ...UNUSED, waiting: Object.fromEntries(needs) };
  const room = limit - expectedCriticals(expected, claimant, limit);
  return computeFairShare(expected, claimant, room) - (later.waiting[own] ?? 0);
}

/**
 * Divides `room` so that each gets its demand, or as much as any other whose demand is not met.
 * @param demands whole numbers by name.
 */
export function fairShares(room: number, demands: Readonly<Record<string, number>>): Record<string, number> {
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

/** The largest share of the claimant's tenant among those of its rank. */
function computeFairShare(standing: Standing, claimant: Claimant, room: number): number {
  const own = formatClaimantKey(claimant);
  const rank = claimantRank(claimant);
  const names = Object.keys({ ...standing.granted, ...standing.waiting, [own]: 0 });
  const demands = names
    .filter((name) => name.startsWith(rank))
    .map((name): [string, number] => {
      const demand = (standing.granted[name] ?? 0) + missing(standing, name);
      return [name, name === own ? Number.MAX_SAFE_INTEGER : demand];
    });
  return fairShares(room, Object.fromEntries(demands))[own] ?? 0;
}

/** Requests that waited for the minute and have not come yet. */
function missing({ waiting, served }: Standing, key: string): number {
  return Math.max(0, (waiting[key] ?? 0) - (served[key] ?? 0));
}

/** Critical requests for which an ordinary one leaves room. */
function expectedCriticals({ waiting, served }: Standing, { isCritical }: Claimant, limit: number): number {
  if (isCritical) return 0;
  return Math.max(0, Math.min(sumByPrefix(waiting, CRITICAL), limit) - sumByPrefix(served, CRITICAL));
}

/** Granted requests of the other rank. */
function taken({ granted }: Standing, { isCritical }: Claimant): number {
  return sumByPrefix(granted, isCritical ? ORDINARY : CRITICAL);
}

const claimantRank = ({ isCritical }: Claimant): string => (isCritical ? CRITICAL : ORDINARY);

/** The sum of all numbers whose key starts with `prefix`. */
function sumByPrefix(numbers: Readonly<Record<string, number>>, prefix: string): number {
  return Object.entries(numbers).reduce((sum, [key, n]) => (key.startsWith(prefix) ? sum + n : sum), 0);
}
