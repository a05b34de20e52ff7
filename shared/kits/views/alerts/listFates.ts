// Lists the fates of alerts, newest first. Indexes have outcomes and sources; words are looked for in the
// fates of a page.

import * as z from 'zod';
import { type AlertFate, alertFateSchema, alertFateType } from '../../../alerts/schema/alertFate.ts';
import type { ListQuery, Store } from '../../../core/contract/store.ts';
import { readableType, type Unreadable, unreadableSchema } from '../../../core/schema/readable.ts';
import { alertKeyType, readFate } from '../../alerts/fates/alertKeyDocument.ts';
import { fateRange } from '../../alerts/fates/fateId.ts';
import { cutPage, nextSchema } from '../readPage.ts';
import { fixOfFate } from './explainFate.ts';

/** Combinations of an outcome and a source that are looked up, each on its own. */
const MAX_COMBINATIONS = 8;
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
  next: nextSchema,
});
type FatePage = z.infer<typeof fatePageSchema>;

/**
 * A page of fates. Reads `limit` fates and one more of each kind and combination of the filter. With words or
 * many combinations it can have fewer than `limit`, or none, although more follow.
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
  const from = after === undefined ? range.from : `${after}!`;
  const query = { idRange: { from, to: range.to }, limit: limit + 1 };
  const read = await Promise.all(
    listCombinations(filter).map((equal) => readFates({ ...query, equal }, store)),
  );
  const found = read.flat().sort(isFirst);
  const { page, next } = cutPage(found, limit);
  return {
    alerts: page.flatMap(({ id, fate }) =>
      fate !== undefined && passesFilter(fate, filter) ? [listedFate(id, fate)] : [],
    ),
    unreadable: page.flatMap(({ unreadable }) => unreadable ?? []),
    next,
  };
}

/** The values that an index looks up: none where they are too many. */
function listCombinations({ outcome = [], source = [] }: FateFilter): Record<string, string>[] {
  const all = either('outcome', outcome).flatMap((one) =>
    either('source', source).map((other) => ({ ...one, ...other })),
  );
  return all.length > MAX_COMBINATIONS ? [{}] : all;
}

const either = (field: string, values: readonly string[]): Record<string, string>[] =>
  values.length === 0 ? [{}] : [...new Set(values)].map((value) => ({ [field]: value }));

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

const isFirst = (one: FoundFate, other: FoundFate) => (one.id < other.id ? -1 : 1);

/** The fields of a fate that lie deeper in a key. */
const IN_KEY: Record<string, string> = { outcome: 'fate.outcome', source: 'fate.source' };

/** The first fates of both kinds, newest first. */
async function readFates(
  query: Required<Pick<ListQuery, 'equal' | 'idRange' | 'limit'>>,
  store: Pick<Store, 'list'>,
): Promise<FoundFate[]> {
  const values = Object.entries(query.equal).map(([field, value]) => [IN_KEY[field] ?? field, value]);
  const ofKey = { ...query, equal: Object.fromEntries(values), by: 'fateId' };
  const { alertFates } = alertFateType.paths;
  const { alertKeys } = alertKeyType.paths;
  const [own, keys] = await Promise.all([
    store.list({ ...query, collection: alertFates }, readableType(alertFateType)),
    store.list({ ...ofKey, collection: alertKeys }, readableType(alertKeyType)),
  ]);
  const found = own.map(
    ({ id, value }): FoundFate => ({ id, fate: value.value, unreadable: value.unreadable }),
  );
  const ofKeys = keys.flatMap(({ value: { value, unreadable } }): FoundFate[] => {
    if (value === undefined) return [{ id: query.idRange.from, unreadable }];
    const fate = readFate(value);
    return fate === undefined || value.fateId === null ? [] : [{ id: value.fateId, fate }];
  });
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
