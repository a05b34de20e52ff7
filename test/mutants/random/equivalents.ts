// The reviewed list of mutants that change nothing that a caller could observe. They are not tried.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Mutant, nameMutant } from './mutant.ts';

const EQUIVALENTS = new URL('./equivalents.yaml', import.meta.url);

const equivalentsSchema = z.array(
  z.strictObject({
    file: z.string(),
    mutator: z.string(),
    /** Both as the list of survivors prints them. */
    original: z.string(),
    replacement: z.string(),
    /** Which of the equal changes of the file, from 1. */
    nth: z.number().int().positive().default(1),
    /** Why no caller can observe the change. */
    reason: z.string().min(20),
  }),
);

export type Equivalent = z.infer<typeof equivalentsSchema>[number];

/** @throws Error that names the entry and the field when the list is malformed. */
export function readEquivalents(path: URL = EQUIVALENTS): Equivalent[] {
  return equivalentsSchema.parse(parse(readFileSync(path, 'utf8')));
}

/**
 * Checks that each entry names an existing mutant, once.
 * @param mutants all mutants of the files that the entries name.
 * @throws Error that lists the entries that do not.
 */
export function checkEquivalents(entries: readonly Equivalent[], mutants: readonly Mutant[]): void {
  const open = new Set(mutants.map(nameMutant));
  const faults = entries.filter((entry) => !open.delete(nameMutant(entry))).map(nameMutant);
  if (faults.length === 0) return;
  throw new Error(
    `test/mutants/random/equivalents.yaml names no existing mutant, or one of them twice:\n  ${faults.join('\n  ')}\n` +
      'Correct or remove these entries.',
  );
}
