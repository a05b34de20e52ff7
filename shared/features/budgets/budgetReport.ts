// How much of each budget of tokens is used, and the forecast for the end of its period.

import * as z from 'zod';
import { DEGRADE_AT } from '../../config/budgets.ts';
import type { SessionConfig } from '../../config/config.ts';
import { keptForCritical } from '../../config/sessionLimits.ts';
import type { Store } from '../../core/contract/store.ts';
import type { UsageLimit } from '../../core/schema/agent.ts';
import { readableType, splitReadable, unreadableSchema } from '../../core/schema/readable.ts';
import { allowancePath, allowanceType } from '../../kits/allowances/allowance.ts';
import { keptTokens, tokenAllowance } from '../../kits/budgets/usageLimits.ts';
import { readableOnly } from '../../kits/views/readable.ts';
import { endOfPeriod, startOfPeriod } from '../../text/utcPeriod.ts';

/** The share of a period that must be over before its usage is a forecast. */
const MIN_ELAPSED = 0.05;
/** The most values of one budget with `each` that are listed, those with the most tokens first. */
const MAX_VALUES = 100;

/** A budget in its current period. */
const budgetRowSchema = z.strictObject({
  name: z.string().describe('`dailyTokens`, or the name in `budgets` of system.yaml'),
  of: z.string().nullable().describe('The chain, tenant, user or label that it counts apart'),
  period: z.enum(['day', 'month']),
  limit: z.int(),
  critical: z.int().describe('Of the limit, what only critical alerts can use'),
  used: z.int(),
  state: z
    .enum(['large', 'small', 'record'])
    .describe(
      'Of alerts that are not critical. `small`: new sessions get `smallModel`; `record`: they are recorded or wait',
    ),
  forecast: z.number().nullable().describe('Tokens at the end of the period; null in its first twentieth'),
  reachedAt: z.date().nullable().describe('When the limit is reached, if that is in this period'),
  until: z.date().describe('The end of the period'),
});
type BudgetRow = z.infer<typeof budgetRowSchema>;

/** All budgets in their current periods. */
export const budgetReportSchema = z.strictObject({
  budgets: z.array(budgetRowSchema),
  unreadable: unreadableSchema,
});

/**
 * Every budget of tokens with its usage. A budget with `each` has a row for each value that used some.
 * @throws RetryableError when the store fails.
 */
export async function reportBudgets(
  config: Pick<SessionConfig, 'budgetRules' | 'chains' | 'budgets' | 'reserveForCritical'>,
  now: Date,
  { store }: { store: Pick<Store, 'list'> },
): Promise<z.infer<typeof budgetReportSchema>> {
  const { budgetRules = {}, chains, budgets } = config;
  const stored = await listCounted(['budget', 'tokens'], store);
  const { unreadable } = splitReadable(stored.map(({ value }) => value));
  const counts = new Map(readableOnly(stored).map(({ path, value }) => [path, value.used]));
  const rowOf = (limit: UsageLimit) => {
    const used = counts.get(allowancePath(tokenAllowance(limit), now)) ?? 0;
    return budgetRow(limit, used, now, config.reserveForCritical?.(limit.chain));
  };
  const daily = new Map(
    Object.keys(chains).flatMap((chain) =>
      budgets(chain).dailyTokens.map((limit) => [limit.chain, rowOf(limit)] as const),
    ),
  );
  const named = Object.entries(budgetRules).flatMap(([name, { tokens, period, each }]) => {
    const limit = { chain: null, limit: tokens, budget: { name, period } };
    if (each === undefined) return [rowOf(limit)];
    return listBudgetValues(limit, [...counts.keys()], now)
      .map((of) => rowOf({ ...limit, budget: { name, period, of } }))
      .sort((a, b) => b.used - a.used)
      .slice(0, MAX_VALUES);
  });
  return { budgets: [...daily.values(), ...named], unreadable };
}

/** The counts whose names start with one of these, of all kept windows. */
export async function listCounted(kinds: readonly string[], store: Pick<Store, 'list'>) {
  const found = kinds.map((idPrefix) =>
    store.list({ collection: allowanceType.paths.allowances, idPrefix }, readableType(allowanceType)),
  );
  return (await Promise.all(found)).flat();
}

/** The values of a budget with `each` that used tokens in this period. */
function listBudgetValues(limit: UsageLimit, counted: readonly string[], now: Date): string[] {
  const [start, ...end] = allowancePath(tokenAllowance(limit), now).split('.');
  const [prefix, suffix] = [`${start}~`, `.${end.join('.')}`];
  return counted.flatMap((path) =>
    path.startsWith(prefix) && path.endsWith(suffix)
      ? [Buffer.from(path.slice(prefix.length, -suffix.length), 'base64url').toString()]
      : [],
  );
}

/** The row of a limit of which `used` tokens are used. @param percent kept for critical alerts. */
export function budgetRow(usage: UsageLimit, used: number, now: Date, percent = 0): BudgetRow {
  const { chain, limit, budget } = usage;
  const critical = keptForCritical(limit, percent);
  const others = limit - critical;
  const kept = keptTokens({ ...usage, limit: others }, 0);
  const { name = 'dailyTokens', of = chain, period = 'day' } = budget ?? {};
  const [start, end] = [startOfPeriod(period, now), endOfPeriod(period, now)].map((at) => at.getTime()) as [
    number,
    number,
  ];
  const elapsed = now.getTime() - start;
  const isKnown = elapsed / (end - start) >= MIN_ELAPSED;
  const reached = start + (elapsed * limit) / used;
  return {
    name,
    of,
    period,
    limit,
    critical,
    used,
    // No session starts in the share that is kept for conclusions.
    state: used + kept > others ? 'record' : used >= others * DEGRADE_AT ? 'small' : 'large',
    forecast: isKnown ? Math.round((used * (end - start)) / elapsed) : null,
    reachedAt: isKnown && used > 0 && used < limit && reached < end ? new Date(Math.ceil(reached)) : null,
    until: new Date(end),
  };
}
