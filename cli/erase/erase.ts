// Deletes everything of a session, or of a tenant. Each step can be repeated: the session's own document is
// fenced first and deleted last, so that nothing continues the session, and the same command continues an
// interrupted run.

import { correlationTitle } from '../../shared/alerts/schema/correlation.ts';
import {
  deleteDocument,
  putDocument,
  replaceDocument,
  type Stored,
} from '../../shared/core/contract/store.ts';
import {
  RACE_LOST,
  retryLostRaces,
  SESSION_RACES,
} from '../../shared/core/kernel/documents/retryConflict.ts';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { COLLECTIONS, collectionsWhere, paths } from '../../shared/lists/documents.ts';
import { sessionEntryKey } from '../../shared/search/sessionEntry.ts';
import { workInParallel } from '../../shared/text/workInParallel.ts';
import type { EraseDeps } from './eraseDeps.ts';
import { eraseSamples } from './eraseSamples.ts';

/** The collections whose ids start with the tenant and a dot. */
const BY_PREFIX: ReadonlySet<string> = new Set(['alertFates', 'chatKeys', 'requests', 'dayCounts']);
/** Sessions of a tenant that are erased at the same time. */
const CONCURRENT_SESSIONS = 10;
/** The collections whose field `tenantId` names a tenant, besides those that sessions own. */
const OF_TENANT = collectionsWhere(({ schema, erase, owner }) => {
  const { shape = {} } = schema as { shape?: object };
  return erase !== 'below' && owner !== 'session' && 'tenantId' in shape;
});
/** The collections below a session whose documents have collections below them. */
export const PARENTS: ReadonlySet<string> = new Set(
  Object.values(paths).flatMap((path) => {
    const segments = typeof path === 'string' ? [] : (path as PathOf)('a', 'b', 1, 1).split('/');
    return segments.length > 4 && segments[2] !== undefined ? [segments[2]] : [];
  }),
);

/** Documents of a page, and writes of a batch. */
const PAGE_SIZE = 200;

/** The version of a session that is being erased. All code refuses it (`SCHEMA_UNSUPPORTED`). */
const FENCED = 'erasing';

/** A session that cannot be erased. Nothing of it was deleted. */
class NotErasable extends Error {}

/**
 * Deletes everything of a session.
 * @throws NotErasable when there is no such session, or it runs. RetryableError when the store fails; the
 * same call continues.
 */
export async function eraseSession(sessionId: string, deps: EraseDeps): Promise<void> {
  for (const { forkId } of await listForks(sessionId, deps)) await checkFork(forkId, deps);
  const tenantId = await fenceSession(sessionId, deps);
  await eraseForks(sessionId, deps);
  // Before the keys of its alerts, by which the answers to these alerts are found.
  await eraseAnswers(tenantId, sessionId, deps);
  await removeFromLists(tenantId, sessionId, deps);
  await eraseSamples({ sessionIds: new Set([sessionId]) }, deps);
  await eraseOwn(sessionId, tenantId, deps);
}

/** The forks of a session, which it takes along. */
async function listForks(sessionId: string, { store }: EraseDeps) {
  const links = Object.values<Collection>(COLLECTIONS).map(async ({ collection, copies }) => {
    if (copies === undefined) return [];
    const listed = await store.list(
      { collection: `${paths.session(sessionId)}/${collection}` },
      rawDocumentType,
    );
    return listed.map((link) => ({ ...link, forkId: String(link.value[copies]) }));
  });
  return (await Promise.all(links)).flat();
}

/** @throws NotErasable for a fork that runs, and for one with such a fork. */
async function checkFork(forkId: string, deps: EraseDeps): Promise<void> {
  const stored = await deps.store.get(paths.session(forkId), rawDocumentType);
  if (stored !== undefined) readSessionTenant(forkId, stored);
  for (const one of await listForks(forkId, deps)) await checkFork(one.forkId, deps);
}

/** Erases the forks of a session. A link is fenced first: a fork that is being opened loses the race. */
async function eraseForks(sessionId: string, deps: EraseDeps): Promise<void> {
  for (const { path, value, forkId } of await listForks(sessionId, deps)) {
    const fenced = { ...value, schemaVersion: FENCED };
    if (!deps.dryRun) await deps.store.commit([putDocument(path, rawDocumentType, fenced)]);
    if ((await deps.store.get(paths.session(forkId), rawDocumentType)) !== undefined)
      await eraseSession(forkId, deps);
  }
}

