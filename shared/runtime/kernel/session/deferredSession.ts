// A stored session that has not started: its document, and the event with the reason.

import type { Write } from '../../../contract/store.ts';
import { type Session, sessionDueAt } from '../../../schema/session.ts';
import type { NoticeCode } from '../../../schema/timelineEvent.ts';
import type { Deferral } from './decideDeferral.ts';
import { type SessionNotice, sessionEvent } from './sessionEvents.ts';

/** A deferred session in its stored form. */
export function deferredSession(session: Session, { reason, until, budgets }: Deferral): Session {
  const own = { reason, startedAt: null, until: until ?? null, budgets: budgets ?? null };
  const deferred: Session = { ...session, status: 'deferred', deferral: own };
  return { ...deferred, dueAt: sessionDueAt(deferred) };
}

const CODES: Record<Deferral['reason'], NoticeCode> = {
  own_alert: 'own_alert',
  sessions_per_hour: 'budget_reached',
  daily_tokens: 'budget_reached',
  resolved: 'not_firing',
  acknowledged: 'not_firing',
  settling: 'alert_settling',
  test: 'way_checked',
  watchdog: 'way_checked',
  triage: 'triaged',
};

/** The first event of the session: explains in the timeline why nothing runs, and what to do. */
export function deferralEvent(session: Session, deferral: Deferral): Write {
  return sessionEvent(session, 1, deferralNotice(session.sessionId, deferral), session.createdAt);
}

/** The event about the deferral of a session. */
export function deferralNotice(
  sessionId: string,
  { reason, subject, text, until, budgets }: Deferral,
): SessionNotice {
  const command = `inquest start-deferred ${sessionId}`;
  const byUser = budgets
    ? ` It starts when the budget has room: the most severe alert first, then the oldest. To start it now: ${command}`
    : ` Nothing runs until someone starts it: ${command}`;
  const rest = until ? '' : byUser;
  return { code: CODES[reason], subject, content: `Deferred: ${text}${rest}` };
}
