// Has a session counted when it ends, and again when one of its questions or the check of its outcome does.

import type { Announce, Announced } from '../../core/contract/announce.ts';
import { isTerminal } from '../../core/schema/common.ts';
import type { AnnouncedByFeatures } from '../../kits/alerts/announced.ts';
import { countAgain } from '../../kits/counts/count.ts';

/** @param next commits the batch. Default: the store does. */
export function announceCounts({ clock }: { clock: { now(): Date } }, next: Announce | undefined): Announce {
  return (before, after, batch, store) => {
    const changed = findChanged(before, after);
    const writes = changed === undefined ? batch : [...batch, countAgain(changed, clock.now())];
    return next === undefined ? store.commit(writes) : next(before, after, writes, store);
  };
}

/** The session whose counts a change makes outdated. */
function findChanged(before: Announced, after: AnnouncedByFeatures) {
  const { session, outcome } = after;
  if (session === undefined) return outcome?.value == null ? undefined : outcome;
  const isEnd = before.session === undefined || !isTerminal(before.session.status);
  const isAnswered = before.session?.openStage != null && session.openStage === null;
  return isTerminal(session.status) && (isEnd || isAnswered) ? session : undefined;
}
