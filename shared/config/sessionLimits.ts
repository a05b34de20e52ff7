// The limits as they hold for a session: a share of each is kept for critical alerts.

import { readSessionAlert } from '../alerts/schema/alert.ts';
import { isCritical } from '../contract/severity.ts';
import type { PlannedAgent, UsageLimit } from '../core/schema/agent.ts';
import type { Session } from '../core/schema/session.ts';
import { type BudgetRules, listUsageLimits } from './budgets.ts';
import type { Budgets, SessionConfig } from './config.ts';

/** How much of a limit is kept for critical alerts: `percent` of it, rounded up, and never all of it. */
export function keptForCritical(limit: number, percent: number): number {
  return Math.max(0, Math.min(limit - 1, Math.ceil((limit * percent) / 100)));
}

/** The part of a configuration that keeps shares of budgets. */
type ReserveConfig = Pick<SessionConfig, 'reserveForCritical'>;

/** The limits of a session: only those of critical alerts include the share that is kept for them. */
function limitsWithin(
  limits: readonly UsageLimit[],
  { parts, chain }: Pick<Session, 'parts' | 'chain'>,
  { reserveForCritical }: ReserveConfig,
): UsageLimit[] {
  const percent = isCritical(readSessionAlert({ parts })?.severity ?? null)
    ? 0
    : (reserveForCritical?.(chain.name) ?? 0);
  return limits.map((one) => ({ ...one, limit: one.limit - keptForCritical(one.limit, percent) }));
}

/** The budgets of a session's chain, as they hold for the session. Throws like `resolveChain`. */
export function budgetsOfSession(
  session: Pick<Session, 'parts' | 'chain'>,
  config: ReserveConfig & Pick<SessionConfig, 'budgets'>,
): Budgets {
  const { sessionsPerHour, dailyTokens } = config.budgets(session.chain.name);
  return {
    sessionsPerHour: limitsWithin(sessionsPerHour, session, config),
    dailyTokens: limitsWithin(dailyTokens, session, config),
  };
}

/** The limits of system.yaml for a session. @param userId who asks. Default: the session's user. */
export function limitsOfSession(
  session: Pick<Session, 'tenantId' | 'userId' | 'parts' | 'chain'>,
  config: ReserveConfig & { budgetRules?: BudgetRules },
  userId: string | null = session.userId,
): UsageLimit[] {
  const { tenantId } = session;
  const named = listUsageLimits(config.budgetRules ?? {}, {
    tenantId,
    userId,
    labels: readSessionAlert(session)?.labels ?? null,
  });
  return limitsWithin(named, session, config);
}

/** The limits of an agent that are those of its chain and the system, as they hold for a session. */
export function chainLimits(
  { limits: { dailyTokens = [] } }: Pick<PlannedAgent, 'limits'>,
  session: Pick<Session, 'parts' | 'chain'>,
  config: ReserveConfig,
): UsageLimit[] {
  return limitsWithin(
    dailyTokens.filter(({ budget }) => budget === undefined),
    session,
    config,
  );
}
