// Runs test files on instrumented sources in a process bound to this one, limited per file.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../local/processes/childProcess.ts';
import { needsStore } from './reach.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const VITEST = join(PROJECT, 'node_modules/vitest/vitest.mjs');
const CONFIG = join(PROJECT, 'test/mutants/random/vitest.config.ts');
/** How often the results of a run are looked at. */
const WATCH_MS = 500;

/** Tests to run. `vitest.config.ts` reads it from a file. */
export interface VitestRun {
  /** The tree with sources and tests. */
  root: string;
  /** The folder with the instrumented texts, below the same paths as in the tree. */
  instrumented: string;
  /** Paths below the root, in the order in which they run. */
  tests: readonly string[];
  /** Whether the first failed test ends the run. */
  stopsAtFailure: boolean;
  /** Where results are appended, one JSON for each line. */
  results: string;
  /** Whether the tests use the store in memory; otherwise a local cloud starts for them. */
  inMemory: boolean;
  /** Of which mutants the coverage is noted. */
  ids: readonly string[];
}

/** The result of one file of tests. */
export interface FileResult {
  file: string;
  passed: boolean;
  /** Without the start of the process. */
  ms: number;
  /** The full names of the failed tests. */
  failed: string[];
}

/** What one file of tests used and ran. */
export interface FileCoverage {
  file: string;
  /** Milliseconds of the processor, without the compilation of modules. */
  cpuMs: number;
  /** Ids of mutants whose place ran in a test. */
  covered: string[];
  /** Ids of mutants that ran while modules loaded, once for all files of a process. */
  loaded: string[];
}

/** How a run ended. */
export interface RunEnd {
  results: FileResult[];
  coverage: FileCoverage[];
  /** Whether every test passed and nothing else failed. */
  passed: boolean;
  isTimeout: boolean;
  /** The last lines of the output. */
  output: readonly string[];
}

/** What a run needs beside its tests. */
export interface RunOptions extends Omit<VitestRun, 'results' | 'stopsAtFailure' | 'inMemory'> {
  stopsAtFailure?: boolean;
  /** The id of the active mutant. Default: none. */
  mutant?: string | undefined;
  /** How long each file may take, in milliseconds, in the order of `tests`. Default: no limits. */
  limits?: readonly number[];
  /** Where results are appended. Default: a file that is removed afterwards. */
  results?: string;
  signal: AbortSignal;
}

/** Runs tests. @throws the reason of `signal` when that aborts; all processes of the run have ended then. */
export async function runVitest(options: RunOptions): Promise<RunEnd> {
  const { root, instrumented, tests, ids, stopsAtFailure = true, mutant, signal } = options;
  signal.throwIfAborted();
  const folder = mkdtempSync(join(tmpdir(), 'inquest-mutation-'));
  const { results = join(folder, 'results.jsonl') } = options;
  const inMemory = !tests.some(needsStore);
  const run: VitestRun = { root, instrumented, tests, stopsAtFailure, results, inMemory, ids };
  const runFile = join(folder, 'run.json');
  writeFileSync(runFile, JSON.stringify(run));
  const { INQUEST_TESTS: _, ...env } = process.env;
  const vitest = startProcess({
    name: 'vitest',
    command: process.execPath,
    args: ['--no-warnings', VITEST, 'run', '--root', root, '--config', CONFIG],
    env: { ...env, INQUEST_MUTATION_RUN: runFile, __STRYKER_ACTIVE_MUTANT__: mutant, TMPDIR: folder },
  });
  let isTimeout = false;
  let done = 0;
  let doneAt = performance.now();
  const stop = () => void vitest.stop();
  const timer = setInterval(() => {
    const { length } = readResults(results).results;
    if (length > done) [done, doneAt] = [length, performance.now()];
    const limit = options.limits?.[done] ?? Number.POSITIVE_INFINITY;
    if (isTimeout || performance.now() - doneAt < limit) return;
    isTimeout = true;
    stop();
  }, WATCH_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const end = await vitest.exited;
    signal.throwIfAborted();
    const passed = end === 'exit code 0';
    return { ...readResults(results), passed, isTimeout, output: vitest.lastLines() };
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the results that a run has written so far; a last line that is cut is left out. */
export function readResults(path: string): Pick<RunEnd, 'results' | 'coverage'> {
  const results: FileResult[] = [];
  const coverage: FileCoverage[] = [];
  for (const line of readJsonLines<FileResult | FileCoverage>(path)) {
    if ('passed' in line) results.push(line);
    else coverage.push(line);
  }
  return { results, coverage };
}

/** Reads a file of one JSON for each line; a last line that is cut is left out. Empty without the file. */
export function readJsonLines<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
