// A quote of an agent: notes of the shown text are undone, and it is split at omissions.

import type { NearPlace, Place, SearchedText } from './searchText.ts';
import { isWord, type Token, tokenizeText } from './tokens.ts';

/** A prepared quote. */
export interface Quote {
  /** Its readings, the literal one first: with prefixes of lines, without them, and split at omissions. */
  readings: readonly Reading[];
  /** Whether it is too short to mean one place. */
  isTrivial: boolean;
  /** Words and values; few are in many places by chance. */
  words: number;
  /** Whether it holds the mark of a masked secret. */
  isMasked: boolean;
}

/** Pieces that have to stand in this order. */
type Reading = readonly Piece[];

interface Piece {
  tokens: readonly Token[];
  /** Whether it has to stand in the line of the piece before it. */
  isSameLine: boolean;
}

/** Shorter quotes need a unit or a name. */
const SHORTEST = 8;
/** The number that `read_result` and the cut of a long result put before a line. */
const LINE_PREFIX = /^[ \t]*(?:\|[ \t]*)?\d+[:-] /gm;
const SUCH_LINES = / \(\d+ such lines\)[ \t]*$/gm;
/** The lines of Inquest in a result that is shown in part. */
const CUT = /^[ \t]*\[\.\.\. [^\n]*\.\.\.\][ \t]*$/gm;
const LEFT_OUT = /\[\.\.\.\]|\.{3}|…/g;
/** A word that is a name by its form: digits and letters, capitals inside, or parts. */
export const NAME_FORM = /_|(?=.*\d)(?=.*\p{L})|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}[-.]\p{L}/u;
/** Values that have to be equal where a quote has no words. */
const FEW_VALUES = 2;
const BETWEEN = '\u0000';

/** Prepares a quote for searches. */
export function prepareQuote(text: string): Quote {
  const plain = text.replace(LINE_PREFIX, '').replace(SUCH_LINES, '');
  const literal = tokenizeText(text).tokens;
  const { tokens } = tokenizeText(plain);
  const readings = [onePiece(literal), onePiece(tokens), splitQuote(plain)].filter(
    (reading) => reading.length > 0,
  );
  const characters =
    tokens.reduce((sum, { start, end }) => sum + end - start, 0) + Math.max(0, tokens.length - 1);
  return {
    readings,
    isTrivial: characters < SHORTEST && !tokens.some(isSpecific),
    words: tokens.filter((token) => token.value !== undefined || isWord(token)).length,
    isMasked: tokens.some(({ word }) => word.startsWith('[masked:')),
  };
}

function isSpecific({ word, value }: Token): boolean {
  return value === undefined ? NAME_FORM.test(word) : value.kind === 'number' && value.measure !== '';
}

function onePiece(tokens: readonly Token[]): Reading {
  return tokens.length === 0 ? [] : [{ tokens, isSameLine: false }];
}

/** The pieces between omissions: lines of Inquest, or an ellipsis within a line. */
function splitQuote(text: string): Reading {
  const parts = text.replace(CUT, BETWEEN).split(BETWEEN);
  return parts.flatMap((part) => {
    const pieces = part.split(LEFT_OUT).map((piece, index) => ({
      tokens: tokenizeText(piece).tokens,
      isSameLine: index > 0,
    }));
    return pieces.filter(({ tokens }) => tokens.length > 0);
  });
}

/** The places of a quote in a text, by its first reading that stands there. */
export function findQuote({ readings }: Quote, text: SearchedText): Place[] {
  for (const reading of readings) {
    const places = findReading(reading, text);
    if (places.length > 0) return places;
  }
  return [];
}

function findReading([first, ...others]: Reading, text: SearchedText): Place[] {
  if (first === undefined) return [];
  const following = others.map(({ tokens, isSameLine }) => ({ places: text.placesOf(tokens), isSameLine }));
  return text.placesOf(first.tokens).flatMap((place) => {
    let last = place;
    for (const { places, isSameLine } of following) {
      const next = places.find(({ start, line }) => start >= last.end && (!isSameLine || line === last.line));
      if (next === undefined) return [];
      last = next;
    }
    return [{ ...place, end: last.end }];
  });
}

/** The one place that equals a quote except values: of several, that with the fewest differences. */
export function findDifferent({ readings }: Quote, text: SearchedText): NearPlace | undefined {
  for (const [piece, ...others] of readings) {
    if (piece === undefined || others.length > 0) continue;
    const values = piece.tokens.filter(({ value }) => value !== undefined).length;
    const most = piece.tokens.some(isWord) ? values : values - FEW_VALUES;
    const places = text.nearPlacesOf(piece.tokens).filter(({ differences }) => differences <= most);
    const fewest = Math.min(...places.map(({ differences }) => differences));
    const [place, ...more] = places.filter(({ differences }) => differences === fewest);
    if (place !== undefined && more.length === 0) return place;
  }
  return undefined;
}
