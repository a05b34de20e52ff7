// The values and words of a result, each value with the words that identify it.

import { type Items, readItems } from './items.ts';
import { columnUnits, findNamedUnit, recordUnit, seriesUnits, withUnit } from './namedUnits.ts';
import { stemTokens } from './stems.ts';
import { isWord, type Token, type Tokens, tokenizeText } from './tokens.ts';
import { timeAt, toInstant, type Value } from './values.ts';

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

/** Words around a value in a long line that identify it. */
const AROUND = 8;
const LONG_LINE = 40;
/** Lines that can name the subject of a line. */
const LINES_BEFORE = 2;
/** `(x4553 over 16h)`: how often Kubernetes saw an event. */
const TIMES_SEEN = /(?<=\()x(?=(\d+) over )/g;

/** A value of a result. */
export interface Occurrence {
  source: Indexed;
  /** As it is written. */
  written: Value;
  /** The answer of `readUnit`, once it was asked. */
  named?: Value;
  /** The index of its token, and of its line. */
  at: number;
  line: number;
}

/** The values and names of a result. */
export interface Indexed {
  /** Of the result. */
  id: string;
  /** In the order of the text. */
  values: readonly Occurrence[];
  /** Words in lower case, and parts of them. */
  names: ReadonlySet<string>;
  /** Its objects, blocks and rows, which are read when they are asked for. */
  items(): Items;
  /** A value with the unit that its key or its table names. */
  readUnit(one: Occurrence): Value;
  /** Stems of the word before a value. */
  readKey(one: Occurrence): ReadonlySet<string>;
  /** Stems of the words around a value: of its line or the near part of a long one and of those before it. */
  readAround(one: Occurrence): readonly ReadonlySet<string>[];
}

/** Indexes a result. The words and the unit of a value are read when they are asked for. */
export function indexSource({ id, text: source, arguments: args = '', tool = '' }: CheckedSource): Indexed {
  const split = tokenizeText(source.replace(TIMES_SEEN, 'x$1 x times '));
  const { text, tokens } = split;
  const lines: Line[] = [];
  for (let first = 0; first < tokens.length; first = lines.at(-1)?.end ?? tokens.length)
    lines.push({ first, end: lineEnd(split, first) });
  const head = makeOnce(() =>
    stemTokens([
      ...tokenizeText(`${tool.replaceAll(/[._]/g, ' ')} ${args}`).tokens,
      ...tokens.slice(0, lines[0]?.end),
    ]),
  );
  const columns = makeOnce(() => columnUnits(text));
  const series = makeOnce(() => seriesUnits(text));
  const stems = new Map<number, ReadonlySet<string>>();
  const stemsFrom = (first: number, end: number): ReadonlySet<string> => {
    const key = first * (tokens.length + 1) + end;
    const known = stems.get(key) ?? stemTokens(tokens.slice(first, end));
    stems.set(key, known);
    return known;
  };
  const lineOf = ({ line }: Occurrence): Line => lines[line] ?? { first: 0, end: 0 };
  const wordBefore = (one: Occurrence): Token | undefined => {
    const { first } = lineOf(one);
    let at = one.at - 1;
    while (at >= first && !isWord(tokens[at] as Token)) at--;
    return at < first ? undefined : tokens[at];
  };
  const stemsOfLine = (index: number): ReadonlySet<string>[] => {
    const line = lines[index];
    return line === undefined ? [] : [stemsFrom(line.first, Math.min(line.end, line.first + LONG_LINE))];
  };
  /** Of a list: `"length": 6` beside the samples has another unit. */
  const isSample = ({ at, written }: Occurrence): boolean =>
    toInstant(written) === undefined && /^[[,]$/.test(tokens[at - 1]?.word ?? '');
  const values: Occurrence[] = [];
  const indexed: Indexed = {
    id,
    values,
    names: collectTokenNames(tokens),
    items: makeOnce(() => readItems(source)),
    readUnit(one) {
      const { written } = one;
      if (one.named !== undefined) return one.named;
      if (written.kind === 'time' || written.measure !== '') return written;
      const { first, end } = lineOf(one);
      const line = tokens.slice(Math.max(first, one.at - LONG_LINE), Math.min(end, one.at + LONG_LINE));
      const at = one.at - Math.max(first, one.at - LONG_LINE);
      const unit =
        findNamedUnit(wordBefore(one)?.word ?? '') ??
        recordUnit(line, at) ??
        columns()(tokens[one.at] as Token) ??
        (isSample(one) ? series()(tokens[one.at]?.start ?? 0) : undefined);
      one.named = withUnit(one.written, unit);
      return one.named;
    },
    readKey: (one) => stemTokens([wordBefore(one)].filter((word) => word !== undefined)),
    readAround(one) {
      const { first, end } = lineOf(one);
      const part = first + Math.floor((one.at - first) / AROUND) * AROUND;
      const near =
        end - first > LONG_LINE
          ? [part - AROUND, part, part + AROUND].map((from) =>
              stemsFrom(Math.max(first, from), Math.min(end, from + AROUND)),
            )
          : stemsOfLine(one.line);
      const before = Array.from({ length: LINES_BEFORE }, (_, index) => stemsOfLine(one.line - index - 1));
      return [head(), ...near, ...before.flat()];
    },
  };
  for (const [line, { first, end }] of lines.entries())
    for (let at = first; at < end; at++) {
      const { value, word = '' } = tokens[at] ?? {};
      const written = value ?? dateIn(word);
      if (written !== undefined) values.push({ source: indexed, written, at, line });
    }
  return indexed;
}

/** The date in a name: `app-2026.11.22`, `backup_20261122`. */
function dateIn(name: string): Value | undefined {
  const [, year, month, day] = DATE_IN_NAME.exec(name) ?? [];
  return year === undefined ? undefined : timeAt(`${year}-${month}-${day}`, 0)?.value;
}
const DATE_IN_NAME = /(?<!\d)((?:19|20)\d\d)[-._]?(0[1-9]|1[0-2])[-._]?(0[1-9]|[12]\d|3[01])(?!\d)/;

interface Line {
  /** Indexes of tokens, the end exclusive. */
  first: number;
  end: number;
}

/** Makes a thing when it is asked for the first time. */
export function makeOnce<T>(make: () => T): () => T {
  let made: { one: T } | undefined;
  return () => {
    made ??= { one: make() };
    return made.one;
  };
}

/** Characters of a part of a name that stands for the whole: `vmss000004`. */
const LONG_PART = 5;

/** Between the words of a key. */
const KEY_WORDS = /_|(?<=\p{Ll})(?=\p{Lu})/u;

/**
 * Words in lower case, their starts up to a sign (the workload of a pod), their ends behind a dot, as one
 * word, and the words of a key.
 */
function collectTokenNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const token of tokens) {
    const word = token.word.toLowerCase();
    if (!isWord(token) || names.has(word)) continue;
    names.add(word);
    for (const { index, 0: sign } of word.matchAll(/[-._]/g)) {
      const end = word.slice(index + 1);
      names.add(word.slice(0, index));
      if (sign === '.' || (end.length >= LONG_PART && /\d/.test(end))) names.add(end);
    }
    names.add(joinParts(word));
    for (const part of token.word.split(KEY_WORDS)) names.add(part.toLowerCase());
  }
  return names;
}

function lineEnd({ text, tokens }: Tokens, from: number): number {
  const lineBreak = text.indexOf('\n', tokens[from]?.start ?? 0);
  let end = from + 1;
  while (end < tokens.length && (lineBreak === -1 || (tokens[end]?.start ?? 0) < lineBreak)) end++;
  return end;
}

/** A word without hyphens, dots and underscores. */
export const joinParts = (word: string): string => word.replaceAll(/[-_.]/g, '');
