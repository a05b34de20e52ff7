// A mutant: one change of one place of the source.

/** As instrumented files have it. */
export interface Mutant {
  /** The value of the switch, unique among the files of one call: a decimal number. */
  id: string;
  /** Below the root: `shared/text/cut.ts`. */
  file: string;
  /** From 1. */
  line: number;
  mutator: string;
  /** The text that is replaced, on one line and cut, as in the list of survivors. */
  original: string;
  replacement: string;
  /** From 1: which of the equal changes of this file it is, in the order of the text. */
  nth: number;
}

/** Names a mutant independent of its line, so that it keeps its name when other lines of the file change. */
export function nameMutant({
  file,
  mutator,
  original,
  replacement,
  nth,
}: Omit<Mutant, 'id' | 'line'>): string {
  return JSON.stringify([file, mutator, original, replacement, nth]);
}

/** `shared/text/cut.ts:12 a < b -> a <= b`. */
export function describeMutant({ file, line, original, replacement }: Mutant): string {
  return `${file}:${line} ${original} -> ${replacement}`;
}
