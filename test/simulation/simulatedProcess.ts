// Starts processes of functions, of the older or the newer code.

import { createProcess as startProcess } from '../../shared/engine/testing/simulatedProcess.ts';
import type { Process } from './record.ts';
import type { World } from './world.ts';

/** Starts a process, perhaps with a wrong clock. @param isNewer newer code. Default: no. */
export function createProcess(name: string, world: World, isNewer = false): Process {
  return {
    ...startProcess(name, world),
    isNewer: isNewer || (runsNewerCode(world) ?? world.random.chance(0.5)),
  };
}

/** Whether processes run newer code now; undefined when some do. */
export function runsNewerCode({ rollout, isIn }: World): boolean | undefined {
  if (rollout === null || isIn({ fromMs: 0, toMs: rollout.fromMs })) return false;
  if (isIn({ fromMs: rollout.fromMs, toMs: rollout.backMs })) return undefined;
  return !isIn({ fromMs: rollout.backMs, toMs: rollout.toMs });
}
