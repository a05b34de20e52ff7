// The values and names of an analysis: which stand in the results, in the alert, or follow from those that do.

import { amountOf, deriveNumbers, isDistinctive } from './derivedNumbers.ts';
import { columnUnits, listUnit, recordUnit, unitOf, unitOfText, withUnit } from './namedUnits.ts';
import { NAME_FORM } from './quote.ts';
import { isWord, type Token, type Tokens, tokensOf } from './tokens.ts';
import { instantOf, isSameValue, type NumberValue, type Value } from './values.ts';

/** A number, time or name of an analysis. */
export interface CheckedValue {
  /** As it is written. */
  text: string;
  kind: 'number' | 'time' | 'name';
  /** Its positions in the analysis, in UTF-16 units; -1 where the analysis has it in another form. */
  start: number;
  end: number;
  /** `derived`: a sum, difference, ratio or percentage of values that are held. */
  state: 'held' | 'alert' | 'derived' | 'unchecked';
  /** The result that has it. */
  result?: string;
}

/** A stored result. */
export interface CheckedSource {
  id: string;
  text: string;
  /** JSON text of the call's arguments, whose words name its values. Default: none. */
  arguments?: string;
  /** `server.tool`, whose words name its values, too. Default: none. */
  tool?: string;
}

/** Checks the values of texts against the results of one session. */
export type StatementCheck = (analysis: string) => CheckedValue[];

