// Checks live texts: sessions that are not watched have none, and only processes that died or did not reach
// the store leave one behind.

import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';

/** Checks the record of a run. */
export function checkLive({ plan, record, store }: World, violate: Violate): void {
  if (!plan.watched) {
    if (record.live.length > 0)
      violate('live', `${record.live[0]?.path} is written, and its session is not watched`);
    return;
  }
  for (const { path } of store.documents()) {
    if (path.split('/')[2] !== 'live') continue;
    const writer = record.live.findLast((write) => write.path === path && write.op !== 'delete')?.by;
    const isExcused = writer?.process.alive === false || writer?.process.troubledAt !== undefined;
    if (!isExcused) violate('live', `${path} is left by ${writer?.process.name} #${writer?.id}`);
  }
}
