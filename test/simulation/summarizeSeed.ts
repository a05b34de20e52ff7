// Runs one seed for `npm run simulate`.

import { type Run, runSeed } from './runSeed.ts';

/** A run without its trace, which is printed for a single seed only. */
export type RunSummary = Omit<Run, 'trace'>;

/** Runs a seed and returns its result without the trace. */
export async function runTask(seed: number): Promise<RunSummary> {
  const { trace: _, ...summary } = await runSeed(seed);
  return summary;
}
