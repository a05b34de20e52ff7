// Counts the alerts that a rule dropped within a day, by their fates.

import { alertFateType } from '../../../alerts/schema/alertFate.ts';
import type { Store } from '../../../core/contract/store.ts';
import type { DroppedAlerts } from '../../alerts/droppedAlerts.ts';
import { fateRange } from '../../alerts/fates/fateId.ts';
import { listReadable } from '../readable.ts';

/** Alerts of a day that are named; the others are only counted. */
const MAX_EXAMPLES = 5;
const DAY_MS = 24 * 3_600_000;

/**
 * The dropped alerts of a document, with their number and the latest ones. Version 1 has its own numbers.
 * @throws RetryableError when the store fails.
 */
export async function countDropped(
  dropped: DroppedAlerts,
  store: Pick<Store, 'count' | 'list'>,
): Promise<DroppedAlerts> {
  const { tenantId, rule, day } = dropped;
  if (tenantId === null) return dropped;
  const since = new Date(day);
  const query = {
    collection: alertFateType.paths.alertFates,
    equal: { outcome: 'dropped', subject: rule },
    idRange: fateRange(tenantId, since, new Date(since.getTime() + DAY_MS - 1)),
  };
  const [count, latest] = await Promise.all([
    store.count(query),
    listReadable({ ...query, limit: MAX_EXAMPLES }, alertFateType, store),
  ]);
  const examples = latest.values.map(({ messageId, source, title, at }) => ({
    messageId,
    source: source ?? dropped.last.source,
    title,
    at,
  }));
  const [last = dropped.last] = examples;
  return { ...dropped, count, examples: examples.reverse(), last };
}
