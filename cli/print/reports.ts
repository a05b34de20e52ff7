// Formats the state of a problem, and how often the source of an alert reported it.

import type { SessionRow } from '../../shared/kits/views/sessionRow.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import { type ProblemState, problemWords, utcMoment } from '../../shared/text/problemWords.ts';
import { onOneLine } from './textTable.ts';

/** `Firing since 18:24 UTC, repeated 14 times`; null for a session without an alert. */
export function problemText(problem: ProblemState<Date | string> | null, now: Date): string | null {
  return problem && problemWords(problem, (at) => utcMoment(new Date(at), now));
}

/** `seen 14 times since 2026-11-22 09:12 UTC, 3 times resolved, 2 other alerts joined`; or null. */
export function reportsText(
  reports: SessionRow['reports'],
  { alert, createdAt }: Pick<SessionView, 'alert' | 'createdAt'>,
): string | null {
  if (reports === null || !isRepeated(reports)) return null;
  const since = (alert?.startedAt ?? createdAt).toISOString().slice(0, 16).replace('T', ' ');
  return [`seen ${times(reports.firing)} since ${since} UTC`, ...endTexts(reports)].join(', ');
}

/** `14 times, 3 times resolved`, for a line of a list; null for a single report. */
export function reportsCell(reports: SessionRow['reports']): string | null {
  if (reports === null || !isRepeated(reports)) return null;
  const isSeenOnce = reports.firing + reports.resolved + reports.acknowledged < 2;
  return [...(isSeenOnce ? [] : [times(reports.firing)]), ...endTexts(reports)].join(', ');
}

/** Whether there is more than a single report. */
function isRepeated({ firing, resolved, acknowledged, joined }: NonNullable<SessionRow['reports']>): boolean {
  return firing + resolved + acknowledged >= 2 || joined > 0;
}

function endTexts({ resolved, acknowledged, joined }: NonNullable<SessionRow['reports']>): string[] {
  return [
    ...(resolved > 0 ? [`${times(resolved)} resolved`] : []),
    ...(acknowledged > 0 ? [`${times(acknowledged)} acknowledged`] : []),
    ...(joined > 0 ? [`${joined} other ${joined === 1 ? 'alert' : 'alerts'} joined`] : []),
  ];
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** The alert as lines: title, severity, source, start, state of the problem, number of reports and link. */
export function alertLines(
  session: Pick<SessionView, 'alert' | 'createdAt'> & {
    reports: SessionRow['reports'];
    problem: ProblemState | null;
  },
  now: Date,
): string[] {
  const { alert, reports } = session;
  if (alert === null) return [];
  const start = alert.startedAt === null ? '' : `, since ${alert.startedAt.toISOString()}`;
  const seen = reportsText(reports, session);
  const problem = problemText(session.problem, now);
  const lines = [
    `alert ${alert.title} (${alert.severity ?? 'no severity'}, ${alert.source})${start}`,
    ...(problem === null ? [] : [problem]),
    ...(seen === null ? [] : [seen]),
    ...(alert.url === null ? [] : [alert.url]),
  ];
  return lines.map(onOneLine);
}
