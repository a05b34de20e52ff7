// The input and output of finders of secrets. A finder reads one text once and reports where secrets stand.

import { runAllSteps } from '../../text/yieldingSteps.ts';

/** A secret in the text of a scan: UTF-16 offsets, the end not included. */
interface Finding {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
  /** The kind of secret in the mark: `password`, `aws-key`. */
  kind: string;
}

/** One text and the findings in it. */
export interface Scan {
  /** The text that is searched. */
  readonly text: string;
  /** Reports a secret; an empty range is ignored. */
  found(start: number, end: number, kind: string): void;
  /** Counts work, in characters looked at. @throws WorkExceeded when the text took too much. */
  spend(characters: number): void;
}

/** Finds the secrets of one group in a text. Its work grows linearly with the text. */
export type Finder = (scan: Scan) => void;

/**
 * Finds secrets of one group by structure that can be as long as the text. A step takes a limited time; other
 * texts can be searched between two steps. Its work grows linearly with the text.
 */
export type StructureFinder = (scan: Scan) => Generator<undefined, void>;

/** Characters that a finder of structure reads in a step. */
export const CHARACTERS_OF_STEP = 64 * 1024;

/** The finder that takes all steps at once. */
export const atOnce =
  (finder: StructureFinder): Finder =>
  (scan) =>
    runAllSteps(finder(scan));

/** Reports the ranges of a list of starts and ends, and empties it. */
export function reportRanges(scan: Scan, ranges: number[], kind: string): void {
  for (let index = 0; index < ranges.length; index += 2)
    scan.found(ranges[index] ?? 0, ranges[index + 1] ?? 0, kind);
  ranges.length = 0;
}

/** Leaves the ranges of an object to the object around it, which can be a list of Secrets. */
export function moveValues(
  scan: Scan,
  from: { values: number[] },
  to: { values: number[] } | undefined,
): void {
  if (to === undefined || to.values === from.values || from.values.length === 0) return;
  scan.spend(from.values.length);
  if (to.values.length === 0) to.values = from.values;
  else for (const value of from.values) to.values.push(value);
}

/** A text needed more work than its length allows; it counts as unreadable. */
class WorkExceeded extends Error {}

/**
 * The most work of one pass over a text: per character, and the minimum for short texts. Usual logs take 2 to
 * 6 per character, the hostile texts of the tests up to 60.
 */
const WORK_PER_CHARACTER = 400;
const LEAST_WORK = 200_000;

/** A scan of `text`, and the findings that were reported. */
export function createScan(text: string): Scan & { findings: Finding[]; work(): number } {
  const findings: Finding[] = [];
  const limit = LEAST_WORK + WORK_PER_CHARACTER * text.length;
  let work = 0;
  return {
    text,
    findings,
    work: () => work,
    found(start, end, kind) {
      work++;
      if (end > start) findings.push({ start, end, kind });
    },
    spend(characters) {
      work += characters;
      if (work > limit) throw new WorkExceeded(`more than ${limit} steps`);
    },
  };
}

/** The match of a sticky pattern at `index`, or null. */
export function matchAt(text: string, index: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}
