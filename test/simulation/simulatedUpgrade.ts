// Simulates `inquest deploy` of a release with other documents, with and without pause.

import { InquestError } from '../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import type { Random } from '../../shared/engine/testing/random.ts';
import {
  DEFAULT_PAUSE_MS,
  pauseSystem,
  readSystemState,
  resumeSystem,
} from '../../shared/kits/steering/pauseSystem.ts';
import { type FaultPlan, MINUTE } from './faults.ts';
import { UPGRADES, type Upgrade } from './generations.ts';
import type { Cloud } from './simulatedCloud.ts';
import type { World } from './world.ts';

const BY = 'the deployer';
/** As in cli/deploy/pause.ts. */
const DRAIN_MS = 10 * MINUTE;
const POLL_MS = 2_000;
/** When a deployer looks whether the command has succeeded, and runs it again if not. */
const AGAIN_AFTER_MS = 20 * MINUTE;

/** How a release is deployed: while the installation is paused, or while it works. */
type Deployment = 'paused' | 'running';

/** The upgrade of a seed, and how it is deployed. Each has its turn. */
export const upgradeOf = (seed: number): [Upgrade, Deployment] => [
  UPGRADES[seed % UPGRADES.length] ?? UPGRADES[0],
  Math.floor(seed / UPGRADES.length) % 2 === 0 ? 'paused' : 'running',
];

/** The plan of a run that upgrades. Nothing else pauses the installation, and no release is rolled back. */
export function withUpgrade(upgrade: Upgrade, how: Deployment): (plan: FaultPlan) => FaultPlan {
  return (plan) => {
    // Drawn by the plan: most sessions are at work within the first minutes.
    const { fromMs, toMs } = plan.rollout ?? { fromMs: 15_000, toMs: 15_000 + 3 * MINUTE };
    const takesMs = Math.min(toMs - fromMs, 4 * MINUTE);
    const rollout = { fromMs, backMs: fromMs + takesMs, toMs: fromMs + takesMs };
    const isPaused = how === 'paused';
    // What that release did not know: its decisions have no signature, and people are asked again.
    const unknown = { peaceful: false, checks: false, mentions: false, grouped: null };
    return {
      ...plan,
      ...(upgrade === 'released' && unknown),
      upgrade,
      sweep: true,
      migrateAfterMs: null,
      expireAfterMs: null,
      systemPaused: isPaused,
      rollout: isPaused ? null : rollout,
      deployment: isPaused ? { afterMs: fromMs, takesMs } : null,
    };
  };
}

/**
 * Deploys as the plan says. The command runs newer code. It can die or fail at any time; then it is run
 * again, and the services that it has replaced stay.
 * @returns whether nothing is to be deployed any more.
 */
export function deployAtSomeTime(cloud: Cloud, world: World, random: Random): () => boolean {
  const { time, plan } = world;
  const { deployment } = plan;
  if (deployment === null) return () => true;
  const startedAt = time.now();
  let isDeployed = false;
  const deploy = async (_: unknown, deps: RuntimeDeps): Promise<void> => {
    const wait = (ms: number) => new Promise<void>((resolve) => void deps.clock.after(ms, resolve));
    await pauseSystem({ by: BY, forMs: DEFAULT_PAUSE_MS }, deps);
    try {
      const drainsUntil = time.now() + DRAIN_MS;
      while (!(await readSystemState(deps)).isDrained) {
        if (time.now() > drainsUntil) return;
        await wait(POLL_MS);
      }
      const fromMs = time.now() - startedAt;
      world.rollout ??= { fromMs, backMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
      world.traceLine('the release is deployed');
      await wait(deployment.takesMs + random.int(0, MINUTE));
      const toMs = time.now() - startedAt;
      world.rollout = { ...world.rollout, backMs: toMs, toMs };
      isDeployed = true;
    } finally {
      await resumeSystem({ by: BY }, deps);
    }
  };
  const run = (): void => {
    if (isDeployed) return;
    const attempt = (event: unknown, deps: RuntimeDeps) =>
      deploy(event, deps).catch((error: unknown) => {
        if (!(error instanceof InquestError)) throw error;
      });
    cloud.invoke('deploy', attempt, undefined);
    time.after(AGAIN_AFTER_MS, run);
  };
  time.after(deployment.afterMs, run);
  return () => isDeployed;
}
