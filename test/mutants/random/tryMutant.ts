// Decides one mutant: runs tests that reach its file, nearest first, until one fails for it.

import type { Baseline, MeasuredTest } from './baseline.ts';
import type { RunEnd } from './vitestRun.ts';

/**
 * The result of a mutant. No coverage: no test runs its place. Not decided: its tests passed, but the cap
 * left out others, or they fail without it, too.
 */
export type Outcome = 'killed' | 'survived' | 'timeout' | 'no coverage' | 'equivalent' | 'not decided';

export interface Verdict {
  outcome: Outcome;
  /** The test that failed, or why nothing is decided. */
  by?: string;
}

/** A mutant and its tests. */
export interface Trial {
  id: string;
  /** All files of tests that reach its file, the nearest first. */
  tests: readonly string[];
  /** Maximum CPU milliseconds of the tests without the mutant. The nearest file always runs. */
  capMs: number;
  baseline: Baseline;
  /** Runs tests with or without the mutant to the first failure. A longer one is ended. */
  run(tests: readonly MeasuredTest[], isMutated: boolean): Promise<RunEnd>;
}

/** How many files run in one process: the nearest one alone, as it most often decides. */
const FIRST_SIZES = [1, 4];
const SIZE = 8;

export async function tryMutant({ id, tests, capMs, baseline, run }: Trial): Promise<Verdict> {
  let isCovered = false;
  let spentMs = 0;
  for (const group of groupTests(tests)) {
    if (spentMs > capMs) return { outcome: 'not decided', by: 'more tests reach it than the cap allows' };
    const measured = await baseline.measure(group);
    for (const { cpuMs } of measured) spentMs += cpuMs;
    const passing = measured.filter(({ passed }) => passed);
    const runsIt = ({ covered }: MeasuredTest) => covered.includes(id);
    if (!passing.some(runsIt) && (passing.length === 0 || !baseline.isLoaded(id))) continue;
    isCovered = true;
    // The others use values that the first ones computed, so that they do not run the place themselves.
    const inOrder = [...passing.filter(runsIt), ...passing.filter((test) => !runsIt(test))];
    const verdict = await runMutated(inOrder, run);
    if (verdict !== undefined) return verdict;
  }
  return { outcome: isCovered ? 'survived' : 'no coverage' };
}

function groupTests(tests: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let start = 0; start < tests.length; ) {
    const size = FIRST_SIZES[groups.length] ?? SIZE;
    groups.push(tests.slice(start, start + size));
    start += size;
  }
  return groups;
}

/** Runs tests that pass without the mutant. @returns undefined when they pass with it as well. */
async function runMutated(tests: readonly MeasuredTest[], run: Trial['run']): Promise<Verdict | undefined> {
  const end = await run(tests, true);
  if (end.passed) return undefined;
  const failed = end.results.find(({ passed }) => !passed);
  if (failed !== undefined)
    return { outcome: 'killed', by: [failed.file, ...failed.failed.slice(0, 1)].join(' > ') };
  // No test failed: the process died, was too slow, or failed after a test, perhaps otherwise.
  const control = await run(tests, false);
  if (!control.passed) return { outcome: 'not decided', by: 'its tests are slow or fail without it, too' };
  const { file = '' } = tests[end.results.length] ?? {};
  return end.isTimeout
    ? { outcome: 'timeout', by: file }
    : { outcome: 'killed', by: end.output.at(-1) ?? file };
}
