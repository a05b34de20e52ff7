// Places in a text that are to be replaced: merges those that overlap, and leaves marks that stand there already.

import { MARK } from './marks.ts';

/** A place in the original text, and the secret that stands there. */
export interface Span {
  start: number;
  end: number;
  kind: string;
  /** The secret itself, decoded; its digest gives the mark's digits. */
  secret: string;
}

/**
 * The spans in the order of the text. Those that overlap become one that covers all of them; it keeps kind and secret of
 * the one that covers it alone (the first given, of several), else it has the kind of the longest and the text as secret.
 */
export function mergeSpans(text: string, spans: readonly Span[]): Span[] {
  // Sorting keeps the order of equal ones.
  const ordered = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  let longest = 0;
  for (const span of ordered) {
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
  return merged;
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
