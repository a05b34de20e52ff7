// The lines of a private key that was cut, behind any prefix: times, names of containers, `grep -n`, comments, lines of JSON.

import type { Scan } from '../scan/scan.ts';

/** How a line of a key stands in its text. */
interface Template {
  /** The text before it, with all numbers alike. */
  prefix: string;
  /** The start of the text behind it. */
  suffix: string;
}

/** A run of base64 on a line, with its place in the text. */
interface Line {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

/** A run that is part of a key whatever stands around it. Names, paths and ids are shorter. */
const LONG_RUN = 40;
const SHORTEST_RUN = 4;
/** Lines of something else that a logger writes between two of a key. */
const MAX_GAP = 3;
/** A key of 16,384 bits has 200. */
const MAX_LINES = 400;
const LONGEST_LINE = 4000;
/** A table pads short lines with blanks. */
const WINDOW = 200;
const RUN = /[A-Za-z0-9+/]{4,}={0,2}/g;
const HEADER = /(?:Proc-Type|DEK-Info|Comment|Version|Subject|X-[\w-]{1,20}): ?\S/;

/**
 * The runs of base64 on the lines behind (`step` 1) or before (`step` -1) the line that the range is part of, until something
 * else follows for more than three lines.
 */
export function keyLines(scan: Scan, { start, end }: Line, step: 1 | -1): Line[] {
  const { text } = scan;
  const template = templateOf(text, start, end);
  const found: Line[] = [];
  let gap = 0;
  let line = neighbourLine(text, lineAt(text, start), step);
  for (let count = 0; line !== undefined && gap <= MAX_GAP && count < MAX_LINES; count++) {
    scan.spend(line.end - line.start + 1);
    const written = text.slice(line.start, line.end);
    if (/-{4,5} ?(?:BEGIN|END) /.test(written)) break;
    const run = runOf(written, template);
    if (run !== undefined) found.push({ start: line.start + run.start, end: line.start + run.end });
    gap = run !== undefined || HEADER.test(written) || written.length < 3 ? 0 : gap + 1;
    line = neighbourLine(text, line, step);
  }
  return found;
}

/** The prefix of a range on its line and the start of the text behind it. */
function templateOf(text: string, start: number, end: number): Template {
  const line = lineAt(text, start);
  return { prefix: shapeOf(text.slice(line.start, start)), suffix: suffixOf(text.slice(end, end + WINDOW)) };
}

/** The place of the line that holds `index`, without its line break. Very long lines are cut. */
function lineAt(text: string, index: number): Line {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - LONGEST_LINE);
  const newline = text.indexOf('\n', index);
  return { start, end: Math.min(newline < 0 ? text.length : newline, index + LONGEST_LINE) };
}

function neighbourLine(text: string, { start, end }: Line, step: 1 | -1): Line | undefined {
  if (step === 1) return text[end] === '\n' && end + 1 < text.length ? lineAt(text, end + 1) : undefined;
  return start > 0 && text[start - 1] === '\n' ? lineAt(text, start - 1) : undefined;
}

/** The run of base64 that belongs to the key: a long one, or one that fits the template. */
function runOf(line: string, { prefix, suffix }: Template): Line | undefined {
  let longest: Line | undefined;
  RUN.lastIndex = 0;
  for (let hit = RUN.exec(line); hit !== null; hit = RUN.exec(line)) {
    // The sign of a diff belongs to the alphabet.
    const isAdded = hit.index === 0 && prefix === '+' && hit[0].startsWith('+');
    const run = { start: hit.index + (isAdded ? 1 : 0), end: hit.index + hit[0].length };
    const length = run.end - run.start;
    if (
      length >= SHORTEST_RUN &&
      suffixOf(line.slice(run.end, run.end + WINDOW)) === suffix &&
      shapeOf(line.slice(0, run.start)) === prefix
    )
      return run;
    if (length >= LONG_RUN && length > (longest === undefined ? 0 : longest.end - longest.start))
      longest = run;
  }
  return longest;
}

const shapeOf = (prefix: string): string =>
  prefix
    .replace(/\d+/g, '0')
    .replace(/std(?:out|err)/, 'std')
    .replace(/[ \t]+/g, ' ')
    .replace(/[:-]/g, ':')
    .trimEnd();

const suffixOf = (behind: string): string => (behind.split(/\r?\n/, 1)[0] ?? '').trim().slice(0, 3);
