// Tries a sample of a tree's mutants, several at a time, and keeps results for later calls.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureTests, runInTurns } from './baseline.ts';
import type { Equivalent } from './equivalents.ts';
import { describeMutant, type Mutant, nameMutant } from './mutant.ts';
import { checkList, prepareSample, type SampleOptions } from './prepareSample.ts';
import { listTests, measureDistances, readImporters } from './reach.ts';
import { tryMutant, type Verdict } from './tryMutant.ts';
import { findRefused } from './typeCheck.ts';
import { type RunEnd, type RunOptions, readJsonLines, runVitest } from './vitestRun.ts';

/** Milliseconds to start a process and modules: the minimum cost of an endless mutant. */
const START_MS = 30_000;
/** A file of tests is ended after this multiple of its time without a mutant. */
const MULTIPLE = 10;

/** A system test costs as much as several unit tests: it comes after those this much farther. */
const WHOLE_SYSTEM = 3;

export interface CampaignOptions extends SampleOptions {
  /** They are not tried. */
  equivalents: readonly Equivalent[];
  /** How many mutants are tried at the same time. */
  jobs: number;
  /** As in `Trial`. What a call with a smaller cap did not decide is tried again. */
  capMs: number;
  /** How many files of tests run for a mutant at most, the nearest ones. Default: all that reach it. */
  nearest?: number | undefined;
  signal: AbortSignal;
}

/** A mutant of the sample and its result. */
export interface TriedMutant {
  mutant: Mutant;
  verdict: Verdict;
}

interface StoredVerdict extends Verdict {
  id: string;
  /** With which it was tried. */
  capMs: number;
}

export interface CampaignEnd {
  tried: TriedMutant[];
  /** How many mutants the folders have. */
  all: number;
  /** Files of tests that fail without a mutant and decided nothing. */
  failing: string[];
}

/**
 * Tries a sample, in random order. When `signal` aborts, the mutants that have a result are a smaller sample.
 * @throws Error when the folders have no mutants, an entry of `equivalents` names none or no test can run.
 */
export async function tryMutants(options: CampaignOptions): Promise<CampaignEnd> {
  const { root, equivalents, onProgress } = options;
  await checkList(root, equivalents);
  const { mutants, all } = await prepareSample(options);
  const files = [...new Set(mutants.map(({ file }) => file))];
  onProgress(`${mutants.length} of ${all} mutants, in ${files.length} files.`);
  const names = new Set(equivalents.map(nameMutant));
  const isListed = (mutant: Mutant) => names.has(nameMutant(mutant));
  const open = mutants.filter((mutant) => !isListed(mutant));
  const findTests = testFinder(root, options.nearest);
  const run = createRunner(options, open);
  const baseline = await measureTests({
    tests: [...new Set(files.flatMap(findTests))],
    path: join(options.state, 'baseline.jsonl'),
    jobs: options.jobs,
    signal: options.signal,
    run: (tests, path) => run(tests, { stopsAtFailure: false, results: path }),
    onProgress,
  });
  const verdicts = await tryAll(options, open, (mutant) => {
    const tests = findTests(mutant.file);
    return tryMutant({
      id: mutant.id,
      tests: tests.flatMap((file) => baseline.tests.get(file) ?? []),
      hasAll: options.nearest === undefined,
      isLoaded: baseline.loaded.has(mutant.id),
      capMs: options.capMs,
      run: (measured, isMutated) =>
        run(
          measured.map(({ file }) => file),
          {
            mutant: isMutated ? mutant.id : undefined,
            limits: measured.map(({ ms }) => START_MS + MULTIPLE * ms),
          },
        ),
    });
  });
  const passed = open.filter(({ id }) => !isDetected(verdicts.get(id)));
  const refused = passed.length > 0 ? await findRefused(options, passed) : new Set<string>();
  for (const id of refused) verdicts.set(id, { outcome: 'refused' });
  const tried = mutants.flatMap((mutant): TriedMutant[] => {
    const verdict = isListed(mutant) ? { outcome: 'equivalent' as const } : verdicts.get(mutant.id);
    return verdict === undefined ? [] : [{ mutant, verdict }];
  });
  const failing = [...baseline.tests.values()].filter(({ passed }) => !passed).map(({ file }) => file);
  return { tried, all, failing: failing.sort() };
}

function isDetected(verdict: Verdict | undefined): boolean {
  return verdict === undefined || verdict.outcome === 'killed' || verdict.outcome === 'timeout';
}

type Runner = (tests: readonly string[], options: Partial<RunOptions>) => Promise<RunEnd>;

/** Runs files of tests on the instrumented sources of a campaign. */
function createRunner({ root, state, signal }: CampaignOptions, mutants: readonly Mutant[]): Runner {
  const ids = mutants.map(({ id }) => id);
  const instrumented = join(state, 'instrumented');
  return (tests, options) => runVitest({ root, instrumented, tests, ids, signal, ...options });
}

/** Lists the tests that reach a file, the nearest first. @param nearest how many at most. */
function testFinder(root: string, nearest: number | undefined): (file: string) => string[] {
  const importers = readImporters(root);
  const tests = listTests(root);
  return (file) => {
    const distances = measureDistances(importers, file);
    const distanceTo = (test: string): number =>
      (distances.get(test) ?? 0) + (test.startsWith('test/') ? WHOLE_SYSTEM : 0);
    const reached = tests.filter((test) => distances.has(test));
    return reached.sort((a, b) => distanceTo(a) - distanceTo(b)).slice(0, nearest);
  };
}

/** Tries mutants without result, `jobs` at a time. @throws the first error at the end. */
async function tryAll(
  options: CampaignOptions,
  mutants: readonly Mutant[],
  tryOne: (mutant: Mutant) => Promise<Verdict>,
): Promise<Map<string, Verdict>> {
  const { state, capMs, onProgress } = options;
  const stored = join(state, 'results.jsonl');
  const known = readJsonLines<StoredVerdict>(stored);
  const verdicts = new Map<string, Verdict>(known.map((line) => [line.id, line]));
  const caps = new Map(known.map((line) => [line.id, line.capMs]));
  const isOpen = ({ id }: Mutant): boolean => {
    const verdict = verdicts.get(id);
    return verdict === undefined || (verdict.outcome === 'not decided' && (caps.get(id) ?? 0) < capMs);
  };
  await runInTurns(options, mutants.filter(isOpen), async (mutant) => {
    const verdict = { id: mutant.id, capMs, ...(await tryOne(mutant)) };
    verdicts.set(mutant.id, verdict);
    appendFileSync(stored, `${JSON.stringify(verdict)}\n`);
    const { outcome, by = '' } = verdict;
    onProgress(
      `${verdicts.size} of ${mutants.length}: ${outcome}: ${describeMutant(mutant)} ${by}`.trimEnd(),
    );
  });
  return verdicts;
}
