// The values and words of a result, each value with the words that identify it.

import { columnUnits, listUnit, recordUnit, seriesUnits, unitOf, withUnit } from './namedUnits.ts';
import { isWord, type Token, type Tokens, tokensOf } from './tokens.ts';
import { instantOf, type Value } from './values.ts';

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
}

/** The values of a text with the words around them. */
export function indexOf({ id, text, arguments: args = '', tool = '' }: CheckedSource): Indexed {
  const source = text.replace(TIMES_SEEN, 'x$1 x times ');
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
        (instantOf(value) === undefined ? unitAt(token.start) : undefined) ??
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

/** A word without hyphens, dots and underscores. */
export const joinParts = (word: string): string => word.replaceAll(/[-_.]/g, '');
