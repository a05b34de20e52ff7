// The values and words of a result, each value with the words that identify it.

import { columnUnits, listUnit, recordUnit, seriesUnits, unitOf, withUnit } from './namedUnits.ts';
import { isWord, type Token, type Tokens, tokensOf } from './tokens.ts';
import { DAY, dayTime, instantOf, type Value } from './values.ts';

/** A stored result. */
export interface CheckedSource {
  /** Named where a value is held. */
  id: string;
  /** The whole result, without secrets. */
  text: string;
  /** JSON text of the call's arguments, whose words name its values. Default: none. */
  arguments?: string;
  /** `server.tool`, whose words name its values, too. Default: none. */
  tool?: string;
}

/** Words around a value, in the analysis and in a long line, that identify it. */
const AROUND = 8;
/** Tokens beside a value whose words identify it in the analysis. */
const BESIDE = 11;
const LONG_LINE = 40;
/** Lines that can name the subject of a line. */
const LINES_BEFORE = 2;
/** Lines above it that a line is indented below: the name of a series, `Limits:`. */
const MOST_ABOVE = 6;
/** Letters of a word that are compared: `restarts` is `restart`. */
const STEM = 5;
/** `(x4553 over 16h)`: how often Kubernetes saw an event. */
const TIMES_SEEN = /(?<=\()x(?=(\d+) over )/g;

/** A value of a result. */
export interface Occurrence {
  /** With the unit that its key or its table names. */
  value: Value;
  /** As it is written. */
  written: Value;
  /** Stems of the words around it. */
  around: ReadonlySet<string>;
  /** Stems of the word before it. */
  key: ReadonlySet<string>;
  /** Its line: the index of its first token. */
  line: number;
}

/** The values and words of a result. */
export interface Indexed {
  /** Of the result. */
  id: string;
  /** In the order of the text. */
  values: readonly Occurrence[];
  /** In lower case. */
  words: ReadonlySet<string>;
  /** The words without hyphens, dots and underscores. */
  joined: ReadonlySet<string>;
  /** The starts of words before a hyphen, dot or underscore, and their ends from a hyphen or dot on. */
  parts: ReadonlySet<string>;
  /** Those of the values that a time can equal: times and numbers since 1970. */
  times: readonly Occurrence[];
  /** Their times of day, in order: in both zones where one has an offset. */
  clocks: Float64Array;
  /** All amounts that its values can have, in order. */
  amounts: Float64Array;
}

/** The values of a text with the words around them. */
export function indexOf({ id, text, arguments: args = '', tool = '' }: CheckedSource): Indexed {
  const source = text.replace(TIMES_SEEN, 'x$1 x times ');
  const split = tokensOf(source);
  const words = new Set(split.tokens.filter(isWord).map(({ word }) => word.toLowerCase()));
  const joined = new Set([...words].map(joinParts));
  const parts = new Set([...words].flatMap(partsOf));
  const head = stemsOf([
    ...tokensOf(`${tool.replaceAll(/[._]/g, ' ')} ${args}`).tokens,
    ...split.tokens.slice(0, lineEnd(split, 0)),
  ]);
  // `(MiB)`, after the names of the columns.
  const headUnit = unitOf(/\((\w+)\)/.exec(split.text.slice(0, split.text.indexOf('\n') + 1))?.[1] ?? '');
  const columns = columnUnits(split.text);
  const unitAt = seriesUnits(split.text);
  const values: Occurrence[] = [];
  let lineStart = 0;
  let before: ReadonlySet<string>[] = [];
  /** The lines that the present one is indented below. */
  let above: { indent: number; stems: ReadonlySet<string> }[] = [];
  while (lineStart < split.tokens.length) {
    const end = lineEnd(split, lineStart);
    const line = split.tokens.slice(lineStart, end);
    const own = stemsOf(line);
    const indent = indentOf(split, lineStart);
    above = above.filter((one) => one.indent < indent);
    const headings = above.slice(-MOST_ABOVE).map(({ stems }) => stems);
    above.push({ indent, stems: own });
    const last: Token[] = [];
    const withLines = (near: ReadonlySet<string>): ReadonlySet<string> =>
      new Set([near, head, ...before, ...headings].flatMap((stems) => [...stems]));
    let ofLine: ReadonlySet<string> | undefined;
    for (const [index, token] of line.entries()) {
      const { value } = token;
      if (isWord(token) && last.push(token) > AROUND) last.shift();
      if (value === undefined) continue;
      const isLong = line.length > LONG_LINE;
      if (!isLong) ofLine ??= withLines(own);
      const key = unitOf(last.at(-1)?.word ?? '');
      const named =
        listUnit(line, index) ??
        key ??
        recordUnit(line, index) ??
        columns(token) ??
        (instantOf(value) === undefined ? unitAt(token.start) : undefined) ??
        (isLong ? undefined : headUnit);
      values.push({
        value: withUnit(value, named),
        written: value,
        key: stemsOf(last.slice(-1)),
        line: lineStart,
        around: ofLine ?? withLines(stemsOf([...last, ...line.slice(index, index + AROUND)])),
      });
    }
    before = [...before, own].slice(-LINES_BEFORE);
    lineStart = end;
  }
  const times = values.filter((one) => [one.value, one.written].some(isTime));
  return { id, values, words, joined, parts, times, clocks: clocksOf(times), amounts: amountsOf(values) };
}

/** White space before the first token of a line. */
function indentOf({ text, tokens }: Tokens, first: number): number {
  const start = tokens[first]?.start ?? 0;
  return start - text.lastIndexOf('\n', start - 1) - 1;
}

/** The index behind the last token of a line. */
function lineEnd({ text, tokens }: Tokens, from: number): number {
  const lineBreak = text.indexOf('\n', tokens[from]?.start ?? 0);
  let end = from + 1;
  while (end < tokens.length && (lineBreak === -1 || (tokens[end]?.start ?? 0) < lineBreak)) end++;
  return end;
}

/** Words and names of tokens, shortened to compare them. */
export function stemsOf(tokens: readonly Token[]): Set<string> {
  return new Set(
    tokens.flatMap(({ word }) => {
      const known = STEMS.get(word);
      if (known !== undefined) return known;
      const words = word
        .replaceAll(HUMP, '$1 ')
        .toLowerCase()
        .split(/[^\p{L}]+/u)
        .filter((one) => one.length > 1 && !STOP_WORDS.has(one));
      const stems = words.map((one) => one.replace(ENDING, '').slice(0, STEM));
      if (/\d/.test(word)) stems.unshift(word.toLowerCase());
      if (STEMS.size >= MOST_STEMS) STEMS.clear();
      STEMS.set(word, stems);
      return stems;
    }),
  );
}

/** The stems of words: results repeat theirs. */
const STEMS = new Map<string, readonly string[]>();
const MOST_STEMS = 20_000;

/** `uses` and `used` are `use`, `waiting` is `wait`, `closed` and `close` are one. */
const ENDING = /(?<=\p{L}{3})(?:e?s|ed|ing|e)$|(?<=\p{L}[^e\P{L}]e)d$/u;

/** Before a capital within a word: `userCount`, `OOMKilled`. */
const HUMP = /(\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll}))/gu;