/** Deletes the documents that belong to a session only. */
async function eraseOwn(
  sessionId: string,
  tenantId: string,
  deps: EraseDeps,
  collections = collectionsAt('field'),
): Promise<void> {
  // Before the documents that name it.
  if (!deps.dryRun) await deps.eraseElsewhere?.(sessionId);
  for (const collection of collections) await eraseByField(collection, 'sessionId', sessionId, deps);
  await eraseEntry(tenantId, sessionId, deps);
  await eraseBelow(paths.session(sessionId), deps);
  await deletePaths('sessions', [paths.session(sessionId)], deps);
  // A process that had read the session before it was fenced can have written below it.
  if (!deps.dryRun) await eraseBelow(paths.session(sessionId), deps);
}

/**
 * Deletes everything of a tenant, including sessions that alerts open meanwhile.
 * @throws NotErasable when a session of it runs; nothing was deleted then, unless it was opened meanwhile.
 *   RetryableError as `eraseSession`.
 */
export async function eraseTenant(tenantId: string, deps: EraseDeps): Promise<void> {
  for (;;) {
    const ids: string[] = [];
    for await (const page of findDocumentIds('sessions', 'tenantId', tenantId, deps)) ids.push(...page);
    const each = (work: (id: string) => Promise<unknown>) =>
      workInParallel(ids, CONCURRENT_SESSIONS, async (id) => void (await work(id)));
    await each((id) => tenantOfErasable(id, deps));
    await each((id) => fenceSession(id, deps));
    // The collections of the tenant are deleted whole.
    await eraseSamples({ sessionIds: new Set(ids), tenantId }, deps);
    const others = collectionsAt('field').filter((collection) => !OF_TENANT.includes(collection));
    let done = 0;
    await each(async (id) => {
      await eraseOwn(id, tenantId, deps, others);
      deps.onSession?.(++done, ids.length);
    });
    for (const collection of OF_TENANT) await eraseByField(collection, 'tenantId', tenantId, deps);
    if (ids.length === 0 || deps.dryRun) return;
  }
}

/**
 * Replaces the document of a session by one that no code can read, so that nothing continues the session
 * while it is erased: a question, a start or a report that has read it before loses the race.
 * @returns its tenant.
 * @throws as `tenantOfErasable`.
 */
function fenceSession(sessionId: string, deps: EraseDeps): Promise<string> {
  const path = paths.session(sessionId);
  return retryLostRaces<string>(path, SESSION_RACES, async () => {
    const stored = await deps.store.get(path, rawDocumentType);
    const tenantId = readSessionTenant(sessionId, stored);
    if (stored === undefined || deps.dryRun) return tenantId;
    const { status = null, expireAt = null } = stored.value;
    const fenced = { sessionId, tenantId, status, expireAt, schemaVersion: FENCED };
    const write = replaceDocument(path, rawDocumentType, fenced, stored.version);
    return (await deps.store.commit([write])).ok ? tenantId : RACE_LOST;
  });
}

/** The tenant of a session that can be erased. A broken document can be erased, too. */
async function tenantOfErasable(sessionId: string, { store }: EraseDeps): Promise<string> {
  return readSessionTenant(sessionId, await store.get(paths.session(sessionId), rawDocumentType));
}

function readSessionTenant(sessionId: string, stored: Stored<Record<string, unknown>> | undefined): string {
  if (stored === undefined) throw new NotErasable(`there is no session ${sessionId}`);
  const { status, openStage, tenantId } = stored.value;
  const isRunning = status === 'in_progress' || status === 'cancelling' || (openStage ?? null) !== null;
  if (isRunning)
    throw new NotErasable(`session ${sessionId} is running: cancel it first (inquest cancel ${sessionId})`);
  return typeof tenantId === 'string' ? tenantId : DEFAULT_TENANT;
}

/** Deletes the documents of a top-level collection with this value in a field. */
async function eraseByField(
  collection: string,
  field: string,
  value: string,
  deps: EraseDeps,
): Promise<void> {
  for await (const ids of findDocumentIds(collection, field, value, deps))
    await deletePaths(
      collection,
      ids.map((id) => `${collection}/${id}`),
      deps,
    );
}

/** Deletes the session's entries in the knowledge base. */
async function eraseEntry(tenantId: string, sessionId: string, deps: EraseDeps): Promise<void> {
  const path = paths.knowledgeEntry(tenantId, sessionEntryKey(sessionId));
  const found = await deps.raw.getMany([path], ['schemaVersion']);
  await deletePaths(
    'knowledge',
    found.map((one) => one.path),
    deps,
  );
}

/**
 * The ids of documents with this value in a field, by page: by an index of the field or by their ids. All
 * documents of other collections are read, of which there are few.
 */
