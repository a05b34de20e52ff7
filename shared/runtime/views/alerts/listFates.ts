// Lists the fates of alerts, newest first. Filters are applied to the documents that are read, of which each call reads a limited
// number.

import type { Store } from '../../../contract/store.ts';
import { alertFateType, paths } from '../../../schema/documents.ts';
import type { AlertFate } from '../../../schema/features/alertFate.ts';
import { readableType, splitReadable, type Unreadable } from '../../../schema/readable.ts';
import { fateRange } from './fateId.ts';

/** Documents of one read. */
const PAGE_SIZE = 200;
/** Reads of one call, when a filter passes few of the documents. */
const MAX_PAGES = 10;
/** Fates of one message or session. */
const MAX_WITH_VALUE = 200;

/** The fates to list. All conditions hold for each. */
interface FateFilter {
  outcome?: readonly string[] | undefined;
  source?: readonly string[] | undefined;
  /** Words, each of which is in the title, the reason or the rule. In any letter case. */
  q?: string | undefined;
  since: Date;
  until: Date;
}

/** A page of fates. */
export interface FatePage {
  fates: (AlertFate & { id: string })[];
  unreadable: Unreadable[];
  /** The last id that was read, for the next page; null on the last page. */
  next: string | null;
}

/**
 * A page of fates. It can have fewer than `limit`, or none, although more follow.
 * @param after `next` of the page before.
 * @throws RetryableError when the store fails.
 */
export async function listFates(
  tenantId: string,
  filter: FateFilter,
  { limit, after }: { limit: number; after?: string | undefined },
  store: Pick<Store, 'list'>,
): Promise<FatePage> {
  const range = fateRange(tenantId, filter.since, filter.until);
  const fates: FatePage['fates'] = [];
  const unreadable: Unreadable[] = [];
  let from = after === undefined ? range.from : `${after}!`;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { collection: paths.alertFates, idRange: { from, to: range.to }, limit: PAGE_SIZE };
    const found = await store.list(query, readableType(alertFateType));
    for (const { id, value } of found) {
      from = `${id}!`;
      if (value.unreadable !== undefined) unreadable.push(value.unreadable);
      if (value.value === undefined || !passesFilter(value.value, filter)) continue;
      fates.push({ ...value.value, id });
      if (fates.length === limit) return { fates, unreadable, next: id };
    }
    if (found.length < PAGE_SIZE) return { fates, unreadable, next: null };
  }
  return { fates, unreadable, next: from.slice(0, -1) };
}

/** The newest fates of a message, a session or a problem. @throws RetryableError when the store fails. */
export async function fatesWith(
  field: 'messageId' | 'sessionId' | 'problem',
  value: string,
  store: Pick<Store, 'get' | 'listIds'>,
): Promise<Omit<FatePage, 'next'>> {
  const query = { collection: paths.alertFates, field, oneOf: [value], limit: MAX_WITH_VALUE };
  const ids = await store.listIds(query);
  const found = await Promise.all(
    ids.map((id) => store.get(paths.alertFate(id), readableType(alertFateType))),
  );
  const stored = found.filter((one) => one !== undefined);
  const fates = stored.flatMap(({ id, value: read }) =>
    read.value === undefined ? [] : [{ ...read.value, id }],
  );
  return { fates, unreadable: splitReadable(stored.map((one) => one.value)).unreadable };
}

function passesFilter(fate: AlertFate, { outcome, source, q }: FateFilter): boolean {
  if (outcome !== undefined && !outcome.includes(fate.outcome)) return false;
  if (source !== undefined && !source.includes(fate.source ?? '')) return false;
  const text = [fate.title, fate.reason, fate.subject].join('\n').toLowerCase();
  return (q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
