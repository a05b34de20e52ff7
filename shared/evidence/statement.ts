// The values and names of an analysis: which stand in the results, in the alert, or follow from those that do.

import { NAME_FORM } from './quote.ts';
import { isWord, type Token, type Tokens, tokensOf } from './tokens.ts';
import { isSameValue, type NumberValue, type Value } from './values.ts';

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
/** Digits of a value that is in few places by chance. */
const DISTINCTIVE = 4;
/** A command with an option, as code: an action, and no statement. */
const COMMAND = /`[^`\n]*\s--?\p{L}[^`\n]*`/gu;
/** Between two numbers with one unit: `95 to 246 MiB`, `118 of 192 GB`. */
const SHARES_UNIT = /^(?:of|to|and|or|-)$/;
/** Words around a value, in the analysis and in a long line, that identify it. */
const AROUND = 8;
const LONG_LINE = 40;
/** Lines that can name the subject of a line. */
const LINES_BEFORE = 2;
/** Lines above it that a line is indented below: the name of a series, `Limits:`. */
const MOST_ABOVE = 6;
/** Letters of a word that are compared: `restarts` is `restart`. */
const STEM = 5;
/** Numbers of a paragraph from which others are derived. */
const MAX_OPERANDS = 14;

/** `1.42.0`, `10.8.2.41`. */
const VERSION = /^\d+(?:\.\d+){2,}$/;

/** `95th`. */
const ORDINAL = /^\d+(?:st|nd|rd|th)$/;

/** Values of one kind, of which an altered value is one by chance. */
const MOST_RARE = 12;

/** `(x4553 over 16h)`: how often Kubernetes saw an event. */
const TIMES_SEEN = /(\(x)(?=\d+ over )/g;

interface Occurrence {
  /** With the unit that its key or its table names. */
  value: Value;
  /** Stems of the words around it. */
  around: ReadonlySet<string>;
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
        token: withUnitOfNext(tokens, index),
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

/** An analysis with a mark behind each value that no result has. @param values of the analysis. */
export function markUnchecked(
  analysis: string,
  values: readonly { state: CheckedValue['state']; end: number }[],
  mark: string,
): string {
  const ends = values.filter(({ state, end }) => state === 'unchecked' && end > 0).map(({ end }) => end);
  return ends
    .toSorted((a, b) => b - a)
    .reduce((text, end) => text.slice(0, end) + mark + text.slice(end), analysis);
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

function kindOf({ word, value }: Token): CheckedValue['kind'] | undefined {
  if (value !== undefined) return value.kind;
  if (ORDINAL.test(word)) return undefined;
  return NAME_FORM.test(word) || VERSION.test(word) ? 'name' : undefined;
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
        (line.length > LONG_LINE ? undefined : headUnit);
      values.push({
        value: withUnit(value, named),
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
  const near = tokens.slice(Math.max(0, index - AROUND), index + AROUND + 1);
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
  const equal = values.filter((other) => isSameValue(value, other.value));
  if (isDistinctive(value)) return equal.length > 0;
  return equal.some(
    ({ around, value: other }) =>
      (isZoned(value) && isZoned(other)) ||
      (rare.has(measured(value)) && measured(value) === measured(other)) ||
      [...stems].some((stem) => around.has(stem)),
  );
}

/** Whether a name is a word of a text, or the start of one up to a hyphen: the name of a workload in that of its pod. */
function hasName(words: ReadonlySet<string>, name: string): boolean {
  if (words.has(name)) return true;
  for (const word of words) {
    if (/[-._]/.test(word.charAt(name.length)) && word.startsWith(name)) return true;
    if (word.endsWith(`.${name}`)) return true;
  }
  return false;
}

/** The measure of a value: `size`, `time`, `share`, `clock`; empty for a plain number. */
const measured = (value: Value): string =>
  value.kind === 'time' ? 'clock' : value.measure === 'count' ? '' : value.measure;

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

/** Units that a key or the head of a table names: `latencyMs`, `timeoutSeconds`, `size_bytes`, `(MiB)`. */
const NAMED_UNITS: readonly [RegExp, NumberValue['measure'], number][] = [
  [/(?:[a-z\d]M|_m|^m|^M)(?:s|illis|illiseconds)$|[a-z]Millis$/, 'time', 1e-3],
  [/(?:_us|[mM]icros|[mM]icroseconds)$/, 'time', 1e-6],
  [/(?:[nN]anos|[nN]anoseconds|_ns)$/, 'time', 1e-9],
  [/(?:[sS]econds|[sS]ecs|_sec)$/, 'time', 1],
  [/[bB]ytes$/, 'size', 1],
  [/(?:^|[a-z_])(?:KiB|Kb|KB|kB)$/, 'size', 1024],
  [/(?:^|[a-z_])(?:MiB|Mb|MB|mb)$/, 'size', 1024 ** 2],
  [/(?:^|[a-z_])(?:GiB|Gb|GB|gb)$/, 'size', 1024 ** 3],
  [/(?:[pP]ercent|Pct|_pct)$/, 'share', 1],
];
type NamedUnit = Pick<NumberValue, 'measure' | 'factors'>;

function unitOf(word: string): NamedUnit | undefined {
  const [, measure, factor] = NAMED_UNITS.find(([name]) => name.test(word)) ?? [];
  return measure === undefined || factor === undefined ? undefined : { measure, factors: [factor] };
}

/** The unit at the end of a list: `0.8/88.2/301.5 ms`. */
function listUnit(line: readonly Token[], index: number): NamedUnit | undefined {
  let last = index;
  while (line[last + 1]?.word === '/' && line[last + 2]?.value !== undefined) last += 2;
  const value = last === index ? undefined : line[last]?.value;
  return value?.kind === 'number' && value.measure !== '' ? value : undefined;
}

/** The unit that the record of a value names after it: `"Maximum":97.3,"Unit":"Percent"`. */
function recordUnit(line: readonly Token[], index: number): NamedUnit | undefined {
  const after = line.slice(index + 1, index + AROUND).filter(isWord);
  return after[0]?.word.toLowerCase() === 'unit' ? unitOf(after[1]?.word ?? '') : undefined;
}

/** A number without a unit has a named one. */
const withUnit = (value: Value, unit: NamedUnit | undefined): Value =>
  unit !== undefined && value.kind === 'number' && value.measure === ''
    ? { ...value, measure: unit.measure, factors: unit.factors }
    : value;

/** Whether a value is a time of day with its zone, which few texts have. */
const isZoned = (value: Value): boolean => value.kind === 'time' && value.form === 'zoned';

/** `OOM-killed` is `OOMKilled`, `time-outs` is `timeout`; a word with digits is a name, letter by letter. */
function hasJoined(joined: ReadonlySet<string>, word: string): boolean {
  const name = joinParts(word.toLowerCase());
  return !/\d/.test(name) && (joined.has(name) || (name.endsWith('s') && joined.has(name.slice(0, -1))));
}

const joinParts = (word: string): string => word.replaceAll(/[-_.]/g, '');

function isDistinctive(value: Value): boolean {
  if (value.kind === 'time') return value.unit !== 60_000;
  const digits = (value.number / (value.half * 2)).toFixed(0).replace(/0+$/, '');
  return digits.length >= DISTINCTIVE;
}

/** Marks the numbers that follow from held numbers of their paragraph. */
function deriveNumbers(
  text: string,
  values: readonly CheckedValue[],
  numbers: ReadonlyMap<CheckedValue, Value>,
): void {
  for (const one of values) {
    const value = numbers.get(one);
    if (one.state !== 'unchecked' || value?.kind !== 'number') continue;
    const isSpelledOut = /=\s*(?:about\s*|~\s*|≈\s*)?$/.test(text.slice(0, one.start));
    if (!isSpelledOut && !isDistinctive(value) && value.measure === '') continue;
    const from = text.lastIndexOf('\n\n', one.start);
    const end = text.indexOf('\n\n', one.end);
    const operands = values
      .filter(
        (other) =>
          other !== one &&
          other.state !== 'unchecked' &&
          other.start > from &&
          (end === -1 || other.end < end),
      )
      .sort((a, b) => Math.abs(a.start - one.start) - Math.abs(b.start - one.start))
      .slice(0, MAX_OPERANDS)
      .flatMap((other) => numbers.get(other) ?? []);
    if (followsFrom(value, operands, isSpelledOut)) one.state = 'derived';
  }
}

/** Whether a number is a sum, difference, ratio or percentage of two numbers; a product only where it is spelled out. */
function followsFrom(value: NumberValue, operands: readonly Value[], isSpelledOut: boolean): boolean {
  const factor = value.factors[0] ?? 1;
  const isResult = (result: number, measure: NumberValue['measure']): boolean => {
    if (!Number.isFinite(result) || (measure !== value.measure && value.measure !== '' && measure !== ''))
      return false;
    const scale = measure === '' ? 1 : factor;
    return Math.abs(Math.abs(result) / scale - value.number) <= value.half * 1.001;
  };
  return operands.some((a, index) =>
    operands.some((b, other) => {
      if (index === other) return false;
      const [x, y] = [amountOf(a), amountOf(b)];
      const measure = a.kind === 'time' ? 'time' : a.measure;
      if (measureOf(a) !== measureOf(b))
        return isSpelledOut && (isResult(x / y, measureOf(a)) || isResult(x * y, measureOf(a)));
      if (isResult(x - y, measure) || (a.kind === 'number' && isResult(x + y, measure))) return true;
      if (a.kind === 'time') return false;
      const ratio = x / y;
      if (value.measure === 'share')
        return isResult(ratio * 100, 'share') || isResult((ratio - 1) * 100, 'share');
      return value.measure === '' && (isResult(ratio, '') || (isSpelledOut && isResult(x * y, measure)));
    }),
  );
}

const measureOf = (value: Value): NumberValue['measure'] => (value.kind === 'time' ? 'time' : value.measure);

/** In base units, seconds for a time. */
function amountOf(value: Value): number {
  return value.kind === 'time' ? value.ms / 1000 : value.number * (value.factors[0] ?? 1);
}
