// Events of a session as a whole. Their numbers follow from the session's document, which is replaced in the same batch:
// first why it was deferred, then its runbook, earlier sessions and the alerts beside it, then what people did while it ran,
// then who cancelled it, then what it leaves.

import { create, type Write } from '../../../contract/store.ts';
import { relatedLine } from '../../../prompt/alsoFiring.ts';
import type { RelatedAlert } from '../../../schema/correlation.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../../schema/documents.ts';
import type { BudgetName, Execution } from '../../../schema/execution.ts';
import type { Session } from '../../../schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../../schema/timelineEvent.ts';

/** What an event of a session says. */
export interface SessionNotice {
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

/** Says which alerts share labels with the one of the session. */
export function alsoFiringNotice(alerts: readonly RelatedAlert[]): SessionNotice {
  const content = `Also firing, with the same labels: ${alerts.map(relatedLine).join('; ')}.`;
  return { code: 'also_firing', subject: String(alerts.length), content };
}

/** The position of what people do to a session while it runs: behind all that they did before. */
export function steeringPosition({ deferral, steering }: Session): number {
  return (deferral === null ? 0 : 1) + steering.events + 1;
}

/** The event that says who cancelled the session, and why; none when nobody is named. */
export function cancellationEvent(session: Session): Write[] {
  const { cancellation } = session;
  if (cancellation === null) return [];
  const { by, reason, at } = cancellation;
  const content = reason === null ? `Cancelled by ${by}.` : `Cancelled by ${by}: ${reason}`;
  const notice: SessionNotice = { code: 'cancel_requested', subject: by, content };
  return [sessionEvent(session, steeringPosition(session), notice, at)];
}

/**
 * The last events of a session: which guidance no agent has read, why no summary was asked for, and `partial` for readers of
 * the timeline. A session that completed, whose guidance was read, and which has its summary, has none.
 * @param left.executions all that can be read.
 * @param left.withoutSummary the budget that forbade an executive summary; undefined when none did.
 */
export function endEvents(
  ended: Session,
  left: { executions: readonly Pick<Execution, 'guidanceTaken'>[]; withoutSummary?: BudgetName | undefined },
  now: Date,
): Write[] {
  const { partial, cancellation } = ended;
  const notices: SessionNotice[] = [
    ...unreadGuidance(ended, left.executions),
    ...(left.withoutSummary === undefined ? [] : [summaryNotice(left.withoutSummary)]),
    ...(partial === null
      ? []
      : [{ code: 'partial_result' as const, subject: partial.reason, content: partial.text }]),
  ];
  const first = steeringPosition(ended) + (cancellation === null ? 0 : 1);
  return notices.map((notice, index) => sessionEvent(ended, first + index, notice, now));
}

/** Guidance is read in order, so what is unread is what came after the last that any agent has taken. */
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

/** Says why no executive summary was asked for. */
function summaryNotice(budget: BudgetName): SessionNotice {
  const whose = budget === 'sessionTokens' ? 'this investigation' : 'this day';
  const content = `No executive summary is written: the tokens of ${whose} are used up (${budget}).`;
  return { code: 'budget_reached', subject: budget, content };
}
