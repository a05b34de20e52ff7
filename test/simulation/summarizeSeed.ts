// Runs one seed for `npm run simulate`.

import { type Run, runSeed } from './runSeed.ts';
import { upgradeOf, withUpgrade } from './simulatedUpgrade.ts';

/** A run without its trace, which is printed for a single seed only. */
export type RunSummary = Omit<Run, 'trace'>;

/** A seed, and whether its run has an upgrade. */
export interface SeedTask {
  seed: number;
  upgrades: boolean;
}

/** The run of a task. */
export const runOf = ({ seed, upgrades }: SeedTask): Promise<Run> =>
  upgrades ? runSeed(seed, withUpgrade(...upgradeOf(seed))) : runSeed(seed);

/** Runs a seed and returns its result without the trace. */
export async function runTask(task: SeedTask): Promise<RunSummary> {
  const { trace: _, ...summary } = await runOf(task);
  return summary;
}
