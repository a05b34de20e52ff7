// Searches long texts in pieces: views take little memory, and other work gets time.

import { addEchoes, collectEchoes, type Engine, foundIn, KNOWN_KIND, structuresIn } from './findSpans.ts';
import { toOriginalRange, visibleView } from './scan/views.ts';
import { createMerger, type Span, splitAtMarks, withoutCovered } from './spans.ts';

/** How a text is cut, in UTF-16 code units. */
export interface Pieces {
  /** Length of each piece. */
  length: number;
  /** How far each piece is read beyond its ends: more than any finder of places looks. */
  overlap: number;
}

/** A piece takes some 100 ms. A private key of 16,384 bits with its line breaks takes 32 Ki. */
export const PIECES: Pieces = { length: 256 * 1024, overlap: 40 * 1024 };

/** Spans that are split at marks in a step. */
const SPANS_OF_STEP = 5000;

/** Texts without a match have no findings of whole-text finders. */
const STRUCTURE =
  /Secret|sensitive|Opaque|stringData|string_data|kubernetes_secret|kubernetes\.io\/|helm\.sh\/release|[Dd]ata:\s{0,4}\(?map\[|(?:get|patch)\s{1,4}secret/;

/**
 * All spans of a long text that are to be replaced: findings in each piece and its surroundings, findings in
 * the structure of the whole text, and repetitions of both. The result equals that of a search of the whole
 * text, except for secrets that are longer than the surroundings. A step is one finder, or one operation on
 * the findings of a piece.
 */
export function* spansInPieces(engine: Engine, text: string, pieces: Pieces): Generator<undefined, Span[]> {
  const cuts = choosePieceCuts(text, pieces);
  const windows = cuts
    .slice(0, -1)
    .map((from, index) => widenPiece(text, from, cuts[index + 1] ?? text.length, pieces));
  const findings = createFindings(windows);
  const values = new Map<string, string>();
  if (STRUCTURE.test(text)) {
    const structures = yield* structuresIn(engine, text);
    collectEchoes(structures, values);
    findings.add(structures);
    yield undefined;
  }
  for (const window of windows) {
    const part = text.slice(window.start, window.end);
    const found = yield* foundIn(engine, part, visibleView(part), false);
    const moved = movedTo(window, found);
    collectEchoes(moved, values);
    findings.add(moved);
    yield undefined;
  }
  for (const window of values.size === 0 ? [] : windows) {
    const part = text.slice(window.start, window.end);
    const echoes: Span[] = [];
    addEchoes(visibleView(part), values, (view, first, last, kind, secret) => {
      const [start, end] = toOriginalRange(view, first, last);
      if (!engine.never.has(secret)) echoes.push({ start, end, kind, secret });
    });
    findings.add(movedTo(window, echoes));
    yield undefined;
  }
  return yield* findings.merge(text);
}

/** The findings of a text, by the piece in which they start, without those that others cover. */
interface Findings {
  /** Adds findings after all earlier ones in the order of precedence; known secrets come first. */
  add(spans: readonly Span[]): void;
  /** All findings, merged. Forgets them. */
  merge(text: string): Generator<undefined, Span[]>;
}

function createFindings(windows: readonly Window[]): Findings {
  const ofPieces: Span[][] = windows.map(() => []);
  const isKnown = ({ kind }: Span): boolean => kind === KNOWN_KIND;
  return {
    add(spans) {
      let at = 0;
      const changed = new Set<number>();
      for (const span of spans) {
        if (span.start < (windows[at]?.from ?? 0)) at = 0;
        while (span.start >= (windows[at]?.to ?? Number.POSITIVE_INFINITY)) at++;
        ofPieces[at]?.push(span);
        changed.add(at);
      }
      for (const index of changed) {
        const all = ofPieces[index] ?? [];
        ofPieces[index] = withoutCovered([...all.filter(isKnown), ...all.filter((span) => !isKnown(span))]);
      }
    },
    *merge(text) {
      const merger = createMerger(text);
      for (const spans of ofPieces) {
        merger.add(spans.splice(0));
        yield undefined;
      }
      const { merged } = merger;
      if (!text.includes('[masked:')) return merged;
      const parts: Span[][] = [];
      for (let from = 0; from < merged.length; from += SPANS_OF_STEP) {
        parts.push(splitAtMarks(text, merged.slice(from, from + SPANS_OF_STEP)));
        yield undefined;
      }
      return parts.flat();
    },
  };
}

/** A piece, from `from` to `to`, with its surroundings. */
interface Window {
  /** Offset of the first character that is read. */
  start: number;
  /** Offset after the last character that is read. */
  end: number;
  /** Offset of the piece. */
  from: number;
  /** Offset after the piece. */
  to: number;
}

/** The findings of a window of which a part is in its piece, at their places in the whole text. */
function movedTo({ start, from, to }: Window, spans: readonly Span[]): Span[] {
  const moved: Span[] = [];
  for (const span of spans) {
    const [first, last] = [span.start + start, span.end + start];
    if (last > from && first < to) moved.push({ ...span, start: first, end: last });
  }
  return moved;
}

/** Where pieces start, and the end of the text: at line breaks, else at blanks, where there are some. */
function choosePieceCuts(text: string, { length, overlap }: Pieces): number[] {
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
function widenPiece(text: string, from: number, to: number, { overlap }: Pieces): Window {
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