/** A heading, or a bold start of a line, that starts a part. */
const HEADING = /^\s*(?:#{1,6}\s+(.*)|(?:[-*]\s+)?\*\*([^*\n]+?):?\*\*.*)$/;
const PROPOSALS =
  /\b(?:what to do|do now|next steps?|recommend\w*|remediation|mitigation|proposed|actions?|how to fix|follow[- ]?ups?)\b/i;
/** A command with an option, as code: an action, and no statement. */
const COMMAND = /`[^`\n]*\s--?\p{L}[^`\n]*`/gu;
/** Between two numbers with one unit: `95 to 246 MiB`, `118 of 192 GB`. */
const SHARES_UNIT = /^(?:of|to|and|or|-)$/;
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
/** `1.42.0`, `10.8.2.41`. */
const VERSION = /^\d+(?:\.\d+){2,}$/;

/** `95th`, `p95`. */
const ORDINAL = /^(?:\d+(?:st|nd|rd|th)|p\d{2,3})$/i;

/** Values of one kind, of which an altered value is one by chance. */
const MOST_RARE = 12;

/** `(x4553 over 16h)`: how often Kubernetes saw an event. */
const TIMES_SEEN = /(\(x)(?=\d+ over )/g;

interface Occurrence {
  /** With the unit that its key or its table names. */
  value: Value;
  written: Value;
  /** Stems of the words around it. */
  around: ReadonlySet<string>;
  /** Stems of the word before it. */
  key: ReadonlySet<string>;
  /** Its line: the index of its first token. */
  line: number;
}

interface Indexed {
  id: string;
  values: readonly Occurrence[];
  words: ReadonlySet<string>;
  /** The words without hyphens, dots and underscores. */
  joined: ReadonlySet<string>;
}

/** Prepares the check of analyses against the results and the alert of a session. */
export function createStatementCheck(sources: readonly CheckedSource[], alert: string): StatementCheck {
  const results = sources.map(indexOf);
  const rare = rareKinds(results);
  const ofAlert = indexOf({ id: 'alert', text: alert });
  return (analysis) => {
    const { text: prepared, tokens } = tokensOf(withoutUnchecked(analysis));
    const values: CheckedValue[] = [];
    const numbers = new Map<CheckedValue, NumberValue | Value>();
    for (const [index, token] of tokens.entries()) {
      const kind = kindOf(token);
      const { start, end } = token;
      const isOption = prepared.slice(Math.max(0, start - 2), start) === '--';
      if (kind === undefined || isOption) continue;
      const text = prepared.slice(start, end);
      const context = {
        stems: stemsAround(tokens, index, prepared),
        token: roundedToken(withUnitOfNext(tokens, index), prepared),
        rare,
      };
      const source =
        results.find((one) => isIn(one, context)) ?? (isIn(ofAlert, context) ? ofAlert : undefined);
      const state = source === undefined ? 'unchecked' : source === ofAlert ? 'alert' : 'held';
      const checked: CheckedValue = {
        text,
        kind,
        start,
        end,
        state,
        ...(state === 'held' && source && { result: source.id }),
      };
      values.push(checked);
      if (token.value !== undefined) numbers.set(checked, token.value);
    }
    deriveNumbers(prepared, values, numbers as ReadonlyMap<CheckedValue, Value>);
    for (const one of values) {
      const value = numbers.get(one);
      if (one.state !== 'unchecked' || value === undefined) continue;
      const isRelative = RELATIVE.test(prepared.slice(one.end, one.end + 10));
      const isDerived = (result: Indexed): boolean =>
        (isRelative && hasDistance(result, value)) || hasDifference(result, value);
      if (results.some(isDerived)) one.state = 'derived';
    }
    return placeValues(
      values,
      withoutUnchecked(analysis, (part) => ' '.repeat(part.length)),
    );
  };
}

/** The analysis with blanks where nothing is checked: headings, numbers of lists, commands, proposals. */
function withoutUnchecked(analysis: string, blank: (part: string) => string = () => ''): string {
  let isProposal = false;
  const lines = analysis.split('\n').map((line) => {
    const [, heading, bold] = HEADING.exec(line) ?? [];
    const title = heading ?? bold;
    if (title !== undefined) isProposal = PROPOSALS.test(title);
    if (isProposal || heading !== undefined) return blank(line);
    return line.replace(/^\s*\d+[.)]\s/, blank).replace(COMMAND, blank);
  });
  return lines.join('\n');
}

/** The values with their positions in the analysis. @param blanked the analysis with as many blanks where nothing is checked. */
function placeValues(values: readonly CheckedValue[], blanked: string): CheckedValue[] {
  let from = 0;
  return values.map((one) => {
    const start = blanked.indexOf(one.text, from);
    if (start === -1) return { ...one, start: -1, end: -1 };
    from = start + one.text.length;
    return { ...one, start, end: from };
  });
}

/** A number without a unit has that of the next one, with which it is a range or a part. */
function withUnitOfNext(tokens: readonly Token[], index: number): Token {
  const [token, between, next] = tokens.slice(index, index + 3) as [Token, Token?, Token?];
  const [own, other] = [token.value, next?.value];
  if (own?.kind !== 'number' || own.measure !== '' || other?.kind !== 'number' || other.measure === '')
    return token;
  if (!SHARES_UNIT.test(between?.word ?? '')) return token;
  const { measure, factors } = other;
  return { ...token, value: { ...own, measure, factors } };
}

/** Before a number that is rounded to its last digit but zeros: `about 40,000`. */
const ABOUT =
  /(?:\b(?:about|around|roughly|approximately|approx\.?|almost|nearly|over|some|more than|circa|ca\.?) |[~≈] ?)$/i;
/** The share of a number by which `about` can be wrong. */
const ABOUT_SHARE = 0.05;

function roundedToken(token: Token, text: string): Token {
  const { value, start } = token;
  if (value?.kind !== 'number' || !ABOUT.test(text.slice(Math.max(0, start - 15), start))) return token;
  return { ...token, value: { ...value, half: roughHalf(value) } };
}

function roughHalf({ number, half }: NumberValue): number {
  const zeros = /0*$/.exec(number.toFixed(0))?.[0].length ?? 0;
  return Math.max(half, Math.min(0.5 * 10 ** zeros, number * ABOUT_SHARE));
}

function kindOf({ word, value }: Token): CheckedValue['kind'] | undefined {
  if (value !== undefined) return value.kind;
  if (ORDINAL.test(word)) return undefined;
  return NAME_FORM.test(word) || VERSION.test(word) ? 'name' : undefined;
}

/** Behind a duration that is the distance of two times: `two minutes earlier`. */
const RELATIVE = /^ (?:earlier|later|before|after|apart)\b/;
/** Times of a result that are compared with each other. */
const MOST_TIMES = 100;

/** Whether two times of a result are as far from each other as a duration. */
function hasDistance({ values }: Indexed, value: Value): boolean {
  if (value.kind !== 'number' || value.measure !== 'time') return false;
  const times = [...new Set(values.flatMap((one) => instantOf(one.value) ?? []))].slice(0, MOST_TIMES);
  const [factor = 1] = value.factors;
  const [ms, half] = [value.number * factor * 1000, roughHalf(value) * factor * 1000];
  return times.some((a) => times.some((b) => Math.abs(a - b - ms) <= half));
}

/** Values of one unit in a line whose differences are compared. */
const MOST_IN_LINE = 4;

/** Whether a value with a unit is the difference of two values of one line: the free part of a total. */
function hasDifference({ values }: Indexed, value: Value): boolean {
  if (value.kind !== 'number' || value.measure === '' || value.measure === 'count') return false;
  const lines = new Map<number, NumberValue[]>();
  for (const { value: other, line } of values) {
    if (other.kind === 'number' && other.measure === value.measure)
      lines.set(line, [...(lines.get(line) ?? []), other]);
  }
  const isSame = (a: NumberValue, b: NumberValue): boolean =>
    a.factors.some((own, index) => {
      const difference = a.number * own - b.number * (b.factors[index] ?? b.factors[0] ?? 1);
      return value.factors.some(
        (factor) => Math.abs(difference / factor - value.number) <= value.half * 1.001,
      );
    });
  return [...lines.values()].some(
    (amounts) =>
      amounts.length <= MOST_IN_LINE && amounts.some((a) => amounts.some((b) => a !== b && isSame(a, b))),
  );
}

/** The values of a text with the words around them. */
function indexOf({ id, text, arguments: args = '', tool = '' }: CheckedSource): Indexed {
  const source = text.replace(TIMES_SEEN, '$1 times ');
  const split = tokensOf(source);
  const words = new Set(split.tokens.filter(isWord).map(({ word }) => word.toLowerCase()));
  const joined = new Set([...words].map(joinParts));
  const head = stemsOf([
    ...tokensOf(`${tool.replaceAll(/[._]/g, ' ')} ${args}`).tokens,
    ...split.tokens.slice(0, lineEnd(split, 0)),
  ]);
  // `(MiB)`, after the names of the columns.
  const headUnit = unitOf(/\((\w+)\)/.exec(split.text.slice(0, split.text.indexOf('\n') + 1))?.[1] ?? '');
  const columns = columnUnits(split.text);
  const onlyUnit = unitOfText(source);
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
    for (const [index, token] of line.entries()) {
      const { value } = token;
      if (isWord(token) && last.push(token) > AROUND) last.shift();
      if (value === undefined) continue;
      const near = line.length > LONG_LINE ? stemsOf([...last, ...line.slice(index, index + AROUND)]) : own;
      const key = unitOf(last.at(-1)?.word ?? '');
      const named =
        listUnit(line, index) ??
        key ??
        recordUnit(line, index) ??
        columns(token) ??
        (instantOf(value) === undefined ? onlyUnit : undefined) ??
        (line.length > LONG_LINE ? undefined : headUnit);
      values.push({
        value: withUnit(value, named),
        written: value,
        key: stemsOf(last.slice(-1)),
        line: lineStart,
        around: new Set([near, head, ...before, ...headings].flatMap((stems) => [...stems])),
      });
    }
    before = [...before, own].slice(-LINES_BEFORE);
    lineStart = end;
  }
  return { id, values, words, joined };
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

function stemsOf(tokens: readonly Token[]): Set<string> {
  const words = tokens.flatMap(({ word }) =>
    word
      .replaceAll(HUMP, '$1 ')
      .toLowerCase()
      .split(/[^\p{L}]+/u),
  );
  const names = tokens.flatMap(({ word }) => (/\d/.test(word) ? [word.toLowerCase()] : []));
  const stems = words.filter((word) => word.length > 2 && !STOP_WORDS.has(word));
  return new Set([...names, ...stems.map((word) => word.replace(/(?<=\p{L}{3})s$/u, '').slice(0, STEM))]);
}

/** Before a capital within a word: `userCount`. */
const HUMP = /(\p{Ll})(?=\p{Lu})/gu;

/** Words without information about a value. */
const STOP_WORDS = new Set(
  'the and for was were has had have with from that this its are but not all than then into each which when only after before since until per out one two info about over under more less'.split(
    ' ',
  ),
);

/** The stems around a token of the analysis, within its sentence. */
function stemsAround(tokens: readonly Token[], index: number, text: string): ReadonlySet<string> {
  const near = tokens.slice(Math.max(0, index - BESIDE), index + BESIDE + 1);
  const at = tokens[index]?.start ?? 0;
  const isSameSentence = ({ start, end }: Token): boolean =>
    !/[.;!?]\s|\n\s*\n/.test(start < at ? text.slice(end, at) : text.slice(at, start));
  return stemsOf(near.filter(isSameSentence));
}

function isIn(
  { values, words, joined }: Indexed,
  { stems, token, rare }: { stems: ReadonlySet<string>; token: Token; rare: ReadonlySet<string> },
): boolean {
  const { word, value } = token;
  if (value === undefined) return hasName(words, word.toLowerCase()) || hasJoined(joined, word);
  const isNamed = (names: ReadonlySet<string>): boolean =>
    [...stems].some(
      (stem) => names.has(stem) || ABBREVIATED.some((length) => names.has(stem.slice(0, length))),
    );
  const isSame = (one: Occurrence): boolean =>
    isSameValue(value, one.value) ||
    (value.kind === 'number' && /^(?:count)?$/.test(value.measure) && isSameValue(value, one.written));
  if (isDistinctive(value))
    return values.some(
      (one) => isSame(one) || isWithoutUnit(value, one.value) || hasNoUnit(value, one, isNamed),
    );
  return values.some(
    (one) =>
      hasNoUnit(value, one, isNamed) ||
      (isSame(one) &&
        ((isZoned(value) && isZoned(one.value)) ||
          isRare(value, one.value, rare) ||
          isRare(value, one.written, rare) ||
          (isPlain(value, one.value) && isNamed(one.around)))),
  );
}

/** Whether the results have few values of the kind of a stored one that equals a value. */
function isRare(value: Value, stored: Value, rare: ReadonlySet<string>): boolean {
  const [own, kind] = [measured(value), measured(stored)];
  if (!rare.has(kind)) return false;
  if (own === kind || value.kind === 'time') return own === kind;
  return kind === 'large' ? /size|count/.test(value.measure) : kind === 'clock' && own === 'time';
}

/** Letters of the words of a result that stand for longer ones: `req`, `conn`. */
const ABBREVIATED = [4, 3];

/** Whether a number with a unit stands in a result without one. */
const isWithoutUnit = (value: Value, other: Value): boolean =>
  value.kind === 'number' &&
  other.kind === 'number' &&
  value.measure !== '' &&
  other.measure === '' &&
  Math.abs(value.number - other.number) <= value.half;

/** Whether it stands so behind a key, or in a short line, with a word of its sentence. */
const hasNoUnit = (
  value: Value,
  { key, value: other }: Occurrence,
  isNamed: (names: ReadonlySet<string>) => boolean,
): boolean => isWithoutUnit(value, other) && isNamed(key);

/** A small number without a unit is the written one, or its thousands or thousandths: `30 connections` are not 30 s. */
const isPlain = (value: Value, other: Value): boolean =>
  value.kind !== 'number' ||
  other.kind !== 'number' ||
  value.measure !== '' ||
  other.measure === 'count' ||
  other.factors.length > 1 ||
  Math.abs(value.number - other.number) <= value.half;

/** Whether a name is a word of a text, or the start of one up to a hyphen: the name of a workload in that of its pod. */
function hasName(words: ReadonlySet<string>, name: string): boolean {
  if (words.has(name)) return true;
  for (const word of words) {
    if (/[-._]/.test(word.charAt(name.length)) && word.startsWith(name)) return true;
    if (word.endsWith(`.${name}`)) return true;
    if (name.length >= LONG_PART && /\d/.test(name) && word.endsWith(`-${name}`)) return true;
  }
  return false;
}

/** Characters of a part of a name that stands for the whole: `vmss000004`; and of `postgres` in `PostgreSQL`. */
const LONG_PART = 6;

/** The kind of a value: `size`, `time`, `share`, `clock`, or `large` for a number that can be bytes; empty for others. */
function measured(value: Value): string {
  if (value.kind === 'time') return 'clock';
  const { measure, number } = value;
  if (measure !== '') return measure === 'count' ? '' : measure;
  return number >= MOST_SMALL && instantOf(value) === undefined ? 'large' : '';
}

/** The largest plain number that is no `large` one. */
const MOST_SMALL = 1_000_000;

/** The measures of which the results have few values. */
function rareKinds(results: readonly Indexed[]): ReadonlySet<string> {
  const found = new Map<string, Set<string>>();
  for (const { value } of results.flatMap(({ values }) => values)) {
    const amounts = found.get(measured(value)) ?? new Set();
    amounts.add(amountOf(value).toPrecision(3));
    found.set(measured(value), amounts);
  }
  return new Set([...found].flatMap(([kind, { size }]) => (kind !== '' && size <= MOST_RARE ? [kind] : [])));
}

/** Whether a value is a time of day with its zone, which few texts have. */
const isZoned = (value: Value): boolean => value.kind === 'time' && value.form === 'zoned';

/** `OOM-killed` is `OOMKilled`, `time-outs` is `timeout`; a word with digits is a name, letter by letter. */
function hasJoined(joined: ReadonlySet<string>, word: string): boolean {
  const name = joinParts(word.toLowerCase());
  if (/\d/.test(name)) return false;
  if (joined.has(name) || (name.endsWith('s') && joined.has(name.slice(0, -1)))) return true;
  return name.length > LONG_PART + 2 && !/[-_.]/.test(word) && joined.has(name.slice(0, -2));
}

const joinParts = (word: string): string => word.replaceAll(/[-_.]/g, '');
