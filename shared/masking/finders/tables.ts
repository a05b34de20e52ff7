// Secrets in tables: below a head that names a secret, or beside a key that does. In lines of psql and mysql,
// CSV, columns that blanks align, Markdown, boxes, and the keys and values that `vault kv get` and `--output
// table` print.

import { isSecret } from '../scan/assignedValue.ts';
import { findKeyMeaning, type KeyMeaning } from '../scan/keyNames.ts';
import type { Scan } from '../scan/scan.ts';
import { isPlaceholder } from '../scan/values.ts';

/** A cell: UTF-16 offsets in the text, end excluded, and its text without blanks and quotes. */
interface Cell {
  start: number;
  end: number;
  text: string;
}

/** A column of secrets, by its place in the row. */
interface Column {
  /** Index of the cell. */
  index: number;
  /** Offset of the head in its line, for columns that blanks align. */
  offset: number;
  meaning: KeyMeaning;
}

/** A table whose rows are being read. */
interface Table {
  separator: Separator;
  /** Number of cells of its head. */
  width: number;
  columns: readonly Column[];
  rows: number;
}

const MAX_CELLS = 40;
/** How the cells of a row are separated. */
type Separator = (typeof HEADS)[number][0];
/** The separators of heads, and the number of cells above which empty ones at its ends are borders. */
const HEADS = [
  ['|', 0],
  ['\t', MAX_CELLS],
  [',', MAX_CELLS],
  [';', MAX_CELLS],
  ['  ', 0],
] as const;
/** Separators, and cells in quotes that can contain them. */
const SPLIT: Record<Separator, RegExp> = {
  '|': /[|\u2502\u2551]/g,
  '\t': /\t/g,
  ',': /,|(?<=(?:^|,)\s{0,4})"[^",]*,[^"]*"/g,
  ';': /;|(?<=(?:^|;)\s{0,4})"[^";]*;[^"]*"/g,
  '  ': /[ \t]{2,}/g,
};
/** A line without one is no row. */
const NAMES = /pass|pwd|pw(?![a-z])|token|secret|key|cred/i;
const LONGEST_LINE = 2000;
const MAX_ROWS = 1000;
const HAS_CELLS = /[|\t,;\u2502\u2551]|\S[ \t]{2}/;
/** A name as heads and keys are: a word or two. */
const NAME = /^[A-Za-z][\w.:-]{0,60}(?: [A-Za-z][\w.-]{0,30}){0,2}$/;
/** A rule between head and rows. */
const RULE = /^[\s|+:=_\u2500-\u257f-]*[-=\u2500\u2550]{2}[\s|+:=_\u2500-\u257f-]*$/;
/** The head of the values of a secret in Vault. */
const VAULT = /^=+ (?:Data|Secret Data) =+$/;

/** Finds secrets in tables. */
export function findInTables(scan: Scan): void {
  const { text } = scan;
  if (!NAMES.test(text) && !text.includes('= Data =')) return;
  let table: Table | undefined;
  let isVault = false;
  for (let start = 0, next = 0; start < text.length; start = next) {
    const newline = text.indexOf('\n', start);
    next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, Math.min(newline < 0 ? text.length : newline, start + LONGEST_LINE));
    scan.spend(line.length + 1);
    if (table === undefined && !isVault && !NAMES.test(line) && !line.startsWith('=')) continue;
    if (RULE.test(line)) continue;
    if (VAULT.test(line.trim()) || line.trim() === '') {
      isVault = line.trim() !== '';
      table = undefined;
      continue;
    }
    if (!HAS_CELLS.test(line)) {
      table = undefined;
      continue;
    }
    if (table !== undefined && !readRow(scan, table, line, start)) table = undefined;
    if (table === undefined && isVault) readTablePair(scan, line, start);
    if (table !== undefined || !NAMES.test(line)) continue;
    table = readHead(line, start, text.slice(next, next + LONGEST_LINE));
    if (table === undefined) readTableKey(scan, line, start);
  }
}

