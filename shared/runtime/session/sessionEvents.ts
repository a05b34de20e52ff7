// Events of a session as a whole. Their numbers follow from the session's document, which is replaced in the same batch:
// first why it was deferred, then who cancelled it, then what it leaves.

import { create, type Write } from '../../contract/store.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../schema/documents.ts';
import type { BudgetName } from '../../schema/execution.ts';
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

/** The event that says why no executive summary was asked for; none when no budget forbade it. */
export function withoutSummaryEvent(ended: Session, budget: BudgetName | undefined, now: Date): Write[] {
  if (budget === undefined) return [];
  const whose = budget === 'sessionTokens' ? 'this investigation' : 'this day';
  const content = `No executive summary is written: the tokens of ${whose} are used up (${budget}).`;
  const notice: SessionNotice = { code: 'budget_reached', subject: budget, content };
  return [sessionEvent(ended, eventsBeforeEnd(ended) + 1, notice, now)];
}

/** How many events an open session has. */
function eventsBeforeEnd({ deferral, cancellation }: Session): number {
  return [deferral, cancellation].filter((one) => one !== null).length;
}

/**
 * The event that shows `partial` to readers of the timeline; none for a completed session. A session has at most one.
 * @param before how many events of the same batch come before it.
 */
export function partialEvent(ended: Session, now: Date, before = 0): Write[] {
  const { partial } = ended;
  if (partial === null) return [];
  const notice: SessionNotice = { code: 'partial_result', subject: partial.reason, content: partial.text };
  return [sessionEvent(ended, eventsBeforeEnd(ended) + before + 1, notice, now)];
}