/** Words without information about a value. */
const STOP_WORDS = new Set(
  'is of to in at on by an as be it or if no so we us he me my do go am the and for was were has had have with from that this its are but not all than then into each which when only after before since until per out one two info about over under more less'.split(
    ' ',
  ),
);

/** Of `returned 503`, beside a key `status`. */
const ANSWERS = ['retur', 'answe', 'respo'];

/** The stems around a token of the analysis, within its sentence. */
export function stemsAround(tokens: readonly Token[], index: number, text: string): ReadonlySet<string> {
  const near = tokens.slice(Math.max(0, index - BESIDE), index + BESIDE + 1);
  const at = tokens[index]?.start ?? 0;
  const isSameSentence = ({ start, end }: Token): boolean =>
    !/[.;!?]\s|\n\s*\n/.test(start < at ? text.slice(end, at) : text.slice(at, start));
  const stems = stemsOf(near.filter(isSameSentence));
  return ANSWERS.some((stem) => stems.has(stem)) ? new Set([...stems, 'statu']) : stems;
}

const isTime = (value: Value): boolean => value.kind === 'time' || instantOf(value) !== undefined;

/** `shop-api.eu`: `shop`, `shop-api`, `-api.eu`, `.eu`. */
const partsOf = (word: string): string[] =>
  [...word.matchAll(/[-._]/g)].flatMap(({ index, 0: sign }) =>
    sign === '_' ? [word.slice(0, index)] : [word.slice(0, index), word.slice(index)],
  );

/** The amounts with which a quoted number can equal values: of numbers in any unit, of times in any unit since 1970. */
function amountsOf(values: readonly Occurrence[]): Float64Array {
  const amounts = new Set<number>();
  for (const { value, written } of values)
    for (const one of value === written ? [value] : [value, written]) {
      const [base, factors] = one.kind === 'time' ? [one.ms, TIME_FACTORS] : [one.number, one.factors];
      for (const factor of factors) amounts.add(base * factor);
      if (one.kind === 'number') amounts.add(base).add(base * 100);
    }
  return Float64Array.from(amounts).sort();
}

function clocksOf(times: readonly Occurrence[]): Float64Array {
  const found = times
    .flatMap(({ value, written }) => [value, written])
    .flatMap((one) => {
      const ms = one.kind === 'time' ? one.ms : instantOf(one);
      return ms === undefined ? [] : [dayTime(ms), dayTime(ms + (one.kind === 'time' ? one.offset : 0))];
    });
  return Float64Array.from(new Set(found)).sort();
}

/** From milliseconds to seconds, milliseconds, microseconds and nanoseconds. */
const TIME_FACTORS = [1e-3, 1, 1e3, 1e6];

/** Whether a result can have a value: false only where none of its amounts or times of day is near. */
export function canHaveAmount({ amounts, clocks }: Indexed, value: Value): boolean {
  if (value.kind === 'time') {
    const [clock, { form, unit }] = [dayTime(value.ms), value];
    const isOfDay = form === 'date' || form === 'monthday' || clock < unit || clock > DAY - unit;
    return isOfDay || isNear(clocks, clock, unit);
  }
  return [1, ...value.factors].some((factor) => {
    const amount = value.number * factor;
    // Wider than any comparison: a unit, a rounded base unit, and a share of times since 1970.
    const half = 2.02 * value.half * factor + (value.measure === '' ? 1 : 0) + 1e-8 * Math.abs(amount);
    return isNear(amounts, amount, half);
  });
}

/** Whether one of some ordered numbers is within `half` of a number. */
export function isNear(ordered: Float64Array, number: number, half: number): boolean {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? 0) < number - half) low = middle + 1;
    else high = middle;
  }
  return (ordered[low] ?? Number.POSITIVE_INFINITY) <= number + half;
}

/** A word without hyphens, dots and underscores. */
export const joinParts = (word: string): string => word.replaceAll(/[-_.]/g, '');
