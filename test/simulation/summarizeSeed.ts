// Runs one seed for `npm run simulate`.

import { inBackground, withOneFault } from './features/interactions/backgroundPlans.ts';
import { type Run, runSeed } from './runSeed.ts';
import { upgradeOf, withUpgrade } from './simulatedUpgrade.ts';

/** A run without its trace, which is printed for a single seed only. */
export type RunSummary = Omit<Run, 'trace'>;

/** A seed, and what its run has by all means. */
export interface SeedTask {
  seed: number;
  /** An upgrade. */
  upgrades: boolean;
  /** Models in the background. */
  background: boolean;
  /** One session, with one fault; its models are in the background. */
  oneFault: boolean;
}

/** The run of a task. */
export function runOf({ seed, upgrades, background, oneFault }: SeedTask): Promise<Run> {
  if (oneFault) return runSeed(seed, (plan) => withOneFault(plan, seed));
  if (background) return runSeed(seed, (plan) => inBackground(plan, seed));
  return upgrades ? runSeed(seed, withUpgrade(...upgradeOf(seed))) : runSeed(seed);
}

/** Runs a seed and returns its result without the trace. */
export async function runTask(task: SeedTask): Promise<RunSummary> {
  const { trace: _, ...summary } = await runOf(task);
  return summary;
}
