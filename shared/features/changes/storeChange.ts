// Stores a change: once for all messages about it, with the rate of its resource. A flood is bounded: of a
// resource and hour, the first changes are stored, and one document counts the others and shows the last.

import { type Change, type ChangeCounts, changeCountsType, changeType } from '../../changes/change.ts';
import type { ReadChange } from '../../changes/readChange.ts';
import { resourceId, scopeOn, timeId } from '../../changes/scopes.ts';
import { createDocument, replaceDocument, type Stored } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { ignoreConflict } from '../../core/kernel/documents/retryConflict.ts';
import { documentTitle } from '../../core/schema/documentTitle.ts';
import { utcDay, utcHour } from '../../text/utcPeriod.ts';

const DAY_MS = 24 * 3_600_000;
const KEEP_MS = 30 * DAY_MS;
/** Changes of a resource and hour that are stored one by one. */
const MAX_OF_HOUR = 20;
/** Days that a rate counts. */
const RATE_DAYS = 14;
/** Counts are pruned above this number of entries. */
const MAX_COUNTS = 120;
/** Messages of two sources about one change of a resource are this close. */
const JOIN_MS = 2 * 60_000;
const KEY_DIGITS = 8;

type Deps = Pick<StateDeps, 'store' | 'clock' | 'log'>;

/** The result: a new change, one more message about a known change, or one that a full hour only counts. */
type StoredChange = {
  outcome: 'stored' | 'updated' | 'known' | 'counted';
  id: string;
  change: Change;
};

/** The document of the changes of an hour that are only counted. */
const restId = (prefix: string, at: Date): string => `${prefix}.${utcHour(at).replace(/[-T]/g, '')}.rest`;

/**
 * Stores a change of a tenant.
 * @throws RetryableError when the store fails, or another delivery was faster (`STORE_CONFLICT`).
 */
