// Notes model calls and tool runs as they begin and end, and catches at once what must never begin.

import type { Activity } from './record.ts';
import type { World } from './world.ts';

/** Notes that something began; the returned function, that it ended. */
export function begin(what: Omit<Activity, 'startedAt' | 'endedAt'>, world: World): () => void {
  const { by, kind, executionId, iteration, key } = what;
  const activity: Activity = { ...what, startedAt: world.time.now(), endedAt: undefined };
  // Clocks that differ may overlap in time, but still only one of them can write.
  const rival = world.record.activities.find(
    (other) =>
      other.executionId === executionId &&
      other.by !== by &&
      other.endedAt === undefined &&
      other.by.process.alive &&
      other.by.process.skewMs === by.process.skewMs &&
      (other.by.leases.get(executionId) ?? 0) > world.time.now(),
  );
  if (rival !== undefined) {
    world.record.violations.push(
      `one at a time: ${by.process.name} #${by.id} begins a ${kind} for ${executionId} while #${rival.by.id} is at work with a lease that has not run out`,
    );
  }
  world.record.activities.push(activity);
  world.note(
    `${by.process.name} #${by.id} begins ${kind} ${key ?? `for ${executionId} iteration ${iteration}`}`,
  );
  return () => {
    activity.endedAt = world.time.now();
    world.note(`${by.process.name} #${by.id} ends ${kind} ${key ?? `for ${executionId}`}`);
  };
}
