// A text that quotes are searched in: the place of a quote, or the line that differs only in numbers.

import { type Token, type Tokens, tokenizeText } from './tokens.ts';
import { isSameValue } from './values.ts';

/** Where a quote stands. */
export interface Place {
  /** Positions in the prepared text of the search, end exclusive. */
  start: number;
  end: number;
  /** The number of its first line, from 1. */
  line: number;
}

/** A place that is equal to a quote but for values. */
export interface NearPlace extends Place {
  /** How many values differ. */
  differences: number;
}

/** A text that can be searched many times. */
export interface SearchedText extends Tokens {
  /** The places of a quote, in order. */
  placesOf(quote: readonly Token[]): Place[];
  /** The places that are equal to a quote but for at least one value. */
  nearPlacesOf(quote: readonly Token[]): NearPlace[];
  /** The lines that a place is in, without line breaks around them. */
  linesOf(place: Place): string;
}

/** Comparisons for one quote, about a second of work: a hostile text repeats the start of a quote. */
const MAX_WORK = 20_000_000;

/** Splits a text once, for the searches in it. */
export function searchedText(source: string): SearchedText {
  const { text, tokens } = tokenizeText(source);
  const byWord = new Map<string, number[]>();
  for (const [index, { word, value }] of tokens.entries()) {
    if (value !== undefined) continue;
    const positions = byWord.get(word);
    if (positions === undefined) byWord.set(word, [index]);
    else positions.push(index);
  }
  const starts = lineStarts(text);
  const placeAt = (index: number, count: number): Place => {
    const start = tokens[index]?.start ?? 0;
    return { start, end: tokens[index + count - 1]?.end ?? start, line: findLineAt(starts, start) };
  };

  function nearPlacesOf(quote: readonly Token[], max: number): NearPlace[] {
    const { offset, positions } = findQuoteAnchor(quote, byWord) ?? {
      offset: 0,
      positions: [...tokens.keys()],
    };
    const found: NearPlace[] = [];
    let work = 0;
    for (const position of positions) {
      const first = position - offset;
      const differences = countDiffering(quote, tokens, first, max);
      work += quote.length;
      if (work > MAX_WORK) break;
      if (differences === undefined || (isNegative(text, tokens, first) && quote[0]?.value !== undefined)) {
        continue;
      }
      found.push({ ...placeAt(first, quote.length), differences });
    }
    return found;
  }

  return {
    text,
    tokens,
    placesOf: (quote) => (quote.length === 0 ? [] : nearPlacesOf(quote, 0)),
    nearPlacesOf: (quote) => nearPlacesOf(quote, quote.length).filter(({ differences }) => differences > 0),
    linesOf({ start, end }) {
      const to = text.indexOf('\n', end);
      return text.slice(text.lastIndexOf('\n', start - 1) + 1, to === -1 ? text.length : to);
    },
  };
}

/** The rarest word of a quote in the text, and its place there. Undefined for a quote of only values. */
function findQuoteAnchor(
  quote: readonly Token[],
  byWord: ReadonlyMap<string, readonly number[]>,
): { offset: number; positions: readonly number[] } | undefined {
  let best: { offset: number; positions: readonly number[] } | undefined;
  for (const [offset, { word, value }] of quote.entries()) {
    if (value !== undefined) continue;
    const positions = byWord.get(word) ?? [];
    if (best === undefined || positions.length < best.positions.length) best = { offset, positions };
  }
  return best;
}

/** How many values differ where the tokens are those of a quote; undefined above `max`. */
function countDiffering(
  quote: readonly Token[],
  tokens: readonly Token[],
  first: number,
  max: number,
): number | undefined {
  if (first < 0 || first + quote.length > tokens.length) return undefined;
  let differences = 0;
  for (const [index, { word, value }] of quote.entries()) {
    const other = tokens[first + index];
    if (other === undefined || (value === undefined) !== (other.value === undefined) || word !== other.word) {
      return undefined;
    }
    const differs = value !== undefined && other.value !== undefined && !isSameValue(value, other.value);
    if (differs && ++differences > max) return undefined;
  }
  return differences;
}

/** Whether a minus sign belongs to the value of a token. */
function isNegative(text: string, tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before?.word !== '-' || before.end !== tokens[index]?.start) return false;
  return before.start === 0 || /[\s(=:,[]/.test(text.charAt(before.start - 1));
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The number of the last start that is not after a position. */
function findLineAt(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
