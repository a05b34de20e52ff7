// Searches long texts in pieces, so that the views of a text take little memory and a search leaves time for other work.

import { addEchoes, type Engine, echoesOf, foundIn, KNOWN_KIND, structuresIn } from './findSpans.ts';
import { mergeSpans, type Span, splitAtMarks } from './spans.ts';
import { placeOf, visibleView } from './views.ts';

/** How a text is cut, in UTF-16 code units. */
export interface Pieces {
  length: number;
  /** How far each piece is read beyond its ends: more than any finder of places looks. */
  overlap: number;
}

/** A piece takes some 100 ms. A private key of 16,384 bits with its line breaks takes 32 Ki. */
export const PIECES: Pieces = { length: 256 * 1024, overlap: 40 * 1024 };

/** What finders of whole texts need. */
const STRUCTURE = /Secret|sensitive|[Dd]ata:\s{0,4}\(?map\[|get\s{1,4}secret/;

/**
 * Everything in a long text that is to be replaced: what is found in each piece and its surroundings, what is found in
 * the structure of the whole text, and what repeats either. It is what a search of the whole text finds, but for secrets
 * that are longer than the surroundings. A step is a piece.
 */
export function* spansInPieces(engine: Engine, text: string, pieces: Pieces): Generator<undefined, Span[]> {
  const found: Span[] = [];
  const cuts = cutsOf(text, pieces);
  const windows = cuts
    .slice(0, -1)
    .map((from, index) => windowOf(text, from, cuts[index + 1] ?? text.length, pieces));
  for (const window of windows) {
    const part = text.slice(window.start, window.end);
    for (const span of foundIn(engine, part, visibleView(part), false)) addMoved(found, span, window);
    yield undefined;
  }
  const structures = STRUCTURE.test(text) ? yield* structuresIn(engine, text) : [];
  const isKnown = ({ kind }: Span): boolean => kind === KNOWN_KIND;
  // In the order of precedence.
  const spans = [...found.filter(isKnown), ...structures, ...found.filter((span) => !isKnown(span))];
  const echoes = echoesOf(spans);
  for (const window of echoes.size === 0 ? [] : windows) {
    const part = text.slice(window.start, window.end);
    addEchoes(visibleView(part), echoes, (view, first, last, kind, secret) => {
      const [start, end] = placeOf(view, first, last);
      if (!engine.never.has(secret)) addMoved(spans, { start, end, kind, secret }, window);
    });
    yield undefined;
  }
  return splitAtMarks(text, mergeSpans(text, spans));
}

/** A piece, from `from` to `to`, with its surroundings. */
interface Window {
  start: number;
  end: number;
  from: number;
  to: number;
}

/** Adds a finding of a window, if part of it is in the piece. */
function addMoved(
  spans: Span[],
  span: Span,
  { start, from, to }: { start: number; from: number; to: number },
): void {
  const moved = { ...span, start: span.start + start, end: span.end + start };
  if (moved.end > from && moved.start < to) spans.push(moved);
}

/** Where pieces start, and the end of the text: at line breaks, else at blanks, where there are some. */
function cutsOf(text: string, { length, overlap }: Pieces): number[] {
  const cuts = [0];
  for (let from = 0; text.length - from > length + overlap; ) {
    const end = text.slice(from + Math.floor(length / 2), from + length);
    const at = Math.max(end.lastIndexOf('\n'), 0) || Math.max(end.lastIndexOf(' '), 0);
    from += at === 0 ? length : Math.floor(length / 2) + at + 1;
    cuts.push(from);
  }
  cuts.push(text.length);
  return cuts;
}

/** A piece with its surroundings, from the start of a line to the end of one, if they are near. */
function windowOf(text: string, from: number, to: number, { overlap }: Pieces): Window {
  const before = Math.max(0, from - overlap);
  const line = before === 0 ? 0 : text.indexOf('\n', before) + 1;
  const behind = Math.min(text.length, to + overlap);
  const lineEnd = behind === text.length ? -1 : text.lastIndexOf('\n', behind);
  return {
    start: line > before && line <= from ? line : before,
    end: lineEnd > to ? lineEnd : behind,
    from,
    to,
  };
}
