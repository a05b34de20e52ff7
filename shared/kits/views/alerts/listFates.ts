// Lists the fates of alerts, newest first. Filters are applied to the documents that are read, of which each
// call reads a limited number.

import * as z from 'zod';
import { type AlertFate, alertFateSchema, alertFateType } from '../../../alerts/schema/alertFate.ts';
import type { ListQuery, Store } from '../../../core/contract/store.ts';
import { readableType, type Unreadable, unreadableSchema } from '../../../core/schema/readable.ts';
import { alertKeyType, readFate } from '../../alerts/fates/alertKeyDocument.ts';
import { fateRange } from '../../alerts/fates/fateId.ts';
import { fixOfFate } from './explainFate.ts';

/** Documents of one read. */
const PAGE_SIZE = 200;
/** Reads of one call, when a filter passes few of the documents. */
const MAX_PAGES = 10;
/** Fates of one message or session. */
const MAX_WITH_VALUE = 200;
const ALL_IDS = { from: '!', to: '~' };

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
    const found = await readFates({ idRange: { from, to: range.to }, limit: PAGE_SIZE }, store);
    for (const { id, fate, unreadable: broken } of found) {
      from = `${id}!`;
      if (broken !== undefined) unreadable.push(broken);
      if (fate === undefined || !passesFilter(fate, filter)) continue;
      alerts.push(listedFate(id, fate));
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
  store: Pick<Store, 'list'>,
): Promise<FatePage> {
  const query = { equal: { [field]: value }, idRange: ALL_IDS, limit: MAX_WITH_VALUE };
  const read = await readFates(query, store);
  // A key still names the session out of which a person took its alert.
  const found = read.filter(({ fate }) => fate === undefined || fate[field] === value);
  const alerts = found.flatMap(({ id, fate }) => (fate === undefined ? [] : [listedFate(id, fate)]));
  return { alerts, unreadable: found.flatMap(({ unreadable }) => unreadable ?? []), next: null };
}

/** A fate as it was read: of an alert with a session from its key, else from a document of its own. */
interface FoundFate {
  /** Its place in lists. */
  id: string;
  fate?: AlertFate | undefined;
  unreadable?: Unreadable | undefined;
}

/** The first fates of both kinds, newest first. */
async function readFates(
  query: Pick<ListQuery, 'equal'> & { idRange: { from: string; to: string }; limit: number },
  store: Pick<Store, 'list'>,
): Promise<FoundFate[]> {
  const { alertFates } = alertFateType.paths;
  const { alertKeys } = alertKeyType.paths;
  const [own, keys] = await Promise.all([
    store.list({ ...query, collection: alertFates }, readableType(alertFateType)),
    store.list({ ...query, collection: alertKeys, by: 'fateId' }, readableType(alertKeyType)),
  ]);
  const found = own.map(
    ({ id, value }): FoundFate => ({ id, fate: value.value, unreadable: value.unreadable }),
  );
  const ofKeys = keys.flatMap(({ value: { value, unreadable } }): FoundFate[] => {
    if (value === undefined) return [{ id: query.idRange.from, unreadable }];
    const fate = readFate(value);
    return fate === undefined || value.fateId === null ? [] : [{ id: value.fateId, fate }];
  });
  const isFirst = (one: FoundFate, other: FoundFate) => (one.id < other.id ? -1 : 1);
  return [...found, ...ofKeys].sort(isFirst).slice(0, query.limit);
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
