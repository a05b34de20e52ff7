// How often the source of a session's alert reported it, for people.

import type { RawDocuments } from '../../shared/contract/rawDocuments.ts';
import { paths } from '../../shared/schema/documents.ts';
import type { AlertCounts } from '../../shared/schema/incident.ts';
import type { Session } from '../../shared/schema/session.ts';
import { numberAt } from './fieldAt.ts';
import { onOneLine } from './textTable.ts';

/** How often an alert was reported: with the report that opened its session. */
export interface AlertReports {
  firing: number;
  resolved: number;
  acknowledged: number;
}

/** What `show` says of the reports of an alert. */
export type ReportsView = AlertReports & Pick<AlertCounts, 'lastAt'>;

/** The reports as they are counted; null for a session whose alert has no identity. */
export function reportsView(counts: AlertCounts | undefined): ReportsView | null {
  if (counts === undefined) return null;
  const { firing, resolved, acknowledged, lastAt } = counts;
  return { firing, resolved, acknowledged, lastAt };
}

/** `seen 14 times since 2026-11-22 09:12 UTC, 3 times resolved`; null for what was reported once. */
export function reportsText(
  reports: AlertReports | null,
  { alert, createdAt }: Pick<Session, 'alert' | 'createdAt'>,
): string | null {
  if (reports === null || reports.firing + reports.resolved + reports.acknowledged < 2) return null;
  const since = (alert?.startedAt ?? createdAt).toISOString().slice(0, 16).replace('T', ' ');
  return [`seen ${times(reports.firing)} since ${since} UTC`, ...ends(reports)].join(', ');
}

/** `14 times, 3 times resolved`, for a line of a list; null for what was reported once. */
export function reportsCell(reports: AlertReports | null): string | null {
  if (reports === null || reports.firing + reports.resolved + reports.acknowledged < 2) return null;
  return [times(reports.firing), ...ends(reports)].join(', ');
}

function ends({ resolved, acknowledged }: AlertReports): string[] {
  return [
    ...(resolved > 0 ? [`${times(resolved)} resolved`] : []),
    ...(acknowledged > 0 ? [`${times(acknowledged)} acknowledged`] : []),
  ];
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** What alert and reports are about, as lines: title, severity, source, start, link, how often it was reported. */
export function alertLines(
  session: Pick<Session, 'alert' | 'createdAt'>,
  counts: AlertCounts | undefined,
): string[] {
  const { alert } = session;
  if (alert === null) return [];
  const start = alert.startedAt === null ? '' : `, since ${alert.startedAt.toISOString()}`;
  const seen = reportsText(reportsView(counts), session);
  const lines = [
    `alert ${alert.title} (${alert.severity ?? 'no severity'}, ${alert.source})${start}`,
    ...(seen === null ? [] : [seen]),
    ...(alert.url === null ? [] : [alert.url]),
  ];
  return lines.map(onOneLine);
}

/** The reports of the sessions of a list, by their ids; null for those without. One document is read for each. */
export async function readReports(
  sessionIds: readonly string[],
  documents: RawDocuments,
): Promise<Map<string, AlertReports | null>> {
  const read = async (sessionId: string): Promise<[string, AlertReports | null]> => {
    const found = await documents.get(paths.alertCounts(sessionId));
    const countOf = (field: keyof AlertReports) => (found && numberAt(found.fields, field)) ?? 0;
    if (found === undefined) return [sessionId, null];
    return [
      sessionId,
      { firing: countOf('firing'), resolved: countOf('resolved'), acknowledged: countOf('acknowledged') },
    ];
  };
  return new Map(await Promise.all(sessionIds.map(read)));
}
