// Decides whether an alert is investigated at once or stored as deferred: a rule records it, it does not
// fire, a budget is used up, or Inquest causes it itself.

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
  /** What it is about: a key of system.yaml, the name of an own service, or the alert's status. */
  subject: string;
  /** For people, a sentence. */
  text: string;
  /** When it starts by itself; absent when only a user starts it. */
  until?: Date;
  /** The budgets that must have room before it starts; absent for other reasons. */
  budgets?: Budgets;
}

/** What decides, beside the session. */
export interface DeferralRules {
  budgets: Budgets;
  own: OwnNames;
  /** What triage says; absent where nothing asked it. */
  triage?: { action: string; namesState: boolean; deferral: Deferral | undefined };
  /** What the arrival of a test proves, a sentence. */
  proof?: string;
}

/**
 * Whether a session that is not stored yet has to be deferred; undefined when it may be opened. It then holds the
 * tickets of its hour. A ticket whose session is never stored is lost: the hour has one session less, never one more.
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
  const text = `${named(refusing)} sessions of the hour from ${hour} (UTC) are opened (sessionsPerHour).`;
  return { reason: 'sessions_per_hour', subject: 'sessionsPerHour', text, budgets };
}

const STATUS_TEXTS = {
  resolved: 'The alert says that it is resolved.',
  acknowledged: 'The alert says that people know of it.',
  test: 'The alert is a test of its source.',
};

/** A rerun is wanted by a user, whatever the alert says. */
function deferralByStatus(
  alert: Session['alert'],
  rerunOf: Session['rerunOf'],
  proof: string | undefined,
): Deferral | undefined {
  if (alert === null || rerunOf !== null || isInvestigated(alert.status)) return undefined;
  const { status } = alert;
  if (status === 'firing' || status === 'unknown') return undefined;
  const text = STATUS_TEXTS[status];
  const says = status === 'test' && proof !== undefined ? `${text} ${proof}` : text;
  return { reason: status, subject: status, text: says };
}

/** `All 100`, `In chain shop, all 5`: what there is of a limit. */
function named({ chain, limit }: UsageLimit): string {
  return chain === null ? `All ${limit}` : `In chain ${chain}, all ${limit}`;
}
