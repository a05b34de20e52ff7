// Finds a seed that notices a broken protocol.

/** The seeds of `npm run test:long`. No missing protection may need more. */
export const SEEDS = 200;
/** The seeds of `npm run test:full`. */
export const CI_SEEDS = 60;
/** The seeds of `npm test`. */
export const QUICK_SEEDS = 10;
/** The seeds among which a broken line must be noticed. Its own is pinned, so the tests only run that one. */
export const MUTANT_SEEDS = 600;

/** The run of a seed. */
export interface SeedRun {
  /** The broken rules, in words. */
  violations: string[];
  /** Its length is that of the run. */
  trace: { length: number };
}

/** A seed, and the first rule that its run broke. */
export interface Notice {
  seed: number;
  violation: string;
}

/** Seeds that notice, among which the cheapest is looked for. */
const COMPARED = 5;

/**
 * Of the first seeds that break a rule the one with the shortest run, so that tests which begin with it are
 * done soon.
 * @param rule as for `findSeed`.
 * @returns undefined when none of them does.
 */
export async function findCheapSeed(
  runSeed: (seed: number) => Promise<SeedRun>,
  rule = '',
): Promise<Notice | undefined> {
  const found: (Notice & { steps: number })[] = [];
  for (let seed = 1; seed <= MUTANT_SEEDS && found.length < COMPARED; seed++) {
    const { violations, trace } = await runSeed(seed);
    const violation = violations.find((one) => one.startsWith(rule));
    if (violation !== undefined) found.push({ seed, violation, steps: trace.length });
  }
  return found.sort((a, b) => a.steps - b.steps)[0];
}

/**
 * The first seed that breaks a rule, or `known` if that one does: seeds move when simulation or protocol
 * change, and then the known one only costs a run.
 * @param rule the begin of what has to be noticed. Default: anything.
 * @returns undefined when none of them does.
 */
export async function findSeed(
  runSeed: (seed: number) => Promise<SeedRun>,
  known: number,
  rule = '',
): Promise<Notice | undefined> {
  for (const seed of [known, ...Array.from({ length: MUTANT_SEEDS }, (_, index) => index + 1)]) {
    const violation = (await runSeed(seed)).violations.find((one) => one.startsWith(rule));
    if (violation !== undefined) return { seed, violation };
  }
  return undefined;
}
