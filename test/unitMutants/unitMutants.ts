// Single lines that unit tests protect, and the file of tests that notices when one is broken.

import type { TextChange } from '../support/mutant.ts';

/** A change of one line, and the file of tests that fails by it. */
interface UnitMutant extends TextChange {
  /** Below the project's folder. */
  test: string;
}

const RACES = 'shared/runtime/lostRaces.test.ts';

/** The mutants, by what is broken. */
export const UNIT_MUTANTS: Record<string, UnitMutant> = {
  'the end of what is open below an execution is not tried again': {
    file: 'runtime/children/descendants.ts',
    text: 'return RACE_LOST;',
    by: 'return;',
    test: RACES,
  },
};
