// Events about reports after a session's opening. Only some of many repetitions have an event.

import type { AlertReport } from '../../alerts/incident.ts';
import type { Alert, AlertMember } from '../../alerts/schema/alert.ts';
import type { Write } from '../../core/contract/store.ts';
import type { Session } from '../../core/schema/session.ts';
import type { NoticeCode } from '../../core/schema/timelineEvent.ts';
import { alertEvent } from '../../kits/alerts/alertEvents.ts';
import { secondText } from '../../text/times.ts';

/** Alerts of a group that an event names. */
const NAMED_MEMBERS = 6;

const CODES: Record<AlertReport['kind'], NoticeCode> = {
  firing: 'alert_repeated',
  resolved: 'alert_resolved',
  acknowledged: 'alert_acknowledged',
};

interface TimelineReport {
  /** Whether the alert fires, was resolved or was acknowledged, and when. */
  report: AlertReport;
  /** The alert with the marks of the session. */
  alert: Pick<Alert, 'members'>;
}

/** The event of a report. @param counts the reports of its kind, with it, and the events before it. */
export function reportEvent(
  session: Session,
  reported: TimelineReport,
  counts: { total: number; events: number },
  now: Date,
): Write {
  const { kind } = reported.report;
  const content = formatReportContent(reported, counts.total);
  return alertEvent(session, { code: CODES[kind], subject: kind, content }, counts, now);
}

function formatReportContent({ report: { kind, at }, alert }: TimelineReport, count: number): string {
  const members = membersText(alert.members);
  switch (kind) {
    case 'firing':
      return `The source reports it again: seen ${count} times by now.${members}`;
    case 'resolved':
      return `The source reports it as resolved, at ${secondText(at)}.${members}`;
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
