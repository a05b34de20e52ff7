// Events of a session as a whole. Their numbers follow from the session's document, which is replaced in the
// same batch. Order: deferral; runbook, earlier sessions and related alerts; actions of people while it ran;
// cancellation; events of its end.

import { createDocument, type Write } from '../../contract/store.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../schema/coreDocuments.ts';
import type { BudgetName, Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../schema/timelineEvent.ts';

/** The content of a session event. */
export interface SessionNotice {
  /** The kind of the event, an open set for readers. */
  code: NoticeCode;
  /** The thing that the event is about: a budget, a session, a number. */
  subject: string;
  /** One or more sentences for people. */
  content: string;
}

/** The event at a `position` of the session, from 1. */
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
  return createDocument(paths.event(sessionId, SESSION_EVENTS, position), timelineEventType, event);
}

/** The position of a session's next event: after all, and after its cancellation (not in `steering`). */
export function nextPosition({ deferral, steering, cancellation }: Session): number {
  return (deferral === null ? 0 : 1) + steering.events + (cancellation === null ? 0 : 1) + 1;
}

/** The event with the person who cancelled the session, and the reason; none if unknown. */
export function cancellationEvent(session: Session): Write[] {
  const { cancellation } = session;
  if (cancellation === null) return [];
  const { by, reason, at } = cancellation;
  const content = reason === null ? `Cancelled by ${by}.` : `Cancelled by ${by}: ${reason}`;
  const notice: SessionNotice = { code: 'cancel_requested', subject: by, content };
  return [sessionEvent(session, nextPosition({ ...session, cancellation: null }), notice, at)];
}

/**
 * Returns the last events of a session: guidance that no agent has read, why no summary was requested, and
 * `partial` for readers of the timeline. A completed session with its guidance read and a summary has none.
 * @param left.executions all readable executions.
 * @param left.withoutSummary the budget that prevented an executive summary; undefined if none did.
 */
export function endEvents(
  ended: Session,
  left: { executions: readonly Pick<Execution, 'guidanceTaken'>[]; withoutSummary?: BudgetName | undefined },
  now: Date,
): Write[] {
  const { partial } = ended;
  const notices: SessionNotice[] = [
    ...unreadGuidance(ended, left.executions),
    ...(left.withoutSummary === undefined ? [] : [summaryNotice(left.withoutSummary)]),
    ...(partial === null
      ? []
      : [{ code: 'partial_result' as const, subject: partial.reason, content: partial.text }]),
  ];
  const first = nextPosition(ended);
  return notices.map((notice, index) => sessionEvent(ended, first + index, notice, now));
}

/** Guidance is read in order, so guidance after the last one that any agent has taken is unread. */
function unreadGuidance(
  { steering }: Session,
  executions: readonly Pick<Execution, 'guidanceTaken'>[],
): SessionNotice[] {
  const read = Math.max(0, ...executions.map(({ guidanceTaken }) => guidanceTaken));
  if (read >= steering.guidance) return [];
  const [first, last] = [read + 1, steering.guidance];
  const subject = first === last ? String(first) : `${first}-${last}`;
  const content = `Guidance ${subject} was read by no agent: no model was asked after it was given.`;
  return [{ code: 'guidance_unread', subject, content }];
}

/** The event that explains why no executive summary was requested. */
function summaryNotice(budget: BudgetName): SessionNotice {
  const period = budget === 'sessionTokens' ? 'this investigation' : 'this day';
  const content = `No executive summary is written: the tokens of ${period} are used up (${budget}).`;
  return { code: 'budget_reached', subject: budget, content };
}
