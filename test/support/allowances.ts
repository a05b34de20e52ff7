// The use of limits in tests: what documents count, and what processes have not written.

import type { UsageLimit } from '../../shared/core/schema/agent.ts';
import {
  type Allowance,
  allowanceExpiry,
  allowancePath,
  allowanceType,
} from '../../shared/kits/allowances/allowance.ts';
import type { AllowanceDeps } from '../../shared/kits/allowances/pools.ts';
import { readUsed } from '../../shared/kits/allowances/takeAllowance.ts';
import { sessionAllowance, tokenAllowance } from '../../shared/kits/budgets/usageLimits.ts';
import type { TestClock } from './testClock.ts';

/** A limit of tokens without its number. */
type Tokens = Omit<UsageLimit, 'limit'>;

/** The used tokens of a limit in its current period. Default: those of the day. */
export const usedTokens = (deps: AllowanceDeps, limit: Tokens = { chain: null }): Promise<number> =>
  readUsed(tokenAllowance(limit), deps.clock.now(), deps);

/** The sessions of the current hour. */
export const usedTickets = (deps: AllowanceDeps, chain: string | null = null): Promise<number> =>
  readUsed(sessionAllowance({ chain }), deps.clock.now(), deps);

/** Counts units as another process would. @param at Default: now. */
export async function useUnits(
  { store, clock }: AllowanceDeps,
  allowance: Allowance,
  used: number,
  at: Date = clock.now(),
): Promise<void> {
  const value = { used, held: {}, seen: {}, expireAt: allowanceExpiry(allowance, at) };
  await store.increment(allowancePath(allowance, at), allowanceType, value, 'used');
}

/** Counts tokens as another process would. */
export const useTokens = (
  deps: AllowanceDeps,
  used: number,
  limit: Tokens = { chain: null },
): Promise<void> => useUnits(deps, tokenAllowance(limit), used);

/** Lets processes write what they used, and return what they hold: two minutes later. */
export async function passPace({ clock }: { clock: TestClock }): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
