// Fits text into the columns of a terminal.

import { makeVisible } from '../../shared/text/hiddenCharacters.ts';

/** Characters of two columns: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const graphemes = new Intl.Segmenter('en');

/** The width of a line in columns. */
export function measureColumns(line: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(line)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** The line in at most `columns` columns. A truncated line ends in `…`. */
export function cutToColumns(line: string, columns: number): string {
  if (measureColumns(line) <= columns) return line;
  let cut = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(line)) {
    left -= WIDE.test(segment) ? 2 : 1;
    if (left < 0) break;
    cut += segment;
  }
  return columns < 1 ? '' : `${cut}…`;
}

/** Untrusted text as one line, with invisible characters made visible. */
export function onOneLine(text: string): string {
  return makeVisible(text).replace(/\s+/g, ' ').trim();
}

/** The texts in columns, two spaces apart. The last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, measureColumns(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - measureColumns(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Wraps a text into lines of at most `columns` columns. Keeps its line breaks. */
export function wrapText(text: string, columns: number): string[] {
  return makeVisible(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', '  '), Math.max(columns, 20)));
}

function wrapLine(line: string, columns: number): string[] {
  const segments = Array.from(graphemes.segment(line), ({ segment }) => segment);
  const lines: string[] = [];
  let start = 0;
  for (;;) {
    const head = segments.slice(start, start + countFitting(segments, start, columns));
    if (start + head.length === segments.length) return [...lines, head.join('')];
    const space = head.lastIndexOf(' ');
    const end = space > head.length / 3 ? space : head.length;
    lines.push(head.slice(0, end).join('').trimEnd());
    start += end;
    while (segments[start]?.trim() === '') start++;
  }
}

/** The number of segments from `start` on that fit into `columns` columns. */
function countFitting(segments: readonly string[], start: number, columns: number): number {
  let left = columns;
  let count = 0;
  for (let segment = segments[start]; segment !== undefined; segment = segments[start + count]) {
    left -= WIDE.test(segment) ? 2 : 1;
    if (left < 0) return count;
    count++;
  }
  return count;
}

/**
 * A line in the width of the terminal, broken between words: the rest stands below the text behind its label.
 * @param columns the width. Undefined: the line stays as it is.
 */
export function wrapLabelled(line: string, columns: number | undefined): string[] {
  if (columns === undefined || measureColumns(line) <= columns) return [line];
  const [label = ''] = /^\s*(?:\S+(?: \S+)*? {2,})?/.exec(line) ?? [];
  const indent = ' '.repeat(label.length < columns / 2 ? label.length : 4);
  const [first = '', ...rest] = wrapText(line.slice(label.length), columns - indent.length);
  return label.length === indent.length
    ? [label + first, ...rest.map((one) => indent + one)]
    : [label.trimEnd(), ...[first, ...rest].map((one) => indent + one)];
}
