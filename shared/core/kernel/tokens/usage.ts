// Counts the usage of sessions per hour and per day, for all sessions and for those of one chain, and
// reserves tokens before they are used.

import { utcDay, utcHour, utcMonth } from '../../../text/utcPeriod.ts';
import type { UsageLimit } from '../../schema/agent.ts';
import { paths, usageType } from '../../schema/coreDocuments.ts';
import type { StateDeps } from '../deps.ts';

/** Counts are kept for a month, those of a month for two, for reports of the usage. */
const KEEP_MS = 30 * 24 * 3600 * 1000;

/**
 * Reservations count in the time window in which they were made, and in the next one: for 10 to 20 minutes,
 * longer than any iteration runs (`MAX_ITERATION`). Those of a dead process expire automatically.
 */
const WINDOW_MS = 600_000;

/** The shares of a day's and a month's tokens that are kept for conclusions, and their upper bound. */
const SHARE_KEPT = { day: 0.1, month: 0.01 };
const MAX_SHARE_KEPT = 0.5;

type UsageDeps = Pick<StateDeps, 'store'>;

/** The entry of `reserved` that counts returned tickets, as a negative number. */
const RETURNED = 'returned';

/** The document that counts the sessions of an hour, of all chains or of one. */
function hourlyPath(chain: string | null, at: Date): string {
  return paths.usage('sessions', chain, utcHour(at));
}

/**
 * Takes a ticket of each limit for a session of the hour of `at`, or none: if a limit refuses, its ticket and
 * those of the earlier limits are returned.
 * @returns the limit that refused; undefined if the session can be opened.
 * @throws RetryableError when the store fails; tickets might be taken then.
 */
export async function takeTickets(
  limits: readonly UsageLimit[],
  at: Date,
  { store }: UsageDeps,
): Promise<UsageLimit | undefined> {
  const add = async ({ chain }: UsageLimit, taken: number, returned: number): Promise<number> => {
    const value = {
      count: taken,
      reserved: { [RETURNED]: -returned },
      expireAt: new Date(at.getTime() + KEEP_MS),
    };
    const fields = ['count', `reserved.${RETURNED}`];
    const [count = 0, given = 0] = await store.incrementAll(hourlyPath(chain, at), usageType, value, fields);
    return count + given;
  };
  for (const [index, limit] of limits.entries()) {
    if ((await add(limit, 1, 0)) <= limit.limit) continue;
    // Its own, too: a refused alert must not use up the share of critical ones.
    await Promise.all(limits.slice(0, index + 1).map((other) => add(other, 0, 1)));
    return limit;
  }
  return undefined;
}

/** The first limit of an hour that has no ticket left; undefined if all have. Takes no ticket. */
export async function sessionsUsedUp(
  limits: readonly UsageLimit[],
  at: Date,
  { store }: UsageDeps,
): Promise<UsageLimit | undefined> {
  const counts = await Promise.all(limits.map(({ chain }) => store.get(hourlyPath(chain, at), usageType)));
  const taken = counts.map((stored) =>
    stored === undefined ? 0 : stored.value.count + (stored.value.reserved[RETURNED] ?? 0),
  );
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
  { store }: UsageDeps,
): Promise<UsageLimit | undefined> {
  const counts = await Promise.all(limits.map((limit) => store.get(tokenCount(limit, at).path, usageType)));
  return limits.find((limit, index) => !hasRoom(limit, counts[index]?.value.count ?? 0, tokens));
}

/** Like `dayUsedUp`, for a tenant's store, whose caller can count but not read. */
export async function dayUsedUpForTenant(
  limits: readonly UsageLimit[],
  tokens: number,
  at: Date,
  deps: UsageDeps,
): Promise<UsageLimit | undefined> {
  const standings = await Promise.all(limits.map((limit) => holdTokens(tokenCount(limit, at), 0, at, deps)));
  return limits.find((limit, index) => !hasRoom(limit, standings[index]?.used ?? 0, tokens));
}

function hasRoom(limit: UsageLimit, used: number, tokens: number): boolean {
  return used + tokens + keptTokens(limit, tokens) <= limit.limit;
}

/** A document that counts and reserves tokens. */
export interface TokenCount {
  /** Path of the counting document. */
  path: string;
  /** When the database deletes the document. */
  expireAt: Date;
}

/** The count of the tokens of a limit's day or month. */
export function tokenCount({ chain, budget }: Omit<UsageLimit, 'limit'>, at: Date): TokenCount {
  if (budget === undefined)
    return { path: paths.usage('tokens', chain, utcDay(at)), expireAt: new Date(at.getTime() + KEEP_MS) };
  const { name, of, period } = budget;
  const [days, time] = period === 'day' ? [1, utcDay(at)] : [2, utcMonth(at)];
  // Paths have no other characters of a label or a user than these; `.` ends a part.
  const part = of === undefined ? name : `${name}~${Buffer.from(of).toString('base64url')}`;
  return { path: paths.usage('budget', part, time), expireAt: new Date(at.getTime() + days * KEEP_MS) };
}

/** Tokens that are reserved in a document until they are settled. */
interface Hold {
  /** The document that counts the tokens. */
  count: TokenCount;
  /** The time window of the reservation, `w` and the number of its ten minutes. */
  window: string;
  /** The reserved tokens. */
  tokens: number;
}

/** The current state of a count: used tokens, and reserved tokens. */
interface Standing {
  /** Tokens that calls have used. */
  used: number;
  /** Tokens that are reserved and not settled yet. */
  reserved: number;
}

const formatUsageWindow = (at: number): string => `w${Math.floor(at / WINDOW_MS)}`;

/**
 * Reserves tokens with one write without a precondition: each of many concurrent callers gets a different
 * standing, and the sum of the reservations that stay within a limit is within it.
 * @param tokens 0 only reads the standing.
 * @returns the standing with the reservation.
 * @throws RetryableError when the store fails; the tokens might be reserved then, until their window ends.
 */
export async function holdTokens(
  count: TokenCount,
  tokens: number,
  at: Date,
  { store }: UsageDeps,
): Promise<Standing & { hold: Hold }> {
  const window = formatUsageWindow(at.getTime());
  const before = formatUsageWindow(at.getTime() - WINDOW_MS);
  const value = { count: 0, reserved: { [window]: tokens, [before]: 0 }, expireAt: count.expireAt };
  const fields = ['count', `reserved.${window}`, `reserved.${before}`];
  const [used = 0, now = 0, earlier = 0] = await store.incrementAll(count.path, usageType, value, fields);
  return { used, reserved: now + earlier, hold: { count, window, tokens } };
}

/**
 * Returns reserved tokens and counts the used ones instead, in one write.
 * @throws RetryableError when the store fails; if it was not written, the reservation stays until its window
 * ends.
 */
export async function settleTokens(
  { count, window, tokens }: Hold,
  used: number,
  { store }: UsageDeps,
): Promise<void> {
  const value = { count: used, reserved: { [window]: -tokens }, expireAt: count.expireAt };
  await store.incrementAll(count.path, usageType, value, ['count', `reserved.${window}`]);
}
