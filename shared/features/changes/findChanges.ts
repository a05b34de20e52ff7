// Finds the changes near an alert: one query and one list of sources.

import type { Labelled } from '../../alerts/alertLocation.ts';
import { locateAlert, type Services } from '../../alerts/resource.ts';
import type { ChangeSource, ChangesFound } from '../../changes/block.ts';
import { type Change, changeCountsType, changeType } from '../../changes/change.ts';
import { AFTER_MS, MAX_SHOWN, rankChange, rankChanges, WINDOW_MS } from '../../changes/rank.ts';
import { alertScopes, type Relation, scopesBetween } from '../../changes/scopes.ts';
import type { RawDocuments } from '../../contract/rawDocuments.ts';
import type { Store } from '../../core/contract/store.ts';
import { readableType, splitReadable } from '../../core/schema/readable.ts';
import { getReadable } from '../../kits/views/readable.ts';
import { cutPage } from '../../kits/views/readPage.ts';
import { sourcePrefix } from './storeChange.ts';

/** Documents of one query. */
const MAX_FOUND = 1_000;
/** Values of one query: 15 days of two scopes. */
const MAX_VALUES = 30;
const MAX_SOURCES = 50;
/** Scopes of these relations are near enough for a notice about a later change. */
const NEAR: readonly Relation[] = ['same', 'service', 'name', 'dependency', 'namespace'];

interface FoundChange {
  id: string;
  change: Change;
}

/** A period and the scopes that changes are looked for in. */
interface ChangeSearch {
  tenantId: string;
  scopes: Iterable<string>;
  since: Date;
  until: Date;
}

/**
 * The changes of a period, in no order, each once: two deliveries at the same moment can have stored it
 * twice. Unreadable documents are left out.
 * @throws RetryableError when the store fails.
 */
export async function searchChanges(
  { tenantId, scopes, since, until }: ChangeSearch,
  store: Pick<Store, 'find'>,
): Promise<{ changes: FoundChange[]; isCut: boolean }> {
  const values = scopesBetween(scopes, since, until).slice(0, MAX_VALUES);
  const query = {
    collection: changeType.paths.changes,
    equal: { tenantId },
    anyOf: { field: 'scopes', values },
    limit: MAX_FOUND,
  };
  const found = await store.find(query, readableType(changeType));
  const changes = new Map<string, FoundChange>();
  for (const { id, value } of found) {
    const change = value.value;
    if (change !== undefined && change.at >= since && change.at <= until)
      changes.set(change.key, { id, change });
  }
  return { changes: [...changes.values()], isCut: found.length === MAX_FOUND };
}

/**
 * A page of the changes of a period, the newest first, each once. It reads `limit` changes and one more.
 * Unreadable documents are left out.
 * @param page.after `next` of the previous page.
 * @returns undefined for an `after` that is no change of the tenant.
 * @throws RetryableError when the store fails.
 */
export async function listLatestChanges(
  { tenantId, scopes, since, until }: ChangeSearch,
  { after, limit }: { after?: string | undefined; limit: number },
  { documents, store }: { documents: Pick<RawDocuments, 'getMany' | 'latest'>; store: Pick<Store, 'get'> },
): Promise<{ changes: FoundChange[]; next: string | null } | undefined> {
  const { changes: collection, change: path } = changeType.paths;
  if (after !== undefined) {
    const [known] = await documents.getMany([path(after)], ['tenantId']);
    if (known?.fields.get('tenantId') !== tenantId) return undefined;
  }
  const read = await documents.latest({
    collection,
    field: 'at',
    from: since,
    to: until,
    having: [{ field: 'tenantId', oneOf: [tenantId] }],
    anyOf: { field: 'scopes', values: scopesBetween(scopes, since, until).slice(0, MAX_VALUES) },
    afterId: after,
    limit: limit + 1,
    fields: ['at'],
  });
  const { page, next } = cutPage(read, limit);
  const found = await Promise.all(page.map(({ id }) => getReadable(path(id), changeType, store)));
  const changes = new Map<string, FoundChange>();
  for (const [index, { value }] of found.entries())
    if (value !== undefined) changes.set(value.key, { id: page[index]?.id ?? '', change: value });
  return { changes: [...changes.values()], next };
}

/** The sources that have sent changes to a tenant. @throws RetryableError when the store fails. */
export async function listChangeSources(
  tenantId: string,
  store: Pick<Store, 'list'>,
): Promise<ChangeSource[]> {
  const query = {
    collection: changeCountsType.paths.allChangeCounts,
    idPrefix: sourcePrefix(tenantId),
    limit: MAX_SOURCES,
  };
  const found = await store.list(query, readableType(changeCountsType));
  return splitReadable(found.map(({ value }) => value)).values.map(({ title, lastAt }) => ({
    source: title,
    lastAt,
  }));
}

/** The alert of a session, and when its problem started. */
interface ChangedAlert {
  tenantId: string;
  alert: Labelled;
  start: Date;
}

/**
 * The changes near an alert, the most relevant first, and the near scopes of the alert, without days.
 * @param options.limit of the shown changes. Default: 20.
 * @throws RetryableError when the store fails.
 */
export async function findChanges(
  { tenantId, alert, start }: ChangedAlert,
  { services = {}, now, limit = MAX_SHOWN }: { services?: Services | undefined; now: Date; limit?: number },
  store: Pick<Store, 'find' | 'list'>,
): Promise<ChangesFound & { scopes: string[] }> {
  const located = locateAlert(alert, services);
  const wanted = alertScopes(located, services);
  const since = new Date(start.getTime() - WINDOW_MS);
  const until = new Date(Math.min(now.getTime(), start.getTime() + AFTER_MS));
  const search = { tenantId, scopes: wanted.keys(), since, until };
  const [{ changes, isCut }, sources] = await Promise.all([
    searchChanges(search, store),
    listChangeSources(tenantId, store),
  ]);
  const shown = rankChanges(
    changes.map(({ id, change }) => rankChange(id, change, { start, wanted })),
    limit,
  );
  const scopes = [...wanted].flatMap(([scope, relation]) => (NEAR.includes(relation) ? [scope] : []));
  return {
    shown,
    others: changes.length - shown.length,
    isCut,
    sources,
    scopes,
    resource: located.resource,
    isMapped: located.service !== null,
  };
}
