// Alerts that keep coming: each time they are investigated again, or join a session.

import type { SessionRow } from '../../../../shared/lists/apiTypes.ts';

/** An alert that came more than once. */
interface RepeatedAlert {
  title: string;
  source: string;
  /** Its newest session. */
  sessionId: string;
  sessions: number;
  reports: number;
}

type Row = Pick<SessionRow, 'sessionId' | 'title' | 'source' | 'reports'>;

/** The alerts that came most often. @param rows the newest first. */
export function repeatedAlerts(rows: readonly Row[], most: number): RepeatedAlert[] {
  return [...Map.groupBy(rows, ({ source, title }) => `${source}\n${title}`).values()]
    .map((group) => ({
      title: group[0]?.title ?? '',
      source: group[0]?.source ?? '',
      sessionId: group[0]?.sessionId ?? '',
      sessions: group.length,
      reports: group.reduce((sum, { reports }) => sum + Math.max(1, reports?.firing ?? 1), 0),
    }))
    .filter(({ reports }) => reports > 1)
    .sort((a, b) => b.sessions - a.sessions || b.reports - a.reports)
    .slice(0, most);
}
