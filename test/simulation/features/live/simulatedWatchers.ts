// Simulates people who watch sessions: they come at some time, stay for a while and renew their watch, two of
// them at once now and then.

import { InquestError } from '../../../../shared/core/errors.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { RENEW_WATCH_MS, renewWatch } from '../../../../shared/kits/live/renewWatch.ts';
import { MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** Draws when people watch sessions, only from `random`: other runs do not change. */
export function watchAtSomeTimes(
  sessionIds: () => string[],
  cloud: Cloud,
  { plan, time, record }: World,
  random: Random,
): void {
  if (!plan.watched) return;
  for (let position = 0; position < plan.sessions; position++) {
    const from = random.int(0, random.pick([1_000, 20_000]));
    const until = from + random.pick([1, 2, 10]) * MINUTE;
    const watchers = random.chance(0.3) ? 2 : 1;
    for (let at = from; at < until; at += RENEW_WATCH_MS) {
      time.after(at, () => {
        const sessionId = sessionIds()[position];
        // Nothing of one that was deferred changes before it is started.
        if (sessionId === undefined || record.sessions.get(sessionId)?.status === 'deferred') return;
        for (let count = 1; count <= watchers; count++) watch(sessionId, cloud);
      });
    }
  }
}

function watch(sessionId: string, cloud: Cloud): void {
  cloud.invoke(
    'watch',
    async (_, deps) => {
      try {
        await renewWatch(sessionId, deps);
      } catch (error) {
        if (!(error instanceof InquestError)) throw error;
      }
    },
    undefined,
  );
}
