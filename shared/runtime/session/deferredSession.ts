// A session that is stored and not begun: its document, and the event that says why.

import { create, type Write } from '../../contract/store.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../schema/documents.ts';
import { type Session, sessionDueAt } from '../../schema/session.ts';
import type { Deferral } from './decideDeferral.ts';

/** A new session as it is stored when it is deferred. */
export function deferredSession(session: Session, { reason }: Deferral): Session {
  const deferred: Session = { ...session, status: 'deferred', deferral: { reason, startedAt: null } };
  return { ...deferred, dueAt: sessionDueAt(deferred) };
}

/** The event that says in the timeline why nothing runs, and what to do. It is the first one of the session. */
export function deferralEvent(session: Session, { reason, subject, text }: Deferral): Write {
  const { sessionId, currentStageId: stageId, createdAt, expireAt } = session;
  const code = reason === 'own_alert' ? 'own_alert' : 'budget_reached';
  return create(paths.event(sessionId, SESSION_EVENTS, 1), timelineEventType, {
    eventType: 'notice',
    sessionId,
    stageId,
    executionId: SESSION_EVENTS,
    parentExecutionId: null,
    sequenceNumber: 1,
    iteration: null,
    status: 'completed',
    content: `Deferred: ${text} Nothing runs until someone starts it: inquest start-deferred ${sessionId}`,
    metadata: { code, subject },
    expireAt,
    createdAt,
  });
}
