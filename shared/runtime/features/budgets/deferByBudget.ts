// Defers a session whose budgets have no room.

import { budgetText, limitsOfSession } from '../../../config/budgets.ts';
import type { UsageLimit } from '../../../schema/agent.ts';
import type { Session } from '../../../schema/session.ts';
import { dayOf, hourOf } from '../../../text/utcPeriod.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import type { IntakeConfig } from '../../kernel/intake/alert.ts';
import type { Deferral } from '../../kernel/session/deferredSession.ts';
import { dayUsedUp, takeTickets } from '../../kernel/tokens/usage.ts';
import { openingTokens } from './openingTokens.ts';

/**
 * Returns why a new session must wait for a budget, or is only recorded because a budget of system.yaml is used up; undefined if it can be opened, with the tickets of its hour taken. The ticket
 * of a session that is never stored is lost: the hour has one session less, never one more.
 * @throws RetryableError when the store fails.
 */
export async function deferByBudget(
  session: Session,
  config: Pick<IntakeConfig, 'budgets' | 'budgetRules'>,
  deps: Pick<StateDeps, 'store'>,
): Promise<Deferral | undefined> {
  const { chain, createdAt } = session;
  const named = limitsOfSession(session, config);
  const empty = await dayUsedUp(named, openingTokens(session), createdAt, deps);
  if (empty?.budget !== undefined) {
    const { name, period } = empty.budget;
    const text = `The ${empty.limit} tokens of ${budgetText(empty.budget)} for this ${period} (UTC) are used up, or too few are left for an investigation: alerts are only recorded.`;
    return { reason: 'budget', subject: name, text };
  }
  const budgets = config.budgets(chain.name);
  const spent = await dayUsedUp(budgets.dailyTokens, openingTokens(session), createdAt, deps);
  if (spent !== undefined) {
    const text = `${describeLimit(spent)} tokens of ${dayOf(createdAt)} (UTC) are used up, or too few are left for an investigation (dailyTokens).`;
    return { reason: 'daily_tokens', subject: 'dailyTokens', text, budgets };
  }
  const refusing = await takeTickets(budgets.sessionsPerHour, createdAt, deps);
  if (refusing === undefined) return undefined;
  const hour = `${hourOf(createdAt)}:00`;
  const text = `${describeLimit(refusing)} sessions of the hour from ${hour} (UTC) have been opened (sessionsPerHour).`;
  return { reason: 'sessions_per_hour', subject: 'sessionsPerHour', text, budgets };
}

/** The start of a text about a used-up limit: `All 100`, `In chain shop, all 5`. */
function describeLimit({ chain, limit }: UsageLimit): string {
  return chain === null ? `All ${limit}` : `In chain ${chain}, all ${limit}`;
}
