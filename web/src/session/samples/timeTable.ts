// Tables with a column of times: fixed columns, CSV and markdown. Their other columns are values, or labels.

import type { Nodes } from 'mdast';
import { parseCsv } from '../../../../shared/config/csv.ts';
import { splitColumnCells, splitHeadColumns } from '../../../../shared/evidence/records/columns.ts';
import type { Series } from '../../../../shared/evidence/series.ts';
import { listNodeChildren, parseMarkdown, plainText } from '../../markdown/parse.ts';

type Rows = readonly (readonly string[])[];

const TIME_NAME = /^@?(?:time|timestamp|date|ts|minute|hour|day)\b|[_ ](?:time|at|timestamp)$/i;
/** Numbers that name something. */
const LABEL_NAME = /(?:^|[_ ])(?:id|code|status|port|pid|line)$/i;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*%?$/i;
const NO_NUMBER = /^(?:|-|–|null|none|nan|n\/a|[-+]?inf)$/i;
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?\s*(?:Z|UTC|[-+]\d\d:?\d\d)?$/;

/** A table's series: one per column of values and labels. @returns undefined for other text. */
export function readTimeTable(text: string, isCut: boolean): Series[] | undefined {
  const rows = markdownRows(text) ?? csvRows(text, isCut) ?? fixedRows(text, isCut);
  const [head, ...body] = rows ?? [];
  if (head === undefined || body.length < 2) return undefined;
  const cells = (column: number) => body.map((row) => row[column]?.trim() ?? '');
  const times = head.findIndex(
    (name, at) =>
      TIME_NAME.test(name.trim()) && cells(at).every((cell) => !Number.isNaN(parseTableTime(cell))),
  );
  if (times === -1) return undefined;
  const columns = head.flatMap((name, at) => (at === times ? [] : [readColumn(name.trim(), at, cells(at))]));
  const labels = columns.filter(({ isValue }) => !isValue);
  const values = columns.filter(({ isValue }) => isValue);
  const readKey = (row: readonly string[]) => JSON.stringify(labels.map(({ at }) => row[at]));
  const groups = [...Map.groupBy(body, readKey).values()];
  // Where each row has its own words, it is a list of events.
  if (groups.length > body.length / 2) return undefined;
  return groups.flatMap((group) =>
    values.map(({ name, at, isPercent }) => ({
      metric: name,
      labels: Object.fromEntries(labels.map((one) => [one.name, group[0]?.[one.at] ?? ''])),
      ...(isPercent && { unit: '%' }),
      samples: group
        .map((row) => [parseTableTime(row[times] ?? ''), readAmount(row[at] ?? '')] as const)
        .sort(([a], [b]) => a - b),
    })),
  );
}

/** A column, and whether it has values rather than labels. */
function readColumn(name: string, at: number, cells: readonly string[]) {
  const numbers = cells.filter((cell) => NUMBER.test(cell));
  const isValue =
    !LABEL_NAME.test(name) &&
    numbers.length > 0 &&
    cells.every((cell) => NUMBER.test(cell) || NO_NUMBER.test(cell));
  return { name, at, isValue, isPercent: numbers.every((cell) => cell.endsWith('%')) };
}

const readAmount = (cell: string): number =>
  NUMBER.test(cell.trim()) ? Number.parseFloat(cell) : Number.NaN;

/** Milliseconds since 1970: ISO 8601 (UTC without zone), seconds or milliseconds. Else NaN. */
function parseTableTime(cell: string): number {
  const text = cell.trim();
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (/^\d{13}$/.test(text)) return Number(text);
  if (!ISO.test(text)) return Number.NaN;
  const iso = text
    .replace(/\s*UTC$/, 'Z')
    .replace(/ (?=[-+]|Z)/, '')
    .replace(' ', 'T')
    .replace(',', '.');
  return Date.parse(/(?:Z|[-+]\d\d:?\d\d)$/.test(iso.slice(10)) || iso.length === 10 ? iso : `${iso}Z`);
}

const MARKDOWN_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*\|[ \t:|-]*$/m;

function markdownRows(text: string): Rows | undefined {
  if (!MARKDOWN_RULE.test(text)) return undefined;
  const table = listNodeChildren(parseMarkdown(text)).find(({ type }) => type === 'table');
  return table && listNodeChildren(table).map((row: Nodes) => listNodeChildren(row).map(plainText));
}

function csvRows(text: string, isCut: boolean): Rows | undefined {
  if (!/^[^\n]*,/.test(text)) return undefined;
  const read = parseCsv(isCut ? text.slice(0, text.lastIndexOf('\n')) : text);
  if (!read.ok) return undefined;
  const rows = read.records.map(({ fields }) => fields);
  return rows.every(({ length }) => length === rows[0]?.length) ? rows : undefined;
}

function fixedRows(text: string, isCut: boolean): Rows | undefined {
  const [head = '', ...lines] = text.split('\n');
  const columns = splitHeadColumns(head);
  if (columns.length < 2) return undefined;
  const rows = (isCut ? lines.slice(0, -1) : lines)
    .filter((line) => line.trim() !== '')
    .map((line) => splitColumnCells(line, 0, columns));
  if (!rows.every((row) => row !== undefined)) return undefined;
  const names = columns.map(({ name }) => name);
  return [names, ...rows.map((row) => names.map((name) => row.get(name)?.text ?? ''))];
}
