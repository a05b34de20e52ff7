// Places in a text to replace: merges those that overlap, and keeps existing marks.

import { MARK } from './scan/maskMarks.ts';

/** A place in the original text, and the secret that stands there. */
export interface Span {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
  /** The kind in the mark. */
  kind: string;
  /** The secret itself, decoded; its digest gives the mark's digits. */
  secret: string;
}

/**
 * The spans in the order of the text. Those that overlap become one that covers all of them; it keeps kind
 * and secret of a span that covers the whole union (the first given, of several), else it has the kind of the
 * longest and the text as secret.
 */
export function mergeSpans(text: string, spans: readonly Span[]): Span[] {
  const merger = createMerger(text);
  merger.add(spans);
  return merger.merged;
}

/** Merges the spans of a text part by part, as `mergeSpans` merges all of them. */
interface Merger {
  /** The spans merged so far, in the order of the text. */
  readonly merged: Span[];
  /** Adds spans in any order. None starts before one that was added earlier. */
  add(spans: readonly Span[]): void;
}

/** A merger without spans. */
export function createMerger(text: string): Merger {
  const merged: Span[] = [];
  let longest = 0;
  return {
    merged,
    add(spans) {
      for (const span of sortSpans(spans)) {
        const last = merged.at(-1);
        if (last === undefined || span.start >= last.end) {
          merged.push({ ...span });
          longest = span.end - span.start;
        } else if (span.end > last.end) {
          if (span.end - span.start > longest) last.kind = span.kind;
          longest = Math.max(longest, span.end - span.start);
          last.end = span.end;
          last.secret = text.slice(last.start, last.end);
        }
      }
    },
  };
}

/** The spans without those inside of others, which change nothing when all are merged. */
export function withoutCovered(spans: readonly Span[]): Span[] {
  let end = 0;
  return sortSpans(spans).filter((span) => {
    const isCovered = span.end <= end;
    end = Math.max(end, span.end);
    return !isCovered;
  });
}

/** By their starts, longer ones first. Sorting keeps the order of equal ones. */
function sortSpans(spans: readonly Span[]): Span[] {
  return [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** The parts of the spans that are no marks, without the blanks around them. */
export function splitAtMarks(text: string, spans: readonly Span[]): Span[] {
  if (!text.includes('[masked:')) return [...spans];
  return spans.flatMap((span) => {
    const inside = text.slice(span.start, span.end);
    const marks = [...inside.matchAll(MARK)];
    if (marks.length === 0) return [span];
    const parts: Span[] = [];
    let position = 0;
    for (const { index, 0: mark } of [...marks, { index: inside.length, 0: '' }]) {
      const part = inside.slice(position, index);
      const start = span.start + position + part.length - part.trimStart().length;
      const end = start + part.trim().length;
      if (end > start) parts.push({ ...span, start, end, secret: text.slice(start, end) });
      position = index + mark.length;
    }
    return parts;
  });
}
