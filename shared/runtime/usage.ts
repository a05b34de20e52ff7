// Counts what sessions use up within an hour or a day, for all of them and for those of one chain.

import type { UsageLimit } from '../schema/agent.ts';
import { paths, usageType } from '../schema/documents.ts';
import { dayOf, hourOf } from '../text/utcPeriod.ts';
import type { StateDeps } from './deps.ts';

/** A month, for those who ask what was used up. */
const KEEP_MS = 30 * 24 * 3600 * 1000;

/** What is counted: sessions within an hour, tokens within a day, both of UTC. */
export type Counted = 'sessions' | 'tokens';

function periodOf(counted: Counted, at: Date): string {
  return counted === 'sessions' ? hourOf(at) : dayOf(at);
}

type UsageDeps = Pick<StateDeps, 'store'>;

/**
 * Counts `amount` in the period of `at`.
 * @param chain whose sessions are counted; null for all.
 * @returns the count with it. No two calls get the same one.
 * @throws RetryableError when the store fails; it may have been counted then.
 */
export function countUsage(
  counted: Counted,
  chain: string | null,
  amount: number,
  at: Date,
  { store }: UsageDeps,
): Promise<number> {
  const usage = { count: amount, expireAt: new Date(at.getTime() + KEEP_MS) };
  return store.increment(paths.usage(counted, chain, periodOf(counted, at)), usageType, usage, 'count');
}

/** The first of the limits that is used up in the period of `at`; undefined when none is. */
export async function usedUp(
  counted: Counted,
  limits: readonly UsageLimit[],
  at: Date,
  { store }: UsageDeps,
): Promise<UsageLimit | undefined> {
  const counts = await Promise.all(
    limits.map(({ chain }) => store.get(paths.usage(counted, chain, periodOf(counted, at)), usageType)),
  );
  return limits.find(({ limit }, index) => (counts[index]?.value.count ?? 0) >= limit);
}
