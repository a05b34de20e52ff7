// Tries a sample of a tree's mutants, several at a time, and keeps results for later calls.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Baseline, createBaseline } from './baseline.ts';
import type { Equivalent } from './equivalents.ts';
import { describeMutant, type Mutant, nameMutant } from './mutant.ts';
import { checkList, prepareSample, type SampleOptions } from './prepareSample.ts';
import { listTests, measureDistances, readImporters } from './reach.ts';
import { type Trial, tryMutant, type Verdict } from './tryMutant.ts';
import { readJsonLines, runVitest } from './vitestRun.ts';

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
  const { root, state, equivalents, onProgress, signal } = options;
  await checkList(root, equivalents);
  const { mutants, all } = await prepareSample(options);
  const files = new Set(mutants.map(({ file }) => file)).size;
  onProgress(`${mutants.length} of ${all} mutants, in ${files} files.`);
  const instrumented = join(state, 'instrumented');
  const results = join(state, 'baseline.jsonl');
  const baseline = createBaseline(results, (tests) =>
    runVitest({ root, instrumented, tests, stopsAtFailure: false, results, signal }),
  );
  const findTests = testFinder(root);
  const names = new Set(equivalents.map(nameMutant));
  const isListed = (mutant: Mutant) => names.has(nameMutant(mutant));
  const open = mutants.filter((mutant) => !isListed(mutant));
  const verdicts = await tryAll(options, open, (mutant) =>
    tryMutant(planTrial(options, mutant, findTests(mutant.file), baseline)),
  );
  const tried = mutants.flatMap((mutant): TriedMutant[] => {
    const verdict = isListed(mutant) ? { outcome: 'equivalent' as const } : verdicts.get(mutant.id);
    return verdict === undefined ? [] : [{ mutant, verdict }];
  });
  return { tried, all, failing: baseline.listFailing() };
}

/** Lists the tests that reach a file, the nearest first. */
function testFinder(root: string): (file: string) => string[] {
  const importers = readImporters(root);
  const tests = listTests(root);
  return (file) => {
    const distances = measureDistances(importers, file);
    const distanceTo = (test: string): number =>
      (distances.get(test) ?? 0) + (test.startsWith('test/') ? WHOLE_SYSTEM : 0);
    return tests.filter((test) => distances.has(test)).sort((a, b) => distanceTo(a) - distanceTo(b));
  };
}

/** Tries mutants without result, `jobs` at a time. @throws the first error at the end. */
async function tryAll(
  { state, jobs, capMs, onProgress, signal }: CampaignOptions,
  mutants: readonly Mutant[],
  tryMutantOf: (mutant: Mutant) => Promise<Verdict>,
): Promise<Map<string, Verdict>> {
  const stored = join(state, 'results.jsonl');
  const verdicts = new Map(readJsonLines<StoredVerdict>(stored).map((line) => [line.id, line]));
  const isOpen = ({ id }: Mutant): boolean => {
    const verdict = verdicts.get(id);
    return verdict === undefined || (verdict.outcome === 'not decided' && verdict.capMs < capMs);
  };
  const open = mutants.filter(isOpen)[Symbol.iterator]();
  const work = async () => {
    for (const mutant of open) {
      const verdict = { id: mutant.id, capMs, ...(await tryMutantOf(mutant)) };
      verdicts.set(mutant.id, verdict);
      appendFileSync(stored, `${JSON.stringify(verdict)}\n`);
      const { outcome, by = '' } = verdict;
      onProgress(
        `${verdicts.size} of ${mutants.length}: ${outcome}: ${describeMutant(mutant)} ${by}`.trimEnd(),
      );
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: jobs }, work));
  for (const end of ends) if (end.status === 'rejected' && !signal.aborted) throw end.reason;
  return verdicts;
}

function planTrial(
  { root, state, capMs, signal }: CampaignOptions,
  { id }: Mutant,
  tests: readonly string[],
  baseline: Baseline,
): Trial {
  return {
    id,
    tests,
    capMs,
    baseline,
    run: (measured, isMutated) =>
      runVitest({
        root,
        instrumented: join(state, 'instrumented'),
        tests: measured.map(({ file }) => file),
        mutant: isMutated ? id : undefined,
        limits: measured.map(({ ms }) => START_MS + MULTIPLE * ms),
        signal,
      }),
  };
}
