// A stored session that has not started: document, event with the reason, and its place in a queue.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { budgetsPart, readWaitedBudgets } from '../../alerts/schema/waitedBudgets.ts';
import type { Budgets } from '../../config/config.ts';
import { severityRank } from '../../contract/severity.ts';
import { putDocument, type Write } from '../../core/contract/store.ts';
import { type SessionNotice, sessionEvent } from '../../core/kernel/session/sessionEvents.ts';
import { withPart } from '../../core/schema/parts.ts';
import { type Session, sessionDueAt } from '../../core/schema/session.ts';
import type { NoticeCode } from '../../core/schema/timelineEvent.ts';
import { waitingSessionType } from './waitingSession.ts';

/**
 * Why an alert is not investigated at once: a budget is used up, Inquest itself causes it, its state needs no
 * investigation, it can resolve itself before its settle window ends, or a rule of triage.yaml only records
 * it.
 */
export type DeferralReason =
  | 'sessions_per_hour'
  | 'daily_tokens'
  | 'budget'
  | 'own_alert'
  | 'resolved'
  | 'acknowledged'
  | 'test'
  | 'settling'
  | 'triage'
  | 'watchdog';

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
  /** The chain whose settle window it is; absent for other reasons. */
  chain?: string;
}

/** A deferred session in its stored form. */
export function deferredSession(session: Session, { reason, until, budgets }: Deferral): Session {
  const own = { reason, startedAt: null, until: until ?? null };
  const deferred: Session = { ...withPart(budgetsPart, session, budgets), status: 'deferred', deferral: own };
  return { ...deferred, dueAt: sessionDueAt(deferred) };
}

const CODES: Record<DeferralReason, NoticeCode> = {
  own_alert: 'own_alert',
  sessions_per_hour: 'budget_reached',
  daily_tokens: 'budget_reached',
  budget: 'budget_reached',
  resolved: 'not_firing',
  acknowledged: 'not_firing',
  settling: 'alert_settling',
  test: 'way_checked',
  watchdog: 'way_checked',
  triage: 'triaged',
};

/** The first event of the session: explains in the timeline why nothing runs, and names the remedy. */
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

/** The write that queues a deferred session; none unless a budget deferred it. @param since when. */
export function waitingWrites(session: Session, since: Date): Write[] {
  const { sessionId, chain, expireAt } = session;
  if (readWaitedBudgets(session) === null) return [];
  const rank = severityRank(readSessionAlert(session)?.severity ?? null);
  // Ids sort by code point, so all times have the same number of digits and no dots.
  const time = since.toISOString().replaceAll('.', '-');
  const path = waitingSessionType.paths.waitingSession(chain.name, rank, time, sessionId);
  return [putDocument(path, waitingSessionType, { sessionId, expireAt, createdAt: since })];
}
