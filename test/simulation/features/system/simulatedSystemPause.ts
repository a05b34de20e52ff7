// Simulates operators who pause, renew and resume the installation, and retry.

import { InquestError } from '../../../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../../../shared/core/kernel/deps.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { pauseSystem, resumeSystem } from '../../../../shared/kits/steering/pauseSystem.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Invocation } from '../../record.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** How long an operator waits before the next try, in milliseconds. */
const AGAIN_AFTER_MS = 5_000;
const MAX_TRIES = 5;

/** The plan with pauses of the installation, which only the sweep ends. */
export function withPauses(plan: FaultPlan): FaultPlan {
  return { ...plan, systemPaused: true, sweep: true };
}

/** The plan of a seed with pauses: every eighth beyond those with which mutants are noticed. */
export function withSystemPause(plan: FaultPlan, seed: number): FaultPlan {
  return seed > 400 && seed % 8 === 3 ? withPauses(plan) : plan;
}

/** Draws the pauses of a run. `random` is only for this, so that other runs do not change. */
export function pauseAtSomeTimes(cloud: Cloud, world: World, random: Random): void {
  const { plan, time } = world;
  // An operator who resumes ends the pause of a deployment as well.
  if (!plan.systemPaused || plan.deployment !== null) return;
  const perform = (
    target: Invocation['target'],
    act: (deps: RuntimeDeps) => Promise<unknown>,
    tries = 1,
  ): void => {
    const attempt = async (_: unknown, deps: RuntimeDeps): Promise<void> => {
      try {
        await act(deps);
      } catch (error) {
        if (!(error instanceof InquestError)) throw error;
        if (tries < MAX_TRIES) time.after(AGAIN_AFTER_MS, () => perform(target, act, tries + 1));
      }
    };
    cloud.invoke(target, attempt, undefined);
  };
  for (let count = random.int(1, 3); count > 0; count--) {
    const from = random.int(0, random.pick([5_000, MINUTE, 5 * MINUTE]));
    const forMs = random.int(10_000, random.pick([MINUTE, 10 * MINUTE, 90 * MINUTE]));
    const pause = (deps: RuntimeDeps) => pauseSystem({ by: 'ada', forMs }, deps);
    time.after(from, () => perform('pause-all', pause));
    if (random.chance(0.3)) time.after(from + random.int(0, forMs), () => perform('pause-all', pause));
    if (random.chance(0.5)) {
      const resume = (deps: RuntimeDeps) => resumeSystem({ by: 'ada' }, deps);
      time.after(from + random.int(0, forMs), () => perform('resume-all', resume));
    }
  }
}
