// Lines of a cut private key behind any prefix: times, containers, `grep -n`, comments, lines of JSON.

import { matchAt, type Scan } from '../scan/scan.ts';
import { toPrefixPattern } from './lineLayout.ts';

/** How a line of a key stands in its text. */
interface Template {
  /** Matches the text before it, sticky: numbers differ. Undefined for a long one: only long runs count. */
  prefix: RegExp | undefined;
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

/** Reads the lines behind (`step` 1) or before (`step` -1) the line that a range is part of. */
export type KeyLineReader = (range: Line, step: 1 | -1) => Line[];

/** Lines of something else that a logger writes between two of a key. */
const MAX_GAP = 3;
/** The same with headers and blank lines, so that each line is read for few keys. */
const MAX_WITHOUT_RUN = 8;
/** A key of 16,384 bits has 200. */
const MAX_LINES = 400;
const LONGEST_LINE = 4000;
const LONGEST_PREFIX = 300;
/** A table pads short lines with blanks. */
const WINDOW = 200;
const RUN = /(?<![A-Za-z0-9/])[A-Za-z0-9+/]{4,}={0,2}/y;
/** A run that is part of a key whatever stands around it. Names, paths and ids are shorter. */
const LONG_RUN = /[A-Za-z0-9+/]{40,}={0,2}/g;
const MARKER = /-{4} ?(?:BEGIN|END)/;
const HEADER = /(?:Proc-Type|DEK-Info|Comment|Version|Subject|X-[\w-]{1,20}): ?\S/;

/**
 * A reader of the lines around the ranges of one text, which are given in the order of the text. It returns
 * the runs of base64, until something else follows for more than three lines. Lines that it returned for one
 * range are not returned for another one in them, and a line with many ranges is read for the first of them.
 */
export function createKeyLineReader(scan: Scan): KeyLineReader {
  let readTo = 0;
  return (range, step) => {
    if (range.start < readTo) return [];
    const line = lineAt(scan.text, range.start);
    const found = readLines(scan, line, range, step);
    readTo = Math.max(line.end, found.at(-1)?.end ?? 0);
    return found;
  };
}

function readLines(scan: Scan, own: Line, range: Line, step: 1 | -1): Line[] {
  const { text } = scan;
  const found: Line[] = [];
  scan.spend(own.end - own.start + 1);
  let line = neighbourLine(text, own, step);
  if (line === undefined) return found;
  const template = createTemplate(text, own, range);
  let [gap, withoutRun] = [0, 0];
  for (let count = 0; line !== undefined && count < MAX_LINES; count++) {
    scan.spend(line.end - line.start + 1);
    const written = text.slice(line.start, line.end);
    if (MARKER.test(written)) break;
    const run = findRun(written, template);
    if (run !== undefined) found.push({ start: line.start + run.start, end: line.start + run.end });
    gap = run !== undefined || HEADER.test(written) || written.length < 3 ? 0 : gap + 1;
    withoutRun = run === undefined ? withoutRun + 1 : 0;
    if (gap > MAX_GAP || withoutRun > MAX_WITHOUT_RUN) break;
    line = neighbourLine(text, line, step);
  }
  return found;
}

/** The prefix of a range on its line and the start of the text behind it. */
function createTemplate(text: string, line: Line, { start, end }: Line): Template {
  const before = text.slice(line.start, start);
  const prefix =
    before.length > LONGEST_PREFIX
      ? undefined
      : new RegExp(`${toPrefixPattern(before.trimEnd())}[ \\t]{0,40}`, 'y');
  return { prefix, suffix: readLineSuffix(text.slice(end, end + WINDOW)) };
}

/** The place of the line that holds `index`, without its line break. Very long lines are cut. */
function lineAt(text: string, index: number): Line {
  const from = Math.max(0, index - LONGEST_LINE);
  const newline = text.slice(index, index + LONGEST_LINE).indexOf('\n');
  return {
    start: from + text.slice(from, index).lastIndexOf('\n') + 1,
    end: newline < 0 ? Math.min(text.length, index + LONGEST_LINE) : index + newline,
  };
}

function neighbourLine(text: string, { start, end }: Line, step: 1 | -1): Line | undefined {
  if (step === 1) return text[end] === '\n' && end + 1 < text.length ? lineAt(text, end + 1) : undefined;
  return start > 0 && text[start - 1] === '\n' ? lineAt(text, start - 1) : undefined;
}

/** The run of base64 that belongs to the key: one that fits the template, or the longest of the long ones. */
function findRun(line: string, { prefix, suffix }: Template): Line | undefined {
  const start = prefix === undefined ? undefined : matchAt(line, 0, prefix)?.[0].length;
  const run = start === undefined ? null : matchAt(line, start, RUN);
  if (start !== undefined && run !== null) {
    const end = start + run[0].length;
    if (readLineSuffix(line.slice(end, end + WINDOW)) === suffix) return { start, end };
  }
  let longest: Line | undefined;
  LONG_RUN.lastIndex = 0;
  for (let hit = LONG_RUN.exec(line); hit !== null; hit = LONG_RUN.exec(line)) {
    if (longest === undefined || hit[0].length > longest.end - longest.start)
      longest = { start: hit.index, end: hit.index + hit[0].length };
  }
  return longest;
}

const readLineSuffix = (behind: string): string => (behind.split(/\r?\n/, 1)[0] ?? '').trim().slice(0, 3);
