// Simulates a function's process, which can stall or die, then without answers and timers.

import { createConversationCache } from '../../shared/core/kernel/conversation/conversationCache.ts';
import type { Process } from './record.ts';
import type { World } from './world.ts';

/** Starts a process, perhaps with a wrong clock. @param isNewer newer code. Default: no. */
export function createProcess(name: string, world: World, isNewer = false): Process {
  const skewMs = world.drawFault('clock_skewed') ? drawSkew(world) : 0;
  return {
    name,
    skewMs,
    minSkewMs: skewMs,
    maxSkewMs: skewMs,
    hasJumped: false,
    isNewer: isNewer || (runsNewerCode(world) ?? world.random.chance(0.5)),
    alive: true,
    stalledUntil: 0,
    cutOffUntil: 0,
    agentCache: new Map(),
    pinCache: new Map(),
    pauseCache: {},
    conversations: createConversationCache(world.plan.cacheBytes),
    onDeath: [],
  };
}

function drawSkew({ drawMs, plan: { maxSkewMs } }: World): number {
  return drawMs(-maxSkewMs, maxSkewMs);
}

/** Whether processes run newer code now; undefined when some do. */
export function runsNewerCode({ rollout, isIn }: World): boolean | undefined {
  if (rollout === null || isIn({ fromMs: 0, toMs: rollout.fromMs })) return false;
  if (isIn({ fromMs: rollout.fromMs, toMs: rollout.backMs })) return undefined;
  return !isIn({ fromMs: rollout.backMs, toMs: rollout.toMs });
}

/** Kills a process. `why` is for the trace. */
export function kill(process: Process, why: string, world: World): void {
  if (!process.alive) return;
  process.alive = false;
  world.record.tokens.hasDeaths = true;
  world.traceLine(`${process.name} is killed ${why}`);
  for (const action of process.onDeath) action();
}

/** Injects the faults that may hit a process whenever it makes a remote call. */
function injectProcessFaults(process: Process, world: World): void {
  if (world.drawFault('process_stalled')) {
    process.troubledAt = world.time.now();
    process.stalledUntil = Math.max(process.stalledUntil, world.time.now() + world.drawMs(5_000, 120_000));
    world.traceLine(`${process.name} stalls for ${(process.stalledUntil - world.time.now()) / 1000} s`);
  }
  if (world.drawFault('clock_jumped')) {
    process.skewMs = drawSkew(world);
    process.minSkewMs = Math.min(process.minSkewMs, process.skewMs);
    process.maxSkewMs = Math.max(process.maxSkewMs, process.skewMs);
    process.hasJumped = true;
    process.troubledAt = world.time.now();
  }
  if (world.drawFault('process_killed_anywhere')) {
    world.time.after(world.drawMs(0, 200), () => kill(process, 'somewhere', world));
  }
}

/**
 * A remote call: `work` is done after half of the latency even if the process has died, and the answer
 * arrives after the other half unless the process is dead. A stalled process receives it later.
 * @param latency milliseconds.
 * @param done when the work is done; the rest of the latency is for the answer.
 */
export function callRemote<T>(
  process: Process,
  work: () => Promise<T>,
  latency: number,
  world: World,
  done: 'halfway' | 'at once' = 'halfway',
): Promise<T> {
  injectProcessFaults(process, world);
  const back = done === 'at once' ? latency : Math.ceil(latency / 2);
  return new Promise<T>((resolve, reject) => {
    world.time.after(latency - back, () => {
      work().then(
        (value) => world.time.after(back, () => resolve(value), process),
        (error: unknown) => world.time.after(back, () => reject(error), process),
      );
    });
  });
}

/** Resolves after `ms` milliseconds, unless the process has died. */
export function pause(process: Process, ms: number, world: World): Promise<void> {
  return new Promise((resolve) => {
    world.time.after(ms, resolve, process);
  });
}
