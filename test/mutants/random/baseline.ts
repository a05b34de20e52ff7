// What tests do without a mutant: whether they pass, how long they take, and which mutants of the sample they
// run. A file of tests is measured when it is needed first, and the result is kept.

import { type FileCoverage, type FileResult, type RunEnd, readResults } from './vitestRun.ts';

/** A file of tests without a mutant. */
export interface MeasuredTest extends FileResult, Pick<FileCoverage, 'covered' | 'cpuMs'> {}

export interface Baseline {
  /** Measures files without result together. @returns all results, in the same order. */
  measure(tests: readonly string[]): Promise<MeasuredTest[]>;
  /** Whether the place of a mutant runs while modules are loaded, as far as is measured. */
  isLoaded(id: string): boolean;
  /** The measured files that fail. They decide nothing. */
  listFailing(): string[];
}

/**
 * Keeps the results of tests without a mutant.
 * @param path where `run` appends them; those of an earlier call are used.
 * @param run runs files of tests without a mutant, past their failures.
 */
export function createBaseline(path: string, run: (tests: readonly string[]) => Promise<RunEnd>): Baseline {
  const measured = new Map<string, MeasuredTest>();
  const loaded = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const add = ({ results, coverage }: Pick<RunEnd, 'results' | 'coverage'>): void => {
    const byFile = new Map(coverage.map((line) => [line.file, line]));
    for (const line of coverage) for (const id of line.loaded) loaded.add(id);
    for (const result of results) {
      const { covered = [], cpuMs = 0 } = byFile.get(result.file) ?? {};
      measured.set(result.file, { ...result, covered, cpuMs });
    }
  };
  add(readResults(path));

  const start = (tests: readonly string[]): void => {
    if (tests.length === 0) return;
    const end = run(tests).then((ended) => {
      add(readResults(path));
      // A process that dies leaves files without a result: they decide nothing, either.
      for (const file of tests)
        if (!measured.has(file))
          measured.set(file, { file, passed: false, ms: 0, failed: [], covered: [], cpuMs: 0 });
      if (ended.results.length === 0) throw new Error(`The tests cannot run:\n${ended.output.join('\n')}`);
    });
    for (const file of tests) running.set(file, end);
  };

  return {
    async measure(tests) {
      start(tests.filter((file) => !measured.has(file) && !running.has(file)));
      await Promise.all(tests.map((file) => running.get(file)));
      return tests.flatMap((file) => measured.get(file) ?? []);
    },
    isLoaded: (id) => loaded.has(id),
    listFailing: () => [...measured.values()].filter(({ passed }) => !passed).map(({ file }) => file),
  };
}
