// Follows merges: a session that was merged names the session that has its problems.

import type { Store, Stored } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';

/** Merges in a row that are followed. */
const MAX_MERGES = 10;

/** The sessions into which a session was merged, in order; none without. Ends at a deleted one. */
export async function* followMerges(
  { cancellation }: Session,
  store: Pick<Store, 'get'>,
): AsyncGenerator<Stored<Session>> {
  let into = cancellation?.mergedInto;
  for (let hop = 0; into !== undefined && hop < MAX_MERGES; hop++) {
    const next: Stored<Session> | undefined = await store.get(paths.session(into), sessionType);
    if (next === undefined) return;
    yield next;
    into = next.value.cancellation?.mergedInto;
  }
}
