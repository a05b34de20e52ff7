// Formats a list of sessions as a table.

import type pc from 'picocolors';
import { placeText } from '../../shared/alerts/alertLocation.ts';
import type { SessionRow as StoredRow } from '../../shared/kits/views/sessionRow.ts';
import { dollarsText, durationText } from '../../shared/text/amounts.ts';
import type { ProblemState } from '../../shared/text/problemWords.ts';
import { verdictWord } from '../../shared/text/verdictWord.ts';
import { problemText, reportsCell } from './reports.ts';
import { alignColumns, cutToColumns, measureColumns, onOneLine } from './textTable.ts';

/** A row with times as dates, or as the API returns them. */
type SessionRow = Omit<StoredRow, 'problem'> & { problem: ProblemState<Date | string> | null };

/** The minimum width of a title in the line of its session; a narrower one gets a separate line. */
const MIN_TITLE = 24;
/** Up to this width, a line has title, state and id only. */
const NARROW = 60;
/** Bounds of a shortened id. */
const MIN_ID = 16;
const MAX_ID = 30;

/** The columns before the title: head and cell. */
const COLUMNS: readonly (readonly [head: string, cell: (row: SessionRow, now: Date) => string])[] = [
  ['SESSION', ({ sessionId }) => sessionId],
  ['PROBLEM', ({ problem }, now) => problemCell(problem, now)],
  ['STATUS', ({ status }) => status ?? '?'],
  ['TIME', ({ durationMs }) => (durationMs === null ? '-' : durationText(durationMs))],
  ['COST', ({ cost }) => costCell(cost)],
  ['CHAIN', ({ chain }) => chain ?? '-'],
];

/**
 * The rows as lines, with a heading.
 * @param columns the width of the terminal. Undefined: lines are not truncated, and each session has one
 * line.
 * @param now decides which times need a day.
 */
export function formatSessionTable(
  rows: readonly SessionRow[],
  columns: number | undefined,
  c: ReturnType<typeof pc.createColors>,
  now: Date,
): string[] {
  if (columns !== undefined && columns <= NARROW) return narrowTable(rows, columns, c, now);
  const heads = COLUMNS.map(([head]) => head);
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => onOneLine(cell(row, now))));
  const lines = alignColumns([heads, ...cells]);
  const width = Math.max(...lines.map(measureColumns));
  const left = columns === undefined ? Number.POSITIVE_INFINITY : columns - width - 2;
  const titles = rows.map(({ title, kind, severity, place, reports, caveats, verdict }) => {
    const where = place === null ? '' : placeText(place);
    const isAtBudget = caveats.includes('BUDGET_REACHED');
    const limited = caveats.length === 0 ? null : isAtBudget ? 'ended at its token budget' : 'limited';
    const facts = [
      verdict == null ? null : verdictWord(verdict),
      severity,
      where,
      reportsCell(reports),
      limited,
    ];
    const seen = facts.filter((text) => text !== null && text !== '').join('; ');
    return onOneLine(
      `${title ?? (kind === 'chat' ? 'a chat' : 'no alert')}${seen === '' ? '' : ` (${seen})`}`,
    );
  });
  const isBeside = left >= MIN_TITLE;
  const pad = (line: string) => line + ' '.repeat(width - measureColumns(line));
  const cut = (line: string) => (columns === undefined ? line : cutToColumns(line, columns));
  const [head = '', ...body] = lines;
  return [
    c.dim(cut(isBeside ? `${pad(head)}  ALERT` : head)),
    ...body.flatMap((line, index) => {
      const title = titles[index] ?? '';
      const paint = chooseStatusPaint(rows[index]?.status ?? null, c);
      return isBeside
        ? [paint(cut(`${pad(line)}  ${title}`))]
        : [paint(cut(line)), c.dim(cut(`    ${title}`))];
    }),
  ];
}

/** Title, state and the start of the id, which commands accept. */
function narrowTable(
  rows: readonly SessionRow[],
  columns: number,
  c: ReturnType<typeof pc.createColors>,
  now: Date,
): string[] {
  const ids = rows.map(({ sessionId }) => onOneLine(sessionId));
  const cells = rows.map((row, index) => [
    row.problem === null ? onOneLine(row.status ?? '?') : problemCell(row.problem, now).split(' ')[0],
    shortId(ids[index] ?? '', ids),
  ]);
  const right = alignColumns([['STATE', 'ID'], ...cells.map(([state = '?', id = '']) => [state, id])]);
  const left = columns - Math.max(...right.map(measureColumns)) - 2;
  const titles = [
    'ALERT',
    ...rows.map((row) => onOneLine(row.title ?? (row.kind === 'chat' ? 'a chat' : 'no alert'))),
  ];
  return titles.map((title, index) => {
    const shown = cutToColumns(title, left);
    const line = `${shown}${' '.repeat(Math.max(0, left - measureColumns(shown)))}  ${right[index]}`;
    return index === 0 ? c.dim(line) : chooseStatusPaint(rows[index - 1]?.status ?? null, c)(line);
  });
}

/** The shortest start of an id that no other one has, at least a date with some letters. */
function shortId(id: string, ids: readonly string[]): string {
  for (let length = MIN_ID; length < Math.min(id.length, MAX_ID); length++) {
    const start = id.slice(0, length);
    if (ids.every((other) => other === id || !other.startsWith(start))) return start;
  }
  return id.slice(0, MAX_ID);
}

/** The badge without repeats, which stand beside the title unless they are all that is known. */
function problemCell(problem: SessionRow['problem'], now: Date): string {
  const isStated = problem?.status !== 'unknown';
  return problemText(problem && { ...problem, ...(isStated && { repeats: 0 }) }, now) ?? '-';
}

/** A sum followed by `+` if it lacks calls without a price; `?`, not $0, if the cost is unknown. */
function costCell({ usd, unpricedCalls }: SessionRow['cost']): string {
  if (usd === null || unpricedCalls === null) return '?';
  if (usd === 0 && unpricedCalls > 0) return '?';
  const sum = dollarsText(usd, '<');
  return unpricedCalls === 0 ? sum : `${sum}+`;
}

function chooseStatusPaint(
  status: string | null,
  c: ReturnType<typeof pc.createColors>,
): (text: string) => string {
  if (status === 'failed' || status === 'timed_out') return c.red;
  if (status === 'cancelled' || status === 'deferred') return c.yellow;
  return status === 'completed' ? (text) => text : c.cyan;
}
