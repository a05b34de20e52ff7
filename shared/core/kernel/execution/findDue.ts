// Finds executions by the time at which they are overdue.

import type { Store, TimeQuery } from '../../contract/store.ts';
import { DUE_BUCKETS } from '../../schema/execution.ts';

/** Those of version 5, which no newer code has written yet, have no bucket. */
const FIELDS = [...DUE_BUCKETS.map((bucket) => `due.${bucket}`), 'dueAt'];

/**
 * The paths of open executions that are overdue in a period. Reads the buckets side by side: of each the
 * earliest first, and pages with up to `limit` of each.
 * @throws as `Store.findByTime`.
 */
export async function* findDueExecutions(
  period: Pick<TimeQuery, 'from' | 'to' | 'limit'>,
  store: Pick<Store, 'findByTime'>,
): AsyncIterable<string[]> {
  let buckets = FIELDS.map((field) =>
    store.findByTime({ collectionId: 'executions', field, ...period })[Symbol.asyncIterator](),
  );
  while (buckets.length > 0) {
    const pages = await Promise.all(buckets.map((bucket) => bucket.next()));
    buckets = buckets.filter((_, index) => pages[index]?.done !== true);
    const found = pages.flatMap((page) => (page.done === true ? [] : page.value));
    if (found.length > 0) yield found;
  }
}
