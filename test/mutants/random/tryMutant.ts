// Decides one mutant: runs the tests that run its place, near and cheap ones first, until one fails for it.

import type { MeasuredTest } from './baseline.ts';
import { needsStore } from './reach.ts';
import type { RunEnd } from './vitestRun.ts';

/**
 * The result of a mutant. No coverage: no test runs its place. Refused: no test fails, but the type check
 * does. Not decided: its tests passed, but others were left out, or they fail without it, too.
 */
export type Outcome =
  | 'killed'
  | 'survived'
  | 'timeout'
  | 'no coverage'
  | 'refused'
  | 'equivalent'
  | 'not decided';

export interface Verdict {
  outcome: Outcome;
  /** The test that failed, or why nothing is decided. */
  by?: string;
}

/** A mutant and its tests. */
export interface Trial {
  id: string;
  /** Files of tests that reach its file, the nearest first. */
  tests: readonly MeasuredTest[];
  /** Whether these are all. */
  hasAll: boolean;
  /** Whether its place runs while modules are loaded: then every test can run with it. */
  isLoaded: boolean;
  /** Maximum CPU milliseconds of the tests without the mutant. The first file always runs. */
  capMs: number;
  /** Runs tests with or without the mutant to the first failure. A longer one is ended. */
  run(tests: readonly MeasuredTest[], isMutated: boolean): Promise<RunEnd>;
}

export async function tryMutant({ id, tests, hasAll, isLoaded, capMs, run }: Trial): Promise<Verdict> {
  const passing = tests.filter(({ passed }) => passed);
  // Where tests use what was computed before them, the loading alone covers the place.
  const covering = isLoaded ? passing : passing.filter(({ covered }) => covered.includes(id));
  const costs = new Map(covering.map((test, place) => [test, test.cpuMs * (place + 1)]));
  const ordered = covering.toSorted((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0));
  let spentMs = 0;
  const chosen = ordered.filter(({ cpuMs }, index) => {
    if (index > 0 && spentMs + cpuMs > capMs) return false;
    spentMs += cpuMs;
    return true;
  });
  // Those without the local cloud first.
  for (const onStore of [false, true]) {
    const group = chosen.filter(({ file }) => needsStore(file) === onStore);
    const verdict = group.length === 0 ? undefined : await runMutated(group, run);
    if (verdict !== undefined) return verdict;
  }
  if (chosen.length < covering.length || !hasAll)
    return { outcome: 'not decided', by: 'more tests reach it than were run' };
  return { outcome: covering.length > 0 ? 'survived' : 'no coverage' };
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
