// A single line that unit tests protect.

import type { TextChange } from '../../support/mutant.ts';

/** A change of one line, and the file of tests that fails by it. */
export interface UnitMutant extends TextChange {
  /** Below the project's folder. */
  test: string;
}
