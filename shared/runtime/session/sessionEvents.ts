// Events of a session as a whole. Their numbers follow from the session's document, which is replaced in the same batch:
// first why it was deferred, then who cancelled it, then what it leaves.

import { create, type Write } from '../../contract/store.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../schema/timelineEvent.ts';

/** What an event of a session says. */
interface SessionNotice {
  code: NoticeCode;
  subject: string;
  content: string;
}

/** The event of a session that is the `position`th, from 1. */
export function sessionEvent(
  { sessionId, currentStageId, expireAt }: Session,
  position: number,
  { code, subject, content }: SessionNotice,
  createdAt: Date,
): Write {
  const event: TimelineEvent = {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: SESSION_EVENTS,
    parentExecutionId: null,
    sequenceNumber: position,
    iteration: null,
    status: 'completed',
    content,
    metadata: { code, subject },
    expireAt,
    createdAt,
  };
  return create(paths.event(sessionId, SESSION_EVENTS, position), timelineEventType, event);
}

/** The event that says who cancelled the session, and why; none when nobody is named. */
export function cancellationEvent(session: Session): Write[] {
  const { cancellation, deferral } = session;
  if (cancellation === null) return [];
  const { by, reason, at } = cancellation;
  const content = reason === null ? `Cancelled by ${by}.` : `Cancelled by ${by}: ${reason}`;
  const position = deferral === null ? 1 : 2;
  return [sessionEvent(session, position, { code: 'cancel_requested', subject: by, content }, at)];
}

/** The event that shows `partial` to readers of the timeline; none for a completed session. A session has at most one. */
export function partialEvent(ended: Session, now: Date): Write[] {
  const { partial, deferral, cancellation } = ended;
  if (partial === null) return [];
  const before = [deferral, cancellation].filter((one) => one !== null).length;
  const notice: SessionNotice = { code: 'partial_result', subject: partial.reason, content: partial.text };
  return [sessionEvent(ended, before + 1, notice, now)];
}
