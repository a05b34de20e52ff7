// Checks that no document is written more than once a second over ten seconds.

import type { Incident } from '../../shared/alerts/schema/incident.ts';
import type { Violate } from './transitions.ts';
import type { World } from './world.ts';

const WINDOW_MS = 10_000;
const MAX_WRITES = 10;

/** Documents that can be written more often, each with the reason. */
const EXCEPTIONS: readonly [RegExp, reason: string][] = [
  [/^destinations\//, 'the 20 first messages of an hour are taken by sessions that end within seconds'],
  [/^sessions\/[^/]+\/executions\//, 'an iteration writes its execution three times, a call of a tool twice'],
];

/** Checks the commits of a run. */
export function checkHotDocuments({ record }: World, violate: Violate): void {
  const times = new Map<string, number[]>();
  const firing = new Map<string, boolean>();
  for (const { at, writes } of record.commits)
    for (const { path, value } of writes) {
      // A problem that comes and goes is written each time.
      const state = path.startsWith('incidents/') ? (value as Incident | null)?.firing : undefined;
      const isChange = state !== undefined && state !== firing.get(path);
      if (state !== undefined) firing.set(path, state);
      if (!isChange) times.set(path, [...(times.get(path) ?? []), at]);
    }
  for (const [path, written] of times) {
    if (EXCEPTIONS.some(([pattern]) => pattern.test(path))) continue;
    const isHot = written.some((at, index) => at - (written[index - MAX_WRITES] ?? -WINDOW_MS) < WINDOW_MS);
    if (isHot) violate('hot', `${path} is written more than ${MAX_WRITES} times in ${WINDOW_MS} ms`);
  }
}
