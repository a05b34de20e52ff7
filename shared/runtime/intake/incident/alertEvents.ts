// Events about reports of an alert's source after its session was opened. They have sequence numbers of their own, so that they
// change neither the session nor its executions. Of many repetitions only some have an event.

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

/** A report for the timeline of a session. */
export interface TimelineReport {
  report: AlertReport;
  /** The alert with the marks of the session. */
  alert: Pick<Alert, 'members'>;
}

/** Whether a report has an event. The first report that the alert fires has none: the session itself shows it. */
export function hasReportEvent({ kind }: AlertReport, counts: AlertCounts): boolean {
  const count = counts[kind] + 1;
  return (kind !== 'firing' || count > 1) && hasEvent(count);
}

/** The counts of a session without reports. */
export function noCounts(lastAt: Date, expireAt: Date): AlertCounts {
  return { firing: 0, resolved: 0, acknowledged: 0, joined: 0, events: 0, lastAt, expireAt };
}

/** The event of a report. @param counts the reports before it. */
export function alertEvent(
  session: Session,
  reported: TimelineReport,
  counts: AlertCounts,
  now: Date,
): Write {
  const { sessionId, currentStageId, expireAt } = session;
  const { kind } = reported.report;
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
    content: contentOf(reported, counts[kind] + 1),
    metadata: { code: CODES[kind], subject: kind },
    expireAt,
    createdAt: now,
  };
  return create(paths.event(sessionId, ALERT_EVENTS, sequenceNumber), timelineEventType, event);
}

function contentOf({ report: { kind, at }, alert }: TimelineReport, count: number): string {
  const members = membersText(alert.members);
  switch (kind) {
    case 'firing':
      return `The source reports it again: seen ${count} times by now.${members}`;
    case 'resolved':
      return `The source reports it as resolved, at ${timeText(at)}.${members}`;
    case 'acknowledged':
      return `The source reports that people know of it.${members}`;
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
