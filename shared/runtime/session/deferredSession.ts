// A session that is stored and not begun: its document, and the event that says why.

import type { Write } from '../../contract/store.ts';
import { type Session, sessionDueAt } from '../../schema/session.ts';
import type { NoticeCode } from '../../schema/timelineEvent.ts';
import type { Deferral } from './decideDeferral.ts';
import { sessionEvent } from './sessionEvents.ts';

/** A new session as it is stored when it is deferred. */
export function deferredSession(session: Session, { reason }: Deferral): Session {
  const deferred: Session = { ...session, status: 'deferred', deferral: { reason, startedAt: null } };
  return { ...deferred, dueAt: sessionDueAt(deferred) };
}

const CODES: Record<Deferral['reason'], NoticeCode> = {
  own_alert: 'own_alert',
  sessions_per_hour: 'budget_reached',
  daily_tokens: 'budget_reached',
  resolved: 'not_firing',
  acknowledged: 'not_firing',
  test: 'way_checked',
  watchdog: 'way_checked',
  triage: 'triaged',
};

/** The event that says in the timeline why nothing runs, and what to do. It is the first one of the session. */
export function deferralEvent(session: Session, { reason, subject, text }: Deferral): Write {
  const code = CODES[reason];
  const content = `Deferred: ${text} Nothing runs until someone starts it: inquest start-deferred ${session.sessionId}`;
  return sessionEvent(session, 1, { code, subject, content }, session.createdAt);
}