async function* findDocumentIds(
  collection: string,
  field: string,
  value: string,
  { raw }: EraseDeps,
): AsyncGenerator<string[], void> {
  const isIndexed = collectionsWhere((one) => one.indexes?.fields?.includes(field) ?? false).includes(
    collection,
  );
  const some = isIndexed
    ? { equal: { field, value } }
    : field === 'tenantId' && BY_PREFIX.has(collection)
      ? { idPrefix: `${value}.` }
      : {};
  for (let afterId: string | undefined, isLast = false; !isLast; ) {
    const read = await raw.list({ collection, limit: PAGE_SIZE, afterId, ...some, fields: [field] });
    const ids = read.filter(({ fields }) => fields.get(field) === value).map(({ id }) => id);
    if (ids.length > 0) yield ids;
    afterId = read.at(-1)?.id;
    isLast = read.length < PAGE_SIZE;
  }
}

/** Deletes the stored answers that contain the id of the session, or the key of one of its alerts. */
async function eraseAnswers(tenantId: string, sessionId: string, deps: EraseDeps): Promise<void> {
  const names = [sessionId];
  for await (const keys of findDocumentIds('alertKeys', 'sessionId', sessionId, deps)) names.push(...keys);
  for (const collection of collectionsAt('answer'))
    for await (const ids of findDocumentIds(collection, 'tenantId', tenantId, deps)) {
      const found = await Promise.all(
        ids.map((id) => deps.store.get(`${collection}/${id}`, rawDocumentType)),
      );
      const own = found.filter((one) => {
        const text = JSON.stringify(one?.value ?? null);
        return names.some((name) => text.includes(name));
      });
      await deletePaths(
        collection,
        own.flatMap((one) => one?.path ?? []),
        deps,
      );
    }
}

/** Removes the session's alerts from the lists of alerts with the same labels. */
async function removeFromLists(tenantId: string, sessionId: string, deps: EraseDeps): Promise<void> {
  for await (const ids of findDocumentIds('correlations', 'tenantId', tenantId, deps)) {
    for (const id of ids) {
      const isChanged = await retryLostRaces<boolean>(id, SESSION_RACES, () =>
        removeFromList(id, sessionId, deps),
      );
      if (isChanged) deps.onErased('correlations', 1);
    }
  }
}

/** @returns whether the list had alerts of the session. */
async function removeFromList(
  id: string,
  sessionId: string,
  { store, dryRun }: EraseDeps,
): Promise<boolean | typeof RACE_LOST> {
  const path = paths.correlation(id);
  // Raw, so that a document of another version keeps its form.
  const stored = await store.get(path, rawDocumentType);
  const listed = (stored?.value.alerts ?? []) as { sessionId: string; title: string }[];
  const alerts = listed.filter((alert) => alert.sessionId !== sessionId);
  if (stored === undefined || alerts.length === listed.length) return false;
  if (dryRun) return true;
  const last = alerts.at(-1);
  const changed = { ...stored.value, alerts, ...(last && { title: correlationTitle(last.title) }) };
  const write =
    last === undefined
      ? deleteDocument(path, rawDocumentType)
      : replaceDocument(path, rawDocumentType, changed, stored.version);
  return (await store.commit([write])).ok ? true : RACE_LOST;
}

/** Deletes all documents below a document, the deepest first. */
async function eraseBelow(path: string, deps: EraseDeps): Promise<void> {
  for (const collection of await deps.raw.collectionIds(path)) {
    const inside = `${path}/${collection}`;
    for (let afterId: string | undefined, isLast = false; !isLast; ) {
      const page = { collection: inside, limit: PAGE_SIZE, afterId, fields: ['schemaVersion'] };
      const found = await deps.raw.list(page);
      if (PARENTS.has(collection)) for (const one of found) await eraseBelow(one.path, deps);
      await deletePaths(
        collection,
        found.map((one) => one.path),
        deps,
      );
      afterId = found.at(-1)?.id;
      isLast = found.length < PAGE_SIZE;
    }
  }
}

async function deletePaths(collection: string, found: readonly string[], deps: EraseDeps): Promise<void> {
  if (found.length === 0) return;
  if (!deps.dryRun) await deps.store.commit(found.map((path) => deleteDocument(path, rawDocumentType)));
  deps.onErased(collection, found.length);
}

/** The collections with this rule. */
function collectionsAt(place: Extract<Collection['erase'], string>): string[] {
  return collectionsWhere(({ erase }) => erase === place);
}

type PathOf = (...parts: unknown[]) => string;
