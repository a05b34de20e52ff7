// Records start and end of model calls and tool runs, and reports forbidden ones at once.

import { type Activity, executionKey } from './record.ts';
import type { World } from './world.ts';

/** The interval at which a holder checks its lease. */
export const RENEWAL_MS = 5_000;

/** Records the start of an activity, and with the returned function its end. */
export function startActivity(started: Omit<Activity, 'startedAt' | 'endedAt'>, world: World): () => void {
  const { by, kind, executionId, iteration, key } = started;
  const own = executionKey(started);
  const { process } = by;
  const who = `${process.name} #${by.id}`;
  const violate = (rule: string) => void world.record.violations.push(rule);
  const activity: Activity = { ...started, startedAt: world.time.now(), endedAt: undefined };
  // Processes whose clocks differ may overlap in time; the fence still lets only one of them write.
  const rival = world.record.activities.find(
    (other) =>
      executionKey(other) === own &&
      other.by !== by &&
      other.endedAt === undefined &&
      other.by.process.alive &&
      other.by.process.skewMs === process.skewMs &&
      !other.by.process.hasJumped &&
      !process.hasJumped &&
      !other.by.overtaken.has(own) &&
      (other.by.leases.get(own) ?? 0) > world.time.now() + other.by.process.skewMs,
  );
  if (rival !== undefined) {
    violate(
      `one at a time: ${who} begins a ${kind} for ${executionId} while #${rival.by.id} is at work with a lease that has not run out`,
    );
  }
  const until = () => by.leases.get(own) ?? 0;
  const now = () => world.time.now() + process.skewMs;
  // A process whose clock is set back knows of a lease that ends later than the one it has just stored.
  if (until() < now() && !process.hasJumped)
    violate(`lease: ${who} begins a ${kind} for ${executionId} without a lease`);
  const written = world.record.executions.get(own);
  if (key !== undefined && written?.by === by) {
    const call = written.value.pendingCalls.find(({ index }) => index === started.index);
    if (call?.state !== 'running') violate(`tool states: ${who} begins ${key}, which is ${call?.state}`);
  }
  const beside = world.record.activities.some(
    (other) => other.by === by && executionKey(other) === own && other.endedAt === undefined,
  );
  if (beside && started.readOnly === false) violate(`order: ${who} begins ${key} while another call runs`);
  world.record.activities.push(activity);
  world.traceLine(`${who} begins ${kind} ${key ?? `for ${executionId} iteration ${iteration}`}`);
  // An activity must stop when its lease ends: immediately in a healthy process, else at the next renewal.
  const checkEnd = () => {
    // It stops at the next renewal after a clock correction, perhaps far past its lease.
    if (process.hasJumped) return;
    const healthy = process.troubledAt === undefined;
    const late = now() - Math.max(until(), process.stalledUntil + process.skewMs);
    if (late > (healthy ? 0 : RENEWAL_MS))
      violate(`lease: ${who} went on with a ${kind} for ${executionId} ${late} ms without a lease`);
    if (written === undefined) return;
    const { deadline, limits } = written.value;
    const limit = Math.min(
      deadline.getTime() - process.skewMs,
      activity.startedAt + limits.iterationTimeoutMs,
    );
    if (world.time.now() > Math.max(limit, process.stalledUntil, activity.startedAt))
      violate(
        `limits: a ${kind} for ${executionId} went on ${world.time.now() - limit} ms after its time was up`,
      );
  };
  return () => {
    activity.endedAt = world.time.now();
    checkEnd();
    world.traceLine(`${who} ends ${kind} ${key ?? `for ${executionId}`}`);
  };
}
