// Decides whether an alert is investigated at once or stored as deferred: because a rule records it, it is not firing, a
// budget is used up, or Inquest itself causes it.

import { type OwnNames, ownSubject } from '../../../alerts/ownAlert.ts';
import { isInvestigated } from '../../../alerts/status.ts';
import type { Budgets } from '../../../config/config.ts';
import type { UsageLimit } from '../../../schema/agent.ts';
import type { DeferralReason, Session } from '../../../schema/session.ts';
import { dayOf, hourOf } from '../../../text/utcPeriod.ts';
import type { StateDeps } from '../deps.ts';
import { openingTokens } from '../tokens/openingTokens.ts';
import { dayUsedUp, takeTickets } from '../tokens/usage.ts';

/** Why a session is deferred. */
export interface Deferral {
  reason: DeferralReason;
  /** The subject: a key of system.yaml, the name of one of Inquest's services, or the alert's status. */
  subject: string;
  /** For people, a sentence. */
  text: string;
  /** When it starts automatically; absent if only a user can start it. */
  until?: Date;
  /** The budgets that must have room before it starts; absent for other reasons. */
  budgets?: Budgets;
}

/** Inputs of the decision in addition to the session. */
export interface DeferralRules {
  budgets: Budgets;
  own: OwnNames;
  /** The result of triage; absent if triage did not run. */
  triage?: { action: string; namesState: boolean; deferral: Deferral | undefined };
  /** Text about the delivery that a test alert proves, a sentence. */
  proof?: string;
}

/**
 * Returns why a new session must be deferred; undefined if it can be opened, with the tickets of its hour taken. The ticket
 * of a session that is never stored is lost: the hour has one session less, never one more.
 * @throws RetryableError when the store fails.
 */
export async function decideDeferral(
  session: Session,
  { budgets, own, triage, proof }: DeferralRules,
  deps: Pick<StateDeps, 'store'>,
): Promise<Deferral | undefined> {
  const { alert, rerunOf, createdAt } = session;
  if (triage?.deferral !== undefined) return triage.deferral;
  const isWanted = triage?.action === 'investigate' && triage.namesState;
  const byStatus = isWanted ? undefined : deferralByStatus(alert, rerunOf, proof);
  if (byStatus !== undefined) return byStatus;
  const subject = alert === null ? undefined : ownSubject(alert, own);
  if (subject !== undefined) {
    const text = `The alert is about ${subject}, which belongs to Inquest: investigating it could cause the next one.`;
    return { reason: 'own_alert', subject, text };
  }
  const spent = await dayUsedUp(budgets.dailyTokens, openingTokens(session), createdAt, deps);
  if (spent !== undefined) {
    const text = `${named(spent)} tokens of ${dayOf(createdAt)} (UTC) are used up, or too few are left for an investigation (dailyTokens).`;
    return { reason: 'daily_tokens', subject: 'dailyTokens', text, budgets };
  }
  const refusing = await takeTickets(budgets.sessionsPerHour, createdAt, deps);
  if (refusing === undefined) return undefined;
  const hour = `${hourOf(createdAt)}:00`;
  const text = `${named(refusing)} sessions of the hour from ${hour} (UTC) have been opened (sessionsPerHour).`;
  return { reason: 'sessions_per_hour', subject: 'sessionsPerHour', text, budgets };
}

const STATUS_TEXTS = {
  resolved: 'The alert is resolved.',
  acknowledged: 'The alert is already acknowledged.',
  test: 'The alert is a test of its source.',
};

/** Does not apply to a rerun: a user wants it, regardless of the alert's status. */
function deferralByStatus(
  alert: Session['alert'],
  rerunOf: Session['rerunOf'],
  proof: string | undefined,
): Deferral | undefined {
  if (alert === null || rerunOf !== null || isInvestigated(alert.status)) return undefined;
  const { status } = alert;
  if (status === 'firing' || status === 'unknown') return undefined;
  const text = STATUS_TEXTS[status];
  const described = status === 'test' && proof !== undefined ? `${text} ${proof}` : text;
  return { reason: status, subject: status, text: described };
}

/** The start of a text about a used-up limit: `All 100`, `In chain shop, all 5`. */
function named({ chain, limit }: UsageLimit): string {
  return chain === null ? `All ${limit}` : `In chain ${chain}, all ${limit}`;
}
