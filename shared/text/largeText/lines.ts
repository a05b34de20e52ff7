// The numbered lines of a large text, without a list of them: a hostile text may have millions.

/** Characters of one line. A longer one counts as several, so that every line can be shown and numbered. */
export const MAX_LINE = 1_000;

/** A line: `text.slice(start, end)` without its line break, and its number from 1. Returns false to end the walk. */
type Visit = (line: { start: number; end: number; number: number }) => boolean | undefined;

/**
 * Visits the lines in order. A line break at the very end begins no line; longer lines than `MAX_LINE` are cut, not inside
 * a surrogate pair.
 * @returns the number of lines that were visited.
 */
export function walkLines(text: string, visit: Visit): number {
  let number = 0;
  let start = 0;
  while (start < text.length) {
    const lineBreak = text.indexOf('\n', start);
    const lineEnd = lineBreak === -1 ? text.length : lineBreak;
    let from = start;
    do {
      const end = lineEnd - from > MAX_LINE ? wholeCharacters(text, from + MAX_LINE) : lineEnd;
      number++;
      if (visit({ start: from, end, number }) === false) return number;
      from = end;
    } while (from < lineEnd);
    start = lineEnd + 1;
  }
  return number;
}

/** How many lines a text has. */
export function countLines(text: string): number {
  return walkLines(text, () => undefined);
}

/** An end of a cut that does not go through a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
