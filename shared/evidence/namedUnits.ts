// The units that results name beside their numbers: in a key, the head of a table, a list or a record. Pure.

import { isWord, type Token } from './tokens.ts';
import { type NumberValue, numberAt, type Value } from './values.ts';

/** Tokens behind a value within which its record names a unit. */
const MOST_AFTER = 32;

/** Units that a key or the head of a table names: `latencyMs`, `timeoutSeconds`, `size_bytes`, `used_gb`, `read_mb_s`. */
const NAMED_UNITS: readonly [RegExp, NumberValue['measure'], readonly number[]][] = [
  [/(?:[a-z\d]M|_m|^m|^M)(?:s|illis|illiseconds)$|[a-z]Millis$/, 'time', [1e-3]],
  [/(?:_us|[mM]icros|[mM]icroseconds)$/, 'time', [1e-6]],
  [/(?:[nN]anos|[nN]anoseconds|_ns)$/, 'time', [1e-9]],
  [/(?:[sS]econds|[sS]ecs|_s(?:ecs?)?)$/, 'time', [1]],
  [/[bB]ytes$/, 'size', [1]],
  [/(?:^|[a-z_])(?:[Kk]i[Bb]|Kb|KB|kB|kb)$/, 'size', [1024, 1e3]],
  [/(?:^|[a-z_])(?:[Mm]i[Bb]|Mb|MB|mb)$/, 'size', [1024 ** 2, 1e6]],
  [/(?:^|[a-z_])(?:[Gg]i[Bb]|Gb|GB|gb)$/, 'size', [1024 ** 3, 1e9]],
  [/(?:[pP]ercent|Pct|_pct|%)$/, 'share', [1]],
];
/** Behind a unit: `_s`, `/s`, `_per_second`. */
const PER_SECOND = /(?<=[bB])(?:_s|ps|\/s)$|(?:_per_|Per)[sS]ec(?:ond)?$/;
type NamedUnit = Pick<NumberValue, 'measure' | 'factors'>;

export function unitOf(name: string): NamedUnit | undefined {
  const word = name.replace(PER_SECOND, '');
  const [, measure, factors] = NAMED_UNITS.find(([unit]) => unit.test(word)) ?? [];
  return measure === undefined || factors === undefined ? undefined : { measure, factors };
}

/** The unit at the end of a list: `0.8/88.2/301.5 ms`. */
export function listUnit(line: readonly Token[], index: number): NamedUnit | undefined {
  let last = index;
  while (line[last + 1]?.word === '/' && line[last + 2]?.value !== undefined) last += 2;
  const value = last === index ? undefined : line[last]?.value;
  return value?.kind === 'number' && value.measure !== '' ? value : undefined;
}

/** `"unit": "s"`, `"unit": [{"family": "time", "name": "millisecond"`, `"__name__": "request_duration_ms"`. */
const UNIT_OF_SERIES =
  /"(?:unit"\s*:\s*(?:\[?\s*\{[^{}]*"name"\s*:\s*)?"([\p{L}%]+)|__name__"\s*:\s*"(\w+))"/gu;

/** The unit that a text names for the series at a position: the last one before it, or the only one. */
export function seriesUnits(text: string): (at: number) => NamedUnit | undefined {
  const found = [...text.matchAll(UNIT_OF_SERIES)].map(({ index, 1: unit, 2: metric = '' }) => {
    const value = unit === undefined ? unitOf(metric) : numberAt(`1 ${unit.toLowerCase()}`, 0)?.value;
    return { index, unit: value?.measure === '' ? undefined : value };
  });
  return (at) => (found.findLast(({ index }) => index < at) ?? found[0])?.unit;
}

/** The unit that the record of a value names after it: `"Average":4.1,"Maximum":97.3,"Unit":"Percent"`. */
export function recordUnit(line: readonly Token[], index: number): NamedUnit | undefined {
  for (let at = index + 1; at < Math.min(line.length, index + MOST_AFTER); at++) {
    const { word } = line[at] as Token;
    if (word === '}' || word === '{') return undefined;
    if (word.toLowerCase() === 'unit') return unitOf(line.slice(at + 1, at + 3).find(isWord)?.word ?? '');
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
/** A cell of the head of a table. */
const HEAD_CELL = /^ *[A-Za-z%][\w%()/ .-]*$/;

/** The unit that the head of its column names for a value: `used_gb`, `temp_bytes`. */
export function columnUnits(text: string): (token: Token) => NamedUnit | undefined {
  const lines = text.split('\n');
  const splits = [COLUMNS, /\s+/g];
  /** The units of the columns of each line, where it has as many as the head, by how lines are split. */
  const units: (readonly (readonly (NamedUnit | undefined)[])[])[] = [];
  const starts: number[] = [];
  let heads: readonly (readonly (NamedUnit | undefined)[])[] = [];
  let at = 0;
  for (const line of lines) {
    const cells = splits.map((split) => line.trim().split(split));
    const isHead = (cells[0]?.length ?? 0) > 2 && cells[0]?.every((cell) => HEAD_CELL.test(cell));
    if (isHead) heads = cells.map((names) => names.map((name) => unitOf(name.trim())));
    units.push(heads.map((head, index) => (head.length === cells[index]?.length ? head : [])));
    starts.push(at);
    at += line.length + 1;
  }
  /** Tokens come in order. */
  let line = 0;
  return ({ start }) => {
    if (start < (starts[line] ?? 0)) line = 0;
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= start) line++;
    if (units[line]?.every(({ length }) => length === 0)) return undefined;
    const before = text.slice(starts[line] ?? 0, start).trimStart();
    const found = splits.map((split, index) => units[line]?.[index]?.[before.match(split)?.length ?? 0]);
    return found[0] ?? found[1];
  };
}
