// Lists the fates of alerts, newest first. Filters are applied to the documents that are read, of which each
// call reads a limited number.

import * as z from 'zod';
import { type AlertFate, alertFateSchema, alertFateType } from '../../../alerts/schema/alertFate.ts';
import type { Store } from '../../../core/contract/store.ts';
import {
  readableType,
  splitReadable,
  type Unreadable,
  unreadableSchema,
} from '../../../core/schema/readable.ts';
import { fateRange } from '../../alerts/fates/fateId.ts';
import { fixOfFate } from './explainFate.ts';

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

/** A page of fates, with the step that gives such alerts a different fate. */
export const fatePageSchema = z.strictObject({
  alerts: z.array(
    z.strictObject({
      ...alertFateSchema.omit({ expireAt: true, tenantId: true, problem: true }).shape,
      id: z.string(),
      fix: z
        .string()
        .nullable()
        .describe('How such alerts get a different fate; null if nothing is to be fixed'),
    }),
  ),
  unreadable: unreadableSchema,
  next: z.string().nullable().describe('Value for `after`; null on the last page'),
});
type FatePage = z.infer<typeof fatePageSchema>;

/**
 * A page of fates. It can have fewer than `limit`, or none, although more follow.
 * @param after `next` of the page before.
 * @returns undefined for an `after` that belongs to no such page.
 * @throws RetryableError when the store fails.
 */
export async function listFates(
  tenantId: string,
  filter: FateFilter,
  { limit, after }: { limit: number; after?: string | undefined },
  store: Pick<Store, 'list'>,
): Promise<FatePage | undefined> {
  const range = fateRange(tenantId, filter.since, filter.until);
  // One of a later time would lead to fates after `until`.
  if (after !== undefined && (after < range.from || !after.startsWith(`${tenantId}.`))) return undefined;
  const alerts: FatePage['alerts'] = [];
  const unreadable: Unreadable[] = [];
  let from = after === undefined ? range.from : `${after}!`;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = {
      collection: alertFateType.paths.alertFates,
      idRange: { from, to: range.to },
      limit: PAGE_SIZE,
    };
    const found = await store.list(query, readableType(alertFateType));
    for (const { id, value } of found) {
      from = `${id}!`;
      if (value.unreadable !== undefined) unreadable.push(value.unreadable);
      if (value.value === undefined || !passesFilter(value.value, filter)) continue;
      alerts.push(listedFate(id, value.value));
      if (alerts.length === limit) return { alerts, unreadable, next: id };
    }
    if (found.length < PAGE_SIZE) return { alerts, unreadable, next: null };
  }
  return { alerts, unreadable, next: from.slice(0, -1) };
}

/**
 * The newest fates of a message, a session or a problem: at most 200, on one page.
 * @throws RetryableError when the store fails.
 */
export async function fatesWith(
  field: 'messageId' | 'sessionId' | 'problem',
  value: string,
  store: Pick<Store, 'get' | 'listIds'>,
): Promise<FatePage> {
  const query = { collection: alertFateType.paths.alertFates, field, oneOf: [value], limit: MAX_WITH_VALUE };
  const ids = await store.listIds(query);
  const found = await Promise.all(
    ids.map((id) => store.get(alertFateType.paths.alertFate(id), readableType(alertFateType))),
  );
  const stored = found.filter((one) => one !== undefined);
  const alerts = stored.flatMap(({ id, value: read }) =>
    read.value === undefined ? [] : [listedFate(id, read.value)],
  );
  return { alerts, unreadable: splitReadable(stored.map((one) => one.value)).unreadable, next: null };
}

function listedFate(
  id: string,
  { expireAt: _, tenantId: _tenant, problem: _problem, ...fate }: AlertFate,
): FatePage['alerts'][number] {
  return { ...fate, id, fix: fixOfFate(fate) };
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
