// The form of the suites of mutants: single broken lines, and the check that must fail.

/** The result of a mutant. */
export interface MutantRun {
  name: string;
  /** The first check that detected the mutant. Absent: the mutant survived. */
  detectedBy?: string;
  /** The seed that detected it, in the simulation. */
  seed?: number;
}
