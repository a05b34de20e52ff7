// Counts the executions that a process works on.

import { isHeld } from '../../core/contract/lease.ts';
import type { Store } from '../../core/contract/store.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { LEASE_MS } from '../../core/kernel/execution/lease.ts';
import { executionType } from '../../core/schema/coreDocuments.ts';

/** Documents of a page; only paths. */
const PAGE_SIZE = 300;
/** Clocks of other processes differ by less, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * The number of executions with a live lease. An execution is due at the end of its lease, so only those that
 * are due soon are read. A broken document counts as idle.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function countLeases(now: Date, store: Store): Promise<number> {
  const to = new Date(now.getTime() + LEASE_MS + CLOCK_TOLERANCE_MS);
  const query = { collectionId: 'executions', field: 'dueAt', from: now, to, limit: PAGE_SIZE };
  let running = 0;
  for await (const page of store.findByTime(query)) {
    const found = await Promise.all(page.map((path) => captureFailure(store.get(path, executionType))));
    running += found.filter(({ value }) => isHeld(value?.value.lease, now)).length;
  }
  return running;
}
