// Defers a session whose budgets have no room.

import { budgetText } from '../../config/budgets.ts';
import { budgetsOfSession, limitsOfSession } from '../../config/sessionLimits.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { UsageLimit } from '../../core/schema/agent.ts';
import type { Session } from '../../core/schema/session.ts';
import type { IntakeConfig } from '../../kits/alerts/alert.ts';
import type { Deferral } from '../../kits/alerts/deferredSession.ts';
import { dayUsedUp, takeTickets } from '../../kits/budgets/usageLimits.ts';
import { limitWords } from '../../text/limitAdvice.ts';
import { utcDay, utcHour } from '../../text/utcPeriod.ts';
import { openingTokens } from './openingTokens.ts';

/**
 * Returns why a new session must wait for a budget, or is only recorded because a budget of system.yaml is
 * used up; undefined if it can be opened, with the tickets of its hour taken. The ticket of a session that is
 * never stored is lost: the hour has one session less, never one more.
 * @throws RetryableError when the store fails.
 */
export async function deferByBudget(
  session: Session,
  config: Pick<IntakeConfig, 'budgets' | 'budgetRules' | 'reserveForCritical'>,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Deferral | undefined> {
  const { createdAt } = session;
  const named = limitsOfSession(session, config);
  const empty = await dayUsedUp(named, openingTokens(session), createdAt, deps);
  if (empty?.budget !== undefined) {
    const { name, period } = empty.budget;
    const kept = keptText(config.budgetRules?.[name]?.tokens, empty);
    const text = `The ${empty.limit} tokens of ${budgetText(empty.budget)} for this ${period} (UTC) are used up, or too few are left for an investigation: alerts are only recorded. Raise ${limitWords('tokens', { ...empty, limit: config.budgetRules?.[name]?.tokens ?? empty.limit })}.${kept}`;
    return { reason: 'budget', subject: name, text };
  }
  const budgets = budgetsOfSession(session, config);
  const whole = config.budgets(session.chain.name);
  const spent = await dayUsedUp(budgets.dailyTokens, openingTokens(session), createdAt, deps);
  if (spent !== undefined) {
    const text = `${describeLimit(spent)} tokens of ${utcDay(createdAt)} (UTC) are used up, or too few are left for an investigation: ${raiseText('dailyTokens', whole.dailyTokens, spent)}`;
    return { reason: 'daily_tokens', subject: 'dailyTokens', text, budgets };
  }
  const refusing = await takeTickets(budgets.sessionsPerHour, createdAt, deps);
  if (refusing === undefined) return undefined;
  const hour = `${utcHour(createdAt)}:00`;
  const text = `${describeLimit(refusing)} sessions of the hour from ${hour} (UTC) have been opened: ${raiseText('sessionsPerHour', whole.sessionsPerHour, refusing)}`;
  return { reason: 'sessions_per_hour', subject: 'sessionsPerHour', text, budgets };
}

/** The start of a text about a used-up limit: `All 100`, `In chain shop, all 5`. */
function describeLimit({ chain, limit }: UsageLimit): string {
  return chain === null ? `All ${limit}` : `In chain ${chain}, all ${limit}`;
}

const limitIn = (limits: readonly UsageLimit[], { chain }: UsageLimit): number | undefined =>
  limits.find((limit) => limit.chain === chain)?.limit;

/** The number to raise, and the share that is kept. @param whole the limits with that share. */
function raiseText(key: string, whole: readonly UsageLimit[], spent: UsageLimit): string {
  const limit = limitIn(whole, spent);
  const { chain } = spent;
  return `raise ${limitWords(key, { chain, limit: limit ?? spent.limit })}.${keptText(limit, spent)}`;
}

/** The share of a limit that only critical alerts can use. @param whole the limit with it. */
function keptText(whole: number | undefined, { limit }: UsageLimit): string {
  if (whole === undefined || whole <= limit) return '';
  return ` ${whole - limit} more are kept for critical alerts (reserveForCritical).`;
}
