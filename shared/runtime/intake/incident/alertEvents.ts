// Events about what the source of an alert reports after its session was opened. They are numbered apart from all others, so
// that neither the session nor what runs of it is written for them. Of many repetitions only some have one.

import { type AlertReport, hasEvent } from '../../../alerts/incident.ts';
import { create, type Write } from '../../../contract/store.ts';
import { ALERT_EVENTS, paths, timelineEventType } from '../../../schema/documents.ts';
import type { AlertCounts } from '../../../schema/incident.ts';
import type { Alert, AlertMember, Session } from '../../../schema/session.ts';
import type { NoticeCode, TimelineEvent } from '../../../schema/timelineEvent.ts';

/** Alerts of a group that an event names. */
const NAMED_MEMBERS = 6;

const CODES: Record<AlertReport['kind'], NoticeCode> = {
  firing: 'alert_repeated',
  resolved: 'alert_resolved',
  acknowledged: 'alert_acknowledged',
};

/** A report as it is told. */
export interface ToldReport {
  report: AlertReport;
  /** The alert with the marks of the session. */
  alert: Pick<Alert, 'members'>;
}

/** Whether a report has an event, of which there are `counts` so far. The first one that it fires is the session itself. */
export function isTold({ kind }: AlertReport, counts: AlertCounts): boolean {
  const count = counts[kind] + 1;
  return (kind !== 'firing' || count > 1) && hasEvent(count);
}

/** The event of a report. @param counts the reports before it. */
export function alertEvent(session: Session, told: ToldReport, counts: AlertCounts, now: Date): Write {
  const { sessionId, currentStageId, expireAt } = session;
  const { kind } = told.report;
  const sequenceNumber = counts.events + 1;
  const event: TimelineEvent = {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: ALERT_EVENTS,
    parentExecutionId: null,
    sequenceNumber,
    iteration: null,
    status: 'completed',
    content: contentOf(told, counts[kind] + 1),
    metadata: { code: CODES[kind], subject: kind },
    expireAt,
    createdAt: now,
  };
  return create(paths.event(sessionId, ALERT_EVENTS, sequenceNumber), timelineEventType, event);
}

function contentOf({ report: { kind, at }, alert }: ToldReport, count: number): string {
  const members = membersText(alert.members);
  switch (kind) {
    case 'firing':
      return `The source reports it again: seen ${count} times by now.${members}`;
    case 'resolved':
      return `The source says that it is resolved, at ${timeText(at)}.${members}`;
    case 'acknowledged':
      return `The source says that people know of it.${members}`;
  }
}

/** ` Firing: A, B. Resolved: C.`, for a group. */
function membersText(members: readonly AlertMember[]): string {
  const statuses = [...new Set(members.map(({ status }) => status))];
  return statuses
    .map((status) => {
      const own = members.filter((member) => member.status === status);
      const named = own.slice(0, NAMED_MEMBERS).map(({ title }) => title);
      const more = own.length > named.length ? `, and ${own.length - named.length} more` : '';
      return ` ${status[0]?.toUpperCase()}${status.slice(1)}: ${named.join(', ')}${more}.`;
    })
    .join('');
}

/** `2026-11-22 09:12:30 UTC`. */
function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
