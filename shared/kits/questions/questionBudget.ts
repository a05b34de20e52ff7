// Budgets of a question: a chat counts as a session of its hour, and an answer uses daily tokens.

import { budgetText } from '../../config/budgets.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { firstCallTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import type { PlannedAgent, UsageLimit } from '../../core/schema/agent.ts';
import { limitWords } from '../../text/limitAdvice.ts';
import { endOfPeriod, utcDay, utcHour, utcMonth } from '../../text/utcPeriod.ts';
import { dayUsedUp, takeTickets } from '../budgets/usageLimits.ts';

const HOUR_MS = 3_600_000;

/** A budget without room for a question. Nothing was stored. */
export interface BudgetRefusal {
  /** Distinguishes it from other refusals of a question. */
  kind: 'budget';
  /** Its key in system.yaml. */
  budget: 'sessionsPerHour' | 'dailyTokens' | 'budgets';
  /** For people: a sentence without its full stop. */
  text: string;
  /** The number of the configuration to raise, with its file and value. */
  raise: string;
  /** When the budget has room again. */
  until: Date;
}

/**
 * Why the tokens of a day or a budget have no room for an answer; undefined if they do.
 * @throws RetryableError when the store fails.
 */
export async function refuseByTokens(
  limits: readonly UsageLimit[],
  chat: PlannedAgent,
  text: string,
  now: Date,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<BudgetRefusal | undefined> {
  const spent = await dayUsedUp(limits, firstCallTokens(chat, text), now, deps);
  if (spent === undefined) return undefined;
  const { budget: named } = spent;
  const budget = named === undefined ? 'dailyTokens' : 'budgets';
  const until = endOfPeriod(named?.period ?? 'day', now);
  const ofChain = spent.chain === null ? '' : ` of chain ${spent.chain}`;
  const of = named === undefined ? ofChain : ` of ${budgetText(named)}`;
  const time = named?.period === 'month' ? utcMonth(now) : utcDay(now);
  const used = `the ${spent.limit} tokens${of} of ${time} (UTC) are used up, or too few are left for an answer`;
  return { kind: 'budget', budget, text: used, raise: limitWords(budget, spent), until };
}

/**
 * Takes the tickets of a session that opens now.
 * @returns the reason if a budget has no ticket left; otherwise undefined.
 * @throws RetryableError when the store fails; the tickets might be taken then.
 */
export async function refuseBySessions(
  limits: readonly UsageLimit[],
  now: Date,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<BudgetRefusal | undefined> {
  const refusing = await takeTickets(limits, now, deps);
  if (refusing === undefined) return undefined;
  const { chain, limit } = refusing;
  const hour = `${utcHour(now)}:00`;
  const until = new Date(Date.parse(`${hour}:00Z`) + HOUR_MS);
  const ofChain = chain === null ? '' : ` of chain ${chain}`;
  const text = `the ${limit} sessions${ofChain} of the hour from ${hour} (UTC) have been opened`;
  const budget = 'sessionsPerHour';
  return { kind: 'budget', budget, text, raise: limitWords(budget, refusing), until };
}