export async function storeChange(
  { joins, ...read }: ReadChange,
  tenantId: string,
  deps: Deps,
): Promise<StoredChange> {
  const now = deps.clock.now();
  const prefix = resourceId(tenantId, read.resource);
  const counts = await readCounts(prefix, deps);
  const isFull = (counts?.counts[hourKey(read.at)] ?? 0) >= MAX_OF_HOUR;
  const earlier = isFull ? undefined : await findEarlier({ ...read, joins }, tenantId, prefix, deps);
  if (earlier !== undefined) return mergeChange(earlier, read, deps);
  const number = await countChange(prefix, read, tenantId, deps);
  const change: Change = {
    ...read,
    tenantId,
    receivedAt: now,
    scopes: read.scopes.map((scope) => scopeOn(read.at, scope)),
    rate: computeChangeRate(counts, read.at),
    count: 1,
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  if (number > MAX_OF_HOUR) {
    const id = restId(prefix, read.at);
    await deps.store.increment(changeType.paths.change(id), changeType, change, 'count');
    return { outcome: 'counted', id, change };
  }
  const id = `${prefix}.${timeId(read.at)}.${read.key.slice(0, KEY_DIGITS)}`;
  const { ok } = await deps.store.commit([createDocument(changeType.paths.change(id), changeType, change)]);
  return { outcome: ok ? 'stored' : 'known', id, change };
}

async function readCounts(prefix: string, { store, log }: Deps): Promise<ChangeCounts | undefined> {
  const found = await readOrWarn(
    store.get(changeCountsType.paths.changeCounts(prefix), changeCountsType),
    'a change has no rate',
    log,
  );
  return found === UNREADABLE ? undefined : found?.value;
}

/** The document of an earlier message about the change: by id, or by resource and moment. */
async function findEarlier(
  { key, joins, at }: Pick<ReadChange, 'key' | 'joins' | 'at'>,
  tenantId: string,
  prefix: string,
  { store }: Deps,
): Promise<Stored<Change> | undefined> {
  const [same] = await store.find(
    { collection: changeType.paths.changes, equal: { tenantId, key }, limit: 1 },
    changeType,
  );
  if (same !== undefined || joins === null) return same;
  const idRange = {
    from: `${prefix}.${timeId(new Date(at.getTime() - JOIN_MS))}`,
    to: `${prefix}.${timeId(new Date(at.getTime() + JOIN_MS))}~`,
  };
  const near = await store.list(
    { collection: changeType.paths.changes, idRange, limit: MAX_OF_HOUR },
    changeType,
  );
  const distance = (change: Change) => Math.abs(change.at.getTime() - at.getTime());
  return near
    .filter(({ value }) => value.source === joins && value.tenantId === tenantId)
    .sort((one, other) => distance(one.value) - distance(other.value))[0];
}

/**
 * Adds a later message to a stored change. The result of the latest message counts, so that the end of an
 * operation replaces its start; a state or an actor that only one of them has is kept. The id keeps the time
 * of the first message.
 */
async function mergeChange(
  { id, path, value, version }: Stored<Change>,
  read: Omit<ReadChange, 'joins'>,
  { store }: Deps,
): Promise<StoredChange> {
  const isLater =
    read.at.getTime() >= value.at.getTime() && !(read.status === 'running' && value.status !== 'running');
  const [newer, older] = isLater ? [read, value] : [value, read];
  const isJoined = read.source !== value.source;
  const change: Change = {
    ...value,
    status: newer.status,
    title: isJoined && value.source !== 'asset-feed' ? value.title : newer.title,
    kind: isJoined && value.source !== 'asset-feed' ? value.kind : newer.kind,
    actor: newer.actor ?? older.actor,
    before: newer.before ?? older.before,
    after: newer.after ?? older.after,
    url: newer.url ?? older.url,
    at: newer.at,
    scopes: [...new Set([...value.scopes, ...read.scopes.map((scope) => scopeOn(newer.at, scope))])],
  };
  const { expireAt: _, ...before } = value;
  const { expireAt: _same, ...after } = change;
  if (JSON.stringify(before) === JSON.stringify(after)) return { outcome: 'known', id, change: value };
  const { ok } = await store.commit([replaceDocument(path, changeType, change, version)]);
  if (!ok) throw new RetryableError('STORE_CONFLICT', 'another message about the same change was faster');
  return { outcome: 'updated', id, change };
}

const dayKey = (at: Date): string => `d${utcDay(at).replaceAll('-', '')}`;
const hourKey = (at: Date): string => `h${utcHour(at).replace(/[-T]/g, '')}`;

/** Counts a change of a resource. @returns the number of changes in its hour. */
async function countChange(
  prefix: string,
  { at, resource }: ReadChangeOf,
  tenantId: string,
  deps: Deps,
): Promise<number> {
  const now = deps.clock.now();
  const path = changeCountsType.paths.changeCounts(prefix);
  const counts = { [dayKey(at)]: 1, [hourKey(at)]: 1 };
  const value: ChangeCounts = {
    title: documentTitle(resource),
    tenantId,
    counts,
    lastAt: now,
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  const fields = [`counts.${hourKey(at)}`, `counts.${dayKey(at)}`];
  const [number = 1] = await deps.store.incrementAll(path, changeCountsType, value, fields);
  // The first of an hour removes old counts; a race with another writer only leaves them for the next hour.
  if (number === 1) await pruneCounts(path, now, deps);
  return number;
}

type ReadChangeOf = Pick<ReadChange, 'at' | 'resource'>;

async function pruneCounts(path: string, now: Date, { store }: Deps): Promise<void> {
  const found = await store.get(path, changeCountsType);
  if (found === undefined || Object.keys(found.value.counts).length <= MAX_COUNTS) return;
  const oldest = dayKey(new Date(now.getTime() - (RATE_DAYS + 1) * DAY_MS)).slice(1);
  const kept = Object.entries(found.value.counts).filter(([name]) => {
    const day = name.slice(1, 9);
    return name.startsWith('d') ? day >= oldest : day >= dayKey(now).slice(1);
  });
  const value = { ...found.value, counts: Object.fromEntries(kept) };
  await store.commit([replaceDocument(path, changeCountsType, value, found.version)]);
}

/** The changes of a resource in 14 days up to a change, included; fewer days if known for fewer. */
function computeChangeRate(counts: ChangeCounts | undefined, at: Date): Change['rate'] {
  const days = Array.from({ length: RATE_DAYS }, (_, index) =>
    dayKey(new Date(at.getTime() - index * DAY_MS)),
  );
  const found = days.map((day) => counts?.counts[day] ?? 0);
  return { count: 1 + found.reduce((sum, one) => sum + one, 0), days: RATE_DAYS };
}

/** Minutes between two records of the same source. */
const SOURCE_MS = 60_000;

/** Records that a source sent a change: once a minute, except for simultaneous processes. */
export async function noteSource(
  source: string,
  tenantId: string,
  { store, clock, log }: Deps,
): Promise<void> {
  const now = clock.now();
  const path = changeCountsType.paths.changeCounts(sourceId(tenantId, source));
  const found = await readOrWarn(
    store.get(path, changeCountsType),
    'the source of a change is not noted',
    log,
  );
  if (found === UNREADABLE) return;
  if (found !== undefined && now.getTime() - found.value.lastAt.getTime() < SOURCE_MS) return;
  const value: ChangeCounts = {
    title: documentTitle(source),
    tenantId,
    counts: { all: 1 },
    lastAt: now,
    expireAt: new Date(now.getTime() + KEEP_MS),
  };
  await store.incrementAll(path, changeCountsType, value, ['counts.all']).catch(ignoreConflict);
}

/** The id of the record of a source. */
const sourceId = (tenantId: string, source: string): string => `${sourcePrefix(tenantId)}${source}`;
/** The start of the ids of the records of a tenant's sources. A resource's id has no dot. */
export const sourcePrefix = (tenantId: string): string => `${tenantId}.source.`;
