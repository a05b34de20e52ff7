// The form of the three suites of mutants: single lines that are broken one at a time, and the check that has to fail.

/** The result of a mutant. */
export interface MutantRun {
  name: string;
  /** The first check that detected the mutant. Absent: the mutant survived. */
  detectedBy?: string;
  /** The seed that detected it, in the simulation. */
  seed?: number;
}
