// A process of a function, as far as the world can see it: it lives, stalls, and dies; whatever it had under way is then
// never heard of again.

import { MAX_SKEW_MS } from './faults.ts';
import type { Process } from './record.ts';
import type { World } from './world.ts';

export function createProcess(name: string, world: World): Process {
  const skewMs = world.happens('clock_skewed') ? world.takes(-MAX_SKEW_MS, MAX_SKEW_MS) : 0;
  return { name, skewMs, alive: true, stalledUntil: 0, agentCache: new Map(), onDeath: [] };
}

export function kill(process: Process, why: string, world: World): void {
  if (!process.alive) return;
  process.alive = false;
  world.note(`${process.name} is killed ${why}`);
  for (const action of process.onDeath) action();
}

/** The faults that may strike a process whenever it waits for something. */
function disturb(process: Process, world: World): void {
  if (world.happens('process_stalled')) {
    process.troubledAt = world.time.now();
    process.stalledUntil = Math.max(process.stalledUntil, world.time.now() + world.takes(5_000, 120_000));
    world.note(`${process.name} stalls for ${(process.stalledUntil - world.time.now()) / 1000} s`);
  }
  if (world.happens('process_killed_anywhere')) {
    world.time.after(world.takes(0, 200), () => kill(process, 'somewhere', world));
  }
}

/**
 * Something a process asks the world for: it travels there, is done whether the process still lives or not, and the
 * answer travels back, to a process that may be dead or stalled by then.
 */
export function ask<T>(process: Process, work: () => Promise<T>, latency: number, world: World): Promise<T> {
  disturb(process, world);
  const back = Math.ceil(latency / 2);
  return new Promise<T>((resolve, reject) => {
    world.time.after(latency - back, () => {
      work().then(
        (value) => world.time.after(back, () => resolve(value), process),
        (error: unknown) => world.time.after(back, () => reject(error), process),
      );
    });
  });
}

/** Time that passes for a process. */
export function pause(process: Process, ms: number, world: World): Promise<void> {
  return new Promise((resolve) => {
    world.time.after(ms, resolve, process);
  });
}
