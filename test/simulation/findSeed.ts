// Finds a seed that notices a broken protocol.

import type { Run } from './runSeed.ts';

/** No broken protocol may need more seeds. */
export const SEEDS = 200;

/** A seed, and the first rule that its run broke. */
export interface Notice {
  seed: number;
  violation: string;
}

/**
 * The first seed that breaks a rule, or `known` if that one does: seeds move when simulation or protocol change, and then
 * the known one only costs a run.
 * @param rule the begin of what has to be noticed. Default: anything.
 * @returns undefined when none of 200 does.
 */
export async function findSeed(
  runSeed: (seed: number) => Promise<Run>,
  known: number,
  rule = '',
): Promise<Notice | undefined> {
  for (const seed of [known, ...Array.from({ length: SEEDS }, (_, index) => index + 1)]) {
    const violation = (await runSeed(seed)).violations.find((one) => one.startsWith(rule));
    if (violation !== undefined) return { seed, violation };
  }
  return undefined;
}