/** The cells of a line. While there are more than `width`, empty ones at its ends count as borders. */
function splitTableCells(line: string, start: number, separator: Separator, width = 0): Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  const add = (to: number): void => {
    const written = line.slice(from, to);
    const text = written.trim().replace(/^(["'`])(.*)\1$/, '$2');
    const at = start + from + written.indexOf(text);
    cells.push({ start: at, end: at + text.length, text });
  };
  for (const { index, 0: sign } of line.matchAll(SPLIT[separator])) {
    if (cells.length >= MAX_CELLS) return [];
    if (sign[0] === '"') continue;
    add(index);
    from = index + sign.length;
  }
  add(line.length);
  // Blanks before the first cell indent the line.
  const most = separator === '  ' ? 0 : width;
  if (cells.length > most && cells[0]?.text === '') cells.shift();
  if (cells.length > most && cells.at(-1)?.text === '') cells.pop();
  return cells;
}

/** The table of which a line is the head; undefined if it is none, or the line behind it is no row. */
function readHead(line: string, start: number, behind: string): Table | undefined {
  const [first = '', second = ''] = behind.split('\n', 2);
  const isRuled = RULE.test(first);
  const row = isRuled ? second : first;
  for (const [separator, most] of HEADS) {
    if (separator !== '|' && separator !== '  ' && !line.includes(separator)) continue;
    const cells = splitTableCells(line, start, separator, most);
    if (cells.length < 2 || !cells.every(({ text }) => text === '' || NAME.test(text))) continue;
    const columns = cells.flatMap(({ text, start: at }, index): Column[] => {
      const meaning = findKeyMeaning(text.replaceAll(' ', '_'));
      return meaning === undefined || /^keys?$/i.test(text) ? [] : [{ index, offset: at - start, meaning }];
    });
    if (columns.length === 0) continue;
    const width = splitTableCells(row, 0, separator, cells.length).length;
    const isRow = width === cells.length || (separator === '  ' && width > 1);
    if (isRow && (isRuled || isHead(cells, columns, separator)))
      return { separator, width: cells.length, columns, rows: 0 };
  }
  return undefined;
}

/** Whether a line is a head without a rule below it: two cells can also be a key and its value. */
function isHead(cells: readonly Cell[], columns: readonly Column[], separator: Separator): boolean {
  if (separator === '|') return false;
  const named = cells.filter(({ text }) => text !== '');
  const isFirst = cells[columns[0]?.index ?? 0] === named[0];
  return named.length > 2 || !isFirst || named.every(({ text }) => /^[A-Z][A-Z_ ]*$/.test(text));
}

/** Reports the secrets of a row; false if the line is no row of the table. */
function readRow(scan: Scan, table: Table, line: string, start: number): boolean {
  const { separator, width, columns } = table;
  const cells = splitTableCells(line, start, separator, width);
  if (++table.rows > MAX_ROWS) return false;
  if (cells.length !== width && separator !== '  ') return false;
  if (cells.length < 2 && separator === '  ' && !/^\s{4}/.test(line)) return false;
  for (const { index, offset, meaning } of columns) {
    const cell =
      cells.length === width
        ? cells[index]
        : cells.find(({ start: at }) => Math.abs(at - start - offset) <= 1);
    if (cell !== undefined) reportCell(scan, cell, meaning);
  }
  return true;
}

/** Reports the value beside a key, of which a line has no other cells. */
function readTableKey(scan: Scan, line: string, start: number): void {
  for (const separator of ['|', '\t', ',', ';', '  '] as const) {
    const cells = splitTableCells(line, start, separator);
    const [key, value] = cells;
    if (cells.length !== 2 || key === undefined || value === undefined || !NAME.test(key.text)) continue;
    const meaning = findKeyMeaning(key.text.replaceAll(' ', '_'));
    const isList = separator === ',' || separator === ';';
    // `password, wrong` is a sentence.
    if (isList && (/[,;]\s/.test(line) || /^[a-z]+$/i.test(value.text))) return;
    if (meaning?.sure) reportCell(scan, value, meaning);
    return;
  }
}

/** Reports a value of a secret of Vault, whatever its key is. */
function readTablePair(scan: Scan, line: string, start: number): void {
  const [key, value] = splitTableCells(line, start, '  ');
  if (key === undefined || value === undefined || (key.text === 'Key' && value.text === 'Value')) return;
  if (!isPlaceholder(value.text) && value.text.length >= 4)
    scan.found(value.start, start + line.trimEnd().length, 'secret');
}

function reportCell(scan: Scan, { start, end, text }: Cell, meaning: KeyMeaning): void {
  // Words are an explanation.
  if (text.length < 4 || /\s|^\d{1,3}$|[\u2500-\u257f]/.test(text)) return;
  if (isSecret(text, meaning, { quoted: true })) scan.found(start, end, meaning.kind);
}
