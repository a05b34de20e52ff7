// A session that is stored and not begun: its document, and the event that says why.

import type { Write } from '../../../contract/store.ts';
import { type Session, sessionDueAt } from '../../../schema/session.ts';
import type { NoticeCode } from '../../../schema/timelineEvent.ts';
import type { Deferral } from './decideDeferral.ts';
import { type SessionNotice, sessionEvent } from './sessionEvents.ts';

/** A session as it is stored when it is deferred. */
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

/** The event that says in the timeline why nothing runs, and what to do. It is the first one of the session. */
export function deferralEvent(session: Session, deferral: Deferral): Write {
  return sessionEvent(session, 1, deferralNotice(session.sessionId, deferral), session.createdAt);
}

/** What an event says about a session that is deferred. */
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
