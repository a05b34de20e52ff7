// What tests do without a mutant: whether they pass, how long they take, and which mutants of the sample they
// run.

import { needsStore } from './reach.ts';
import { type FileCoverage, type FileResult, type RunEnd, readResults } from './vitestRun.ts';

/** How many files of tests are measured in one process. */
const SIZE = 24;

/** A file of tests without a mutant. */
export interface MeasuredTest extends FileResult, Pick<FileCoverage, 'covered' | 'cpuMs'> {}

export interface Baseline {
  tests: ReadonlyMap<string, MeasuredTest>;
  /** Ids of mutants whose place runs while modules are loaded. */
  loaded: ReadonlySet<string>;
}

export interface BaselineOptions {
  /** Paths below the root. */
  tests: readonly string[];
  /** Where results are kept. Files with a result of an earlier call are not run again. */
  path: string;
  /** How many processes run at the same time. */
  jobs: number;
  signal: AbortSignal;
  /** Runs files of tests without a mutant, past their failures, and appends the results to `path`. */
  run(tests: readonly string[], path: string): Promise<RunEnd>;
  /** Called with a line about each step. */
  onProgress(line: string): void;
}

/**
 * Runs tests without a mutant. A file that ends its process, or did not run when `signal` aborts, counts as
 * failed. @throws Error when none runs.
 */
export async function measureTests(options: BaselineOptions): Promise<Baseline> {
  const { path, run, onProgress } = options;
  const known = readBaseline(path).tests;
  const open = options.tests.filter((file) => !known.has(file));
  const groups = [...Map.groupBy(open, needsStore).values()].flatMap(splitInGroups);
  if (open.length > 0) onProgress(`${open.length} files of tests are run without a mutant.`);
  let done = 0;
  await runInTurns(options, groups, async (group) => {
    const { output } = await run(group, path);
    const { tests } = readBaseline(path);
    const missing = group.filter((file) => !tests.has(file));
    if (tests.size === 0) throw new Error(`The tests cannot run:\n${output.join('\n')}`);
    // One of them ended the process of all.
    for (const file of missing) await run([file], path);
    done += group.length;
    onProgress(`${done} of ${open.length} files of tests.`);
  });
  const { tests, loaded } = readBaseline(path);
  for (const file of options.tests)
    if (!tests.has(file)) tests.set(file, { file, passed: false, ms: 0, failed: [], covered: [], cpuMs: 0 });
  return { tests, loaded };
}

function readBaseline(path: string): { tests: Map<string, MeasuredTest>; loaded: Set<string> } {
  const { results, coverage } = readResults(path);
  const byFile = new Map(coverage.map((line) => [line.file, line]));
  const tests = results.map((result): [string, MeasuredTest] => {
    const { covered = [], cpuMs = 0 } = byFile.get(result.file) ?? {};
    return [result.file, { ...result, covered, cpuMs }];
  });
  return { tests: new Map(tests), loaded: new Set(coverage.flatMap((line) => line.loaded)) };
}

function splitInGroups(list: readonly string[]): string[][] {
  const count = Math.ceil(list.length / SIZE);
  return Array.from({ length: count }, (_, index) => list.slice(index * SIZE, (index + 1) * SIZE));
}

/**
 * Works on items, `jobs` at a time, until `signal` aborts. @throws the first error, when all have stopped.
 */
export async function runInTurns<T>(
  { jobs, signal }: Pick<BaselineOptions, 'jobs' | 'signal'>,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const open = items[Symbol.iterator]();
  const workOn = async () => {
    for (const item of open) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: jobs }, workOn));
  for (const end of ends) if (end.status === 'rejected' && !signal.aborted) throw end.reason;
}
