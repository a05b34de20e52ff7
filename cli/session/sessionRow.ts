// A session in a list: what is read of its document, and how it is shown.

import type pc from 'picocolors';
import type { RawDocument } from '../../shared/contract/rawDocuments.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import { numberAt, textAt, timeAt } from './fieldAt.ts';
import { type AlertReports, reportsCell } from './reports.ts';
import { alignColumns, columnsOf, cutToColumns, onOneLine } from './textTable.ts';

/** The fields of a session that a list needs; the alert's text and the analysis are not read. */
export const ROW_FIELDS = [
  'status',
  'alert.title',
  'alert.severity',
  'alert.source',
  'alert.identity',
  'chain.name',
  'cost',
  'createdAt',
  'endedAt',
  'rerunOf',
  'kind',
];

/** The narrowest title that stands in the line of its session; else it has a line of its own. */
const MIN_TITLE = 24;

/** A session in a list. What its document does not hold, or not as it should, is null. */
export interface SessionRow {
  sessionId: string;
  title: string | null;
  severity: string | null;
  source: string | null;
  /** Whether further reports of the same alert belong to it. */
  hasIdentity: boolean;
  /** How often the alert was reported; null for one that has no identity, or where that was not read. */
  reports: AlertReports | null;
  status: string | null;
  chain: string | null;
  /** ISO 8601, UTC. */
  createdAt: string | null;
  endedAt: string | null;
  /** From its opening to its end, or to now. */
  durationMs: number | null;
  cost: { usd: number | null; unpricedCalls: number | null };
  rerunOf: string | null;
  /** `investigation` or `chat`. */
  kind: string | null;
}

/** The row of a document, whatever is stored in it. `now` ends the duration of a session that runs. */
export function sessionRow({ id, fields }: RawDocument, now: Date): SessionRow {
  const status = textAt(fields, 'status');
  const createdAt = timeAt(fields, 'createdAt');
  const endedAt = timeAt(fields, 'endedAt');
  const runs = status !== null && !isTerminal(status) && status !== 'deferred';
  const until = endedAt ?? (runs ? now.toISOString() : null);
  const durationMs = createdAt === null || until === null ? null : Date.parse(until) - Date.parse(createdAt);
  return {
    sessionId: id,
    title: textAt(fields, 'alert', 'title'),
    severity: textAt(fields, 'alert', 'severity'),
    source: textAt(fields, 'alert', 'source'),
    hasIdentity: textAt(fields, 'alert', 'identity') !== null,
    reports: null,
    status,
    chain: textAt(fields, 'chain', 'name'),
    createdAt,
    endedAt,
    durationMs,
    cost: {
      usd: numberAt(fields, 'cost', 'usd'),
      unpricedCalls: numberAt(fields, 'cost', 'unpricedCalls'),
    },
    rerunOf: textAt(fields, 'rerunOf'),
    kind: textAt(fields, 'kind'),
  };
}

/**
 * Rows as lines, with a heading.
 * @param columns of the terminal; undefined where there is none: nothing is cut then, and each session has one line.
 */
export function tableOf(
  rows: readonly Omit<SessionRow, 'hasIdentity'>[],
  columns: number | undefined,
  c: ReturnType<typeof pc.createColors>,
): string[] {
  const heads = ['SESSION', 'STATUS', 'TIME', 'COST', 'CHAIN'];
  const cells = rows.map(({ sessionId, status, durationMs, cost, chain }) => [
    onOneLine(sessionId),
    onOneLine(status ?? '?'),
    durationMs === null ? '-' : durationText(durationMs),
    costCell(cost),
    onOneLine(chain ?? '-'),
  ]);
  const lines = alignColumns([heads, ...cells]);
  const width = Math.max(...lines.map(columnsOf));
  const left = columns === undefined ? Number.POSITIVE_INFINITY : columns - width - 2;
  const titles = rows.map(({ title, kind, severity, reports }) => {
    const seen = [severity, reportsCell(reports)].filter((text) => text !== null).join('; ');
    return onOneLine(
      `${title ?? (kind === 'chat' ? 'a chat' : 'no alert')}${seen === '' ? '' : ` (${seen})`}`,
    );
  });
  const isBeside = left >= MIN_TITLE;
  const pad = (line: string) => line + ' '.repeat(width - columnsOf(line));
  const cut = (line: string) => (columns === undefined ? line : cutToColumns(line, columns));
  const [head = '', ...body] = lines;
  return [
    c.dim(cut(isBeside ? `${pad(head)}  ALERT` : head)),
    ...body.flatMap((line, index) => {
      const title = titles[index] ?? '';
      const paint = paintOf(rows[index]?.status ?? null, c);
      return isBeside
        ? [paint(cut(`${pad(line)}  ${title}`))]
        : [paint(cut(line)), c.dim(cut(`    ${title}`))];
    }),
  ];
}

/** `45 s`, `2:05 min`, `1:02 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)} min`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))} h`;
}

/** `+` behind a sum to which calls without a price come. */
function costCell({ usd, unpricedCalls }: SessionRow['cost']): string {
  if (usd === null) return '?';
  if (unpricedCalls !== null && unpricedCalls > 0) return usd === 0 ? '?' : `$${usd.toFixed(4)}+`;
  return `$${usd.toFixed(4)}`;
}

function paintOf(status: string | null, c: ReturnType<typeof pc.createColors>): (text: string) => string {
  if (status === 'failed' || status === 'timed_out') return c.red;
  if (status === 'cancelled' || status === 'deferred') return c.yellow;
  return status === 'completed' ? (text) => text : c.cyan;
}
