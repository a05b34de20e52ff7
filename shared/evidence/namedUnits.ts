// The units that results name beside their numbers: in a key, the head of a table, a list or a record. Pure.

import { isWord, type Token } from './tokens.ts';
import { type NumberValue, numberAt, type Value } from './values.ts';

/** Tokens behind a value within which its record names a unit. */
const MOST_AFTER = 32;

/** Units in keys or heads of tables: `latencyMs`, `timeoutSeconds`, `size_bytes`, `read_mb_s`. */
const NAMED_UNITS: readonly [RegExp, NumberValue['measure'], readonly number[]][] = [
  [/(?:[a-z\d]M|_m|^m|^M)(?:s|illis|illiseconds)$|[a-z]Millis$/, 'time', [1e-3]],
  [/(?:_us|[mM]icros|[mM]icroseconds)$/, 'time', [1e-6]],
  [/(?:[nN]anos|[nN]anoseconds|_ns)$/, 'time', [1e-9]],
  [/(?:[sS]econds|[sS]ecs|_s(?:ecs?)?)$/, 'time', [1]],
  [/(?:[mM]inutes|_min)$/, 'time', [60]],
  [/[hH]ours$/, 'time', [3600]],
  [/[dD]ays$/, 'time', [86_400]],
  [/[bB]ytes$/, 'size', [1]],
  [/(?:^|[a-z_])(?:[Kk]i[Bb]|Kb|KB|kB|kb)$/, 'size', [1024, 1e3]],
  [/(?:^|[a-z_])(?:[Mm]i[Bb]|Mb|MB|mb)$/, 'size', [1024 ** 2, 1e6]],
  [/(?:^|[a-z_])(?:[Gg]i[Bb]|Gb|GB|gb)$/, 'size', [1024 ** 3, 1e9]],
  [/(?:[pP]ercent|Pct|_pct|%)$/, 'share', [1]],
];
/** Behind a unit: `_s`, `/s`, `_per_second`. */
const PER_SECOND = /(?<=[bB])(?:_s|ps|\/s)$|(?:_per_|Per)[sS]ec(?:ond)?$/;
type NamedUnit = Pick<NumberValue, 'measure' | 'factors'>;

/** The units of names: results repeat theirs. */
const KNOWN = new Map<string, NamedUnit | undefined>();
const MOST_KNOWN = 20_000;

export function findNamedUnit(name: string): NamedUnit | undefined {
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
  if (!KNOWN.has(name)) KNOWN.set(name, readUnit(name));
  return KNOWN.get(name);
}

function readUnit(name: string): NamedUnit | undefined {
  const word = name.replace(PER_SECOND, '');
  const [, measure, factors] = NAMED_UNITS.find(([unit]) => unit.test(word)) ?? [];
  return measure === undefined || factors === undefined ? undefined : { measure, factors };
}

/** `"unit": "s"`, `"unit": [{"family": "time", "name": "millisecond"`, `"__name__": "…_duration_ms"`. */
const UNIT_OF_SERIES =
  /"(?:unit"\s*:\s*(?:\[?\s*\{[^{}]*"name"\s*:\s*)?"([\p{L}%]+)|__name__"\s*:\s*"(\w+))"/gu;

/** The unit that a text names for the series at a position: the last one before it, or the only one. */
export function seriesUnits(text: string): (at: number) => NamedUnit | undefined {
  const found = [...text.matchAll(UNIT_OF_SERIES)].map(({ index, 1: unit, 2: metric = '' }) => {
    const value = unit === undefined ? findNamedUnit(metric) : numberAt(`1 ${unit.toLowerCase()}`, 0)?.value;
    return { index, unit: value?.measure === '' ? undefined : value };
  });
  return (at) => (found.findLast(({ index }) => index < at) ?? found[0])?.unit;
}

/** The unit that the record of a value names after it: `"Average":4.1,"Maximum":97.3,"Unit":"Percent"`. */
export function recordUnit(line: readonly Token[], index: number): NamedUnit | undefined {
  for (let at = index + 1; at < Math.min(line.length, index + MOST_AFTER); at++) {
    const { word } = line[at] as Token;
    if (word === '}' || word === '{') return undefined;
    if (word.toLowerCase() === 'unit')
      return findNamedUnit(line.slice(at + 1, at + 3).find(isWord)?.word ?? '');
  }
  return undefined;
}

/** A number without a unit has a named one. */
export const withUnit = (value: Value, unit: NamedUnit | undefined): Value =>
  unit !== undefined && value.kind === 'number' && value.measure === ''
    ? { ...value, measure: unit.measure, factors: unit.factors }
    : value;

/** Between the columns of a table. */
const COLUMNS = /[,;\t|]| {2,}/g;
/** A line that can be the head of a table. */
const HEAD_LINE = /^[ \t|]*[A-Za-z%][\w%()/ .,;\t|-]*$/gm;
/** A cell of the head of a table. */
const HEAD_CELL = /^ *[A-Za-z%][\w%()/ .-]*$/;

/** The unit that the head of its column names for a value: `used_gb`, `temp_bytes`. */
export function columnUnits(text: string): (token: Token) => NamedUnit | undefined {
  const splits = [COLUMNS, /\s+/g];
  const cellsOf = (line: string): string[][] => splits.map((split) => line.trim().split(split));
  const heads: { start: number; cells: string[][] }[] = [];
  for (const { index, 0: line } of text.matchAll(HEAD_LINE)) {
    const cells = cellsOf(line);
    if ((cells[0]?.length ?? 0) > 2 && cells[0]?.every((cell) => HEAD_CELL.test(cell)))
      heads.push({ start: index, cells });
  }
  return ({ start }) => {
    const head = heads.findLast((one) => one.start <= start);
    if (head === undefined) return undefined;
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const end = text.indexOf('\n', start);
    const cells = cellsOf(text.slice(from, end < 0 ? undefined : end));
    const before = text.slice(from, start).trimStart();
    const found = splits.map((split, index) => {
      const names = head.cells[index] ?? [];
      const name = names[before.match(split)?.length ?? 0];
      return names.length === cells[index]?.length && name !== undefined
        ? findNamedUnit(name.trim())
        : undefined;
    });
    return found[0] ?? found[1];
  };
}
