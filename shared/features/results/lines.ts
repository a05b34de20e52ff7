// Visits the numbered lines of a large text without building a list: an untrusted text can have millions.

/** Characters of one line. A longer one counts as several, so that every line can be shown and numbered. */
export const MAX_LINE = 1_000;

/** A line: `text.slice(start, end)` without break, numbered from 1. Returns false to stop. */
type Visit = (line: { start: number; end: number; number: number }) => boolean | undefined;

/**
 * Visits the lines in order. A line break at the end starts no line; longer lines than `MAX_LINE` are cut,
 * not inside a surrogate pair.
 * @param from where to start: at the start of a line, or where one was cut, and the number of the line
 * before.
 * @returns the number of lines up to the last one that was visited.
 */
export function walkLines(text: string, visit: Visit, from = { start: 0, number: 0 }): number {
  let { start, number } = from;
  while (start < text.length) {
    const lineBreak = text.indexOf('\n', start);
    const lineEnd = lineBreak === -1 ? text.length : lineBreak;
    do {
      const end = lineEnd - start > MAX_LINE ? wholeCharacters(text, start + MAX_LINE) : lineEnd;
      number++;
      if (visit({ start, end, number }) === false) return number;
      start = end;
    } while (start < lineEnd);
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
