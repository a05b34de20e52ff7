// Simulates a process, which can stall or die, then without answers and timers.

import { createConversationCache } from '../../core/kernel/conversation/conversationCache.ts';
import type { Clock, RuntimeDeps } from '../../core/kernel/deps.ts';
import type { FaultWorld } from './faults.ts';
import type { Owner } from './virtualTime.ts';

/** What a process has read, and keeps. */
type Caches = Pick<RuntimeDeps, 'agentCache' | 'conversations' | 'featureCaches'> &
  Required<Pick<RuntimeDeps, 'pauseCache'>>;

/** A process, with its clock and its lifetime. */
export interface SimulatedProcess extends Owner, Caches {
  name: string;
  /** How far its clock is ahead of the virtual time, in milliseconds. */
  skewMs: number;
  /** The smallest and the largest deviation that its clock has had. */
  minSkewMs: number;
  maxSkewMs: number;
  /** Whether its clock was corrected while it worked. */
  hasJumped: boolean;
  /** When it last stalled or a store call failed, in epoch milliseconds; undefined for a healthy process. */
  troubledAt?: number;
  /** Until when it does not reach the store, in epoch milliseconds. */
  cutOffUntil: number;
  /** Called once when it dies. */
  onDeath: (() => void)[];
}

/** Starts a process, perhaps with a wrong clock. */
export function createProcess(name: string, world: FaultWorld): SimulatedProcess {
  const skewMs = world.drawFault('clock_skewed') ? drawSkew(world) : 0;
  return {
    name,
    skewMs,
    minSkewMs: skewMs,
    maxSkewMs: skewMs,
    hasJumped: false,
    alive: true,
    stalledUntil: 0,
    cutOffUntil: 0,
    agentCache: new Map(),
    featureCaches: new Map(),
    pauseCache: {},
    conversations: createConversationCache(world.plan.cacheBytes),
    onDeath: [],
  };
}

function drawSkew({ drawMs, plan: { maxSkewMs } }: FaultWorld): number {
  return drawMs(-maxSkewMs, maxSkewMs);
}

/** Kills a process. `why` is for the trace. */
export function kill(process: SimulatedProcess, why: string, world: FaultWorld): void {
  if (!process.alive) return;
  process.alive = false;
  world.noteDeath();
  world.traceLine(`${process.name} is killed ${why}`);
  for (const action of process.onDeath) action();
}

/** Injects the faults that may hit a process whenever it makes a remote call. */
function injectProcessFaults(process: SimulatedProcess, world: FaultWorld): void {
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
  process: SimulatedProcess,
  work: () => Promise<T>,
  latency: number,
  world: FaultWorld,
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
export function pause(process: SimulatedProcess, ms: number, world: FaultWorld): Promise<void> {
  return new Promise((resolve) => {
    world.time.after(ms, resolve, process);
  });
}

/** The clock of a process, whose timers end with it. */
export function createClock(process: SimulatedProcess, { time }: FaultWorld): Clock {
  return {
    now: () => new Date(time.now() + process.skewMs),
    after: (ms, action) => time.after(ms, action, process),
    every(ms, action) {
      let cancel = () => {};
      const tick = () => {
        cancel = time.after(ms, tick, process);
        action();
      };
      cancel = time.after(ms, tick, process);
      return () => cancel();
    },
  };
}
