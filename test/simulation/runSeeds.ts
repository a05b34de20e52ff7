// Runs many seeds, in this process or in several. Each run depends on its seed alone, so the order of the runs does not
// matter.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Run, runSeed } from './runSeed.ts';

/** A run without its trace, which is printed for a single seed only. */
export type RunSummary = Omit<Run, 'trace'>;

const WORKER = new URL('./seedWorker.ts', import.meta.url);

/** Runs a seed and returns its result without the trace. */
export async function summarizeSeed(seed: number): Promise<RunSummary> {
  const { trace: _, ...summary } = await runSeed(seed);
  return summary;
}

/**
 * Runs seeds `from` to `from + seeds - 1` in `jobs` processes, this one alone if it is 1.
 * @param onRun called for each run as it ends; it returns false to start no further seed.
 */
export async function runSeeds(
  { from, seeds, jobs }: { from: number; seeds: number; jobs: number },
  onRun: (run: RunSummary) => boolean,
): Promise<void> {
  let next = from;
  const takeSeed = (): number | undefined => (next < from + seeds ? next++ : undefined);
  const runAll = async (run: (seed: number) => Promise<RunSummary>): Promise<void> => {
    for (let seed = takeSeed(); seed !== undefined; seed = takeSeed()) {
      if (!onRun(await run(seed))) next = from + seeds;
    }
  };
  if (jobs === 1) return runAll(summarizeSeed);
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      // Structured clones, because a summary holds maps.
      const worker = fork(WORKER, { serialization: 'advanced' });
      try {
        await runAll((seed) => askWorker(worker, seed));
      } finally {
        worker.disconnect();
      }
    }),
  );
}

async function askWorker(worker: ChildProcess, seed: number): Promise<RunSummary> {
  const ended = new AbortController();
  const died = once(worker, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`the process of seed ${seed} died`);
  });
  worker.send(seed);
  try {
    const [summary] = await Promise.race([once(worker, 'message', { signal: ended.signal }), died]);
    return summary as RunSummary;
  } finally {
    ended.abort();
    died.catch(() => undefined);
  }
}
