// Shows lines of a large text with their numbers: a range of them, or those that a search finds.

import { cutText } from '../../text/cut.ts';
import { walkLines } from './lines.ts';

/** Lines of a text, numbered from 1, both included. */
export interface LineRange {
  /** The first line. */
  from: number;
  /** The last line; numbers after the end of the text are valid. */
  to: number;
}

/** The lines of a page, and the rest of the range. */
interface Page {
  /** `number: line`; in a search's result `number- line` beside a found one, `--` between places. */
  text: string;
  /** The first line that did not fit, where the next page can start; undefined when all are shown. */
  next?: number;
}

/** The lines of a range, as many as fit in `maxBytes` UTF-8 bytes; at least one, cut if need be. */
export function pageLines(text: string, { from, to }: LineRange, maxBytes: number): Page {
  const page = startPage(maxBytes);
  let next: number | undefined;
  walkLines(text, ({ start, end, number }) => {
    if (number < from) return undefined;
    if (number > to) return false;
    if (page.add(`${number}: ${text.slice(start, end)}`)) return undefined;
    next = number;
    return false;
  });
  return { text: page.text(), ...(next !== undefined && { next }) };
}

/** The result of a search. */
interface Findings extends Page {
  /** Lines that were found, whether shown or not. */
  found: number;
  /** Where the search was given up because it took too much work; undefined when it read the whole range. */
  stoppedAt?: number;
}

/** The search text, and the options of its display. */
export interface Search {
  /** Whether a line is found. `cost` is the work of it for each character. */
  matches: (line: string) => boolean;
  /** Work per character, in the unit of `MAX_WORK`; 1 for a plain comparison. */
  cost: number;
  /** Lines shown before and after each match. */
  context: number;
  /** The lines that are searched. */
  range: LineRange;
}

/** Work of one search, about a second of it: 5 MB, searched by a pattern of 400 instructions. */
const MAX_WORK = 2_000_000_000;

/** The found lines with those around them, as many as fit in `maxBytes` UTF-8 bytes. */
export function searchLines(text: string, search: Search, maxBytes: number): Findings {
  const { matches, cost, context, range } = search;
  const page = startPage(maxBytes);
  let found = 0;
  let work = 0;
  let next: number | undefined;
  let stoppedAt: number | undefined;
  /** Lines that are shown if the next one is found. */
  let before: string[] = [];
  let lastShown = 0;
  let lastFound = Number.NEGATIVE_INFINITY;
  const show = (line: string, number: number, mark: string): void => {
    if (next !== undefined) return;
    if (page.add(`${number}${mark} ${line}`)) lastShown = number;
    else next = number;
  };
  walkLines(text, ({ start, end, number }) => {
    if (number < range.from) return undefined;
    if (number > range.to) return false;
    work += (end - start + 1) * cost;
    if (work > MAX_WORK) {
      stoppedAt = number;
      return false;
    }
    const line = text.slice(start, end);
    if (matches(line)) {
      found++;
      const first = number - before.length;
      if (lastShown > 0 && first > lastShown + 1 && next === undefined) page.add('--');
      for (const [index, earlier] of before.entries()) show(earlier, first + index, '-');
      show(line, number, ':');
      before = [];
      lastFound = number;
    } else if (number - lastFound <= context) {
      show(line, number, '-');
    } else {
      before = context === 0 ? [] : [...before, line].slice(-context);
    }
    return undefined;
  });
  return {
    text: page.text(),
    found,
    ...(next !== undefined && { next }),
    ...(stoppedAt !== undefined && { stoppedAt }),
  };
}

/** Collects lines within a limit. Cuts a first line that exceeds the limit, so that a page is never empty. */
function startPage(maxBytes: number): { add(line: string): boolean; text(): string } {
  const lines: string[] = [];
  let left = maxBytes;
  return {
    add(line) {
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > left && lines.length > 0) return false;
      const kept = bytes > left ? cutText(line, left, 'bytes') : line.toWellFormed();
      lines.push(kept);
      left -= Buffer.byteLength(kept) + 1;
      return true;
    },
    text: () => lines.join('\n'),
  };
}
