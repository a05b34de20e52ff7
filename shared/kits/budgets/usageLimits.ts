// The limits of sessions in an hour and of tokens in a day or month, as allowances.

import type { UsageLimit } from '../../core/schema/agent.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { utcDay, utcHour, utcMonth } from '../../text/utcPeriod.ts';
import { type Allowance, formatAllowanceName } from '../allowances/allowance.ts';
import type { AllowanceDeps, Grant } from '../allowances/pools.ts';
import { readUsed, takeAllowance } from '../allowances/takeAllowance.ts';

/** The shares of a day's and a month's tokens that are kept for conclusions, and their upper bound. */
const SHARE_KEPT = { day: 0.1, month: 0.01 };
const MAX_SHARE_KEPT = 0.5;

/** The sessions of an hour, of all chains or of one. */
export function sessionAllowance({ chain }: Pick<UsageLimit, 'chain'>): Allowance {
  return {
    name: formatAllowanceName('sessions', ...(chain === null ? [] : [chain])),
    window: 'hour',
    before: (at) => paths.usage('sessions', chain, utcHour(at)),
  };
}

/** The tokens of a limit's day or month. */
export function tokenAllowance({ chain, budget }: Omit<UsageLimit, 'limit'>): Allowance {
  if (budget === undefined)
    return {
      name: formatAllowanceName('tokens', ...(chain === null ? [] : [chain])),
      window: 'day',
      before: (at) => paths.usage('tokens', chain, utcDay(at)),
    };
  const { name, of, period } = budget;
  // Paths have no other characters of a label or a user than these.
  const value = of === undefined ? [] : [Buffer.from(of).toString('base64url')];
  return {
    name: formatAllowanceName('budget', name, ...value),
    window: period,
    before: (at) =>
      paths.usage('budget', [name, ...value].join('~'), period === 'day' ? utcDay(at) : utcMonth(at)),
  };
}

/**
 * Takes a ticket of each limit for a session of the hour of `at`, or none: if a limit refuses, those of the
 * others are returned.
 * @returns the limit that refused; undefined if the session can be opened.
 * @throws RetryableError when the store fails; tickets might be taken then.
 */
export async function takeTickets(
  limits: readonly UsageLimit[],
  at: Date,
  deps: AllowanceDeps,
): Promise<UsageLimit | undefined> {
  const taken: Grant[] = [];
  for (const limit of limits) {
    const ticket = await takeAllowance(sessionAllowance(limit), { need: 1, cap: limit.limit, at }, deps);
    if (ticket.kind === 'refused') {
      await Promise.all(taken.map((other) => other.settle(0)));
      return limit;
    }
    taken.push(ticket);
  }
  await Promise.all(taken.map((ticket) => ticket.settle(1)));
  return undefined;
}

/** The first limit of an hour that has no ticket left; undefined if all have. Takes no ticket. */
export async function sessionsUsedUp(
  limits: readonly UsageLimit[],
  at: Date,
  deps: AllowanceDeps,
): Promise<UsageLimit | undefined> {
  const taken = await Promise.all(limits.map((limit) => readUsed(sessionAllowance(limit), at, deps)));
  return limits.find(({ limit }, index) => (taken[index] ?? 0) >= limit);
}

/** A period's tokens kept for conclusions of `conclusion` tokens: their number is unknown. */
export function keptTokens({ limit, budget }: UsageLimit, conclusion: number): number {
  const share = SHARE_KEPT[budget?.period ?? 'day'];
  return Math.min(Math.max(conclusion, limit * share), limit * MAX_SHARE_KEPT);
}

/**
 * Returns the first limit whose day or month has no room for a call of `tokens` and the conclusion after it;
 * undefined if all have. Reservations do not count, because most of them are returned.
 */
export async function dayUsedUp(
  limits: readonly UsageLimit[],
  tokens: number,
  at: Date,
  deps: AllowanceDeps,
): Promise<UsageLimit | undefined> {
  const used = await Promise.all(limits.map((limit) => readUsed(tokenAllowance(limit), at, deps)));
  return limits.find((limit, index) => (used[index] ?? 0) + tokens + keptTokens(limit, tokens) > limit.limit);
}
