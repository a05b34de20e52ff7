// The store of one tenant. Others' documents seem not to exist, even for callers who know their ids.

import type {
  CollectionQuery,
  CommitResult,
  ListQuery,
  MatchQuery,
  NearestQuery,
  SelectionQuery,
  Store,
  Stored,
} from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { countThrough } from '../allowances/pools.ts';
import type { LateReader } from './lateReader.ts';
import { createLateReader } from './lateReader.ts';
import { findPathOwner, type Owner } from './ownership.ts';
import { createTenantGuard, type TenantGuard } from './tenantGuard.ts';

/**
 * The store of a tenant, for one request or command: it remembers the owners of sessions.
 * Reads and watches find neither documents of other tenants nor those of operators; writes to them fail as
 * `missing`. Ids are checked, not secret.
 * @throws RangeError from writes to shared documents and for another tenant.
 */
export function tenantStore(store: Store, tenantId: string): Store {
  const guard = createTenantGuard(store, tenantId);
  const own: Store = {
    ...tenantReads(store, guard, tenantId),

    async commit(writes): Promise<CommitResult> {
      return (await guard.canCommit(writes)) ? store.commit(writes) : { ok: false, reason: 'missing' };
    },

    async increment(path, type, value, field) {
      await guard.requireCountable(path, value);
      return store.increment(path, type, value, field);
    },

    async incrementAll(path, type, value, fields) {
      await guard.requireCountable(path, value);
      return store.incrementAll(path, type, value, fields);
    },

    watch: (query, type, onDocuments, onError, onDeleted) =>
      watchOwn(store, guard, query, type, { onDocuments, onError, onDeleted }),

    close: () => store.close(),
  };
  countThrough(own, store);
  return own;
}

type Reads = Pick<Store, 'get' | 'list' | 'count' | 'listIds' | 'find' | 'findNearest' | 'findByTime'>;

function tenantReads(store: Store, guard: TenantGuard, tenantId: string): Reads {
  /** Reads documents at a path with a reader, and keeps the tenant's. */
  const readOwn = async <T>(
    path: string,
    type: DocumentType<T>,
    read: (owner: Owner, type: DocumentType<T>) => Promise<Stored<T>[]>,
  ): Promise<Stored<T>[]> => {
    const owner = findPathOwner(path);
    if (!(await guard.canRead(owner))) return [];
    const reader = createLateReader(type);
    return ownDocuments(guard, owner, await read(owner, reader.type), reader);
  };

  /** The query for documents of the tenant only, so that documents of others do not use up its limit. */
  const bound = <Q extends Pick<MatchQuery, 'equal'>>(query: Q, owner: Owner): Q =>
    owner.kind === 'tenant' ? { ...query, equal: { ...query.equal, tenantId } } : query;

  return {
    async get<T>(path: string, type: DocumentType<T>) {
      const [own] = await readOwn(path, type, async (_, reading) => {
        const stored = await store.get(path, reading);
        return stored === undefined ? [] : [stored];
      });
      return own;
    },

    list: <T>(query: ListQuery, type: DocumentType<T>) =>
      readOwn(query.collection, type, (_, reading) => store.list(query, reading)),

    async count(query) {
      const owner = findPathOwner(query.collection);
      const ofSession = owner.kind === 'session' ? sessionOfQuery(query) : owner;
      if (ofSession === undefined || !(await guard.canRead(ofSession))) return 0;
      return store.count(owner.kind === 'tenant' ? bound({ equal: {}, ...query }, owner) : query);
    },

    find: <T>(query: MatchQuery, type: DocumentType<T>) =>
      readOwn(query.collection, type, (owner, reading) => store.find(bound(query, owner), reading)),

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>) {
      const distances = new Map<Stored<T>, number>();
      const own = await readOwn(query.collection, type, async (owner, reading) => {
        const near = await store.findNearest(bound(query, owner), reading);
        for (const { document, distance } of near) distances.set(document, distance);
        return near.map(({ document }) => document);
      });
      return own.map((document) => ({ document, distance: distances.get(document) ?? Number.NaN }));
    },

    async listIds(query) {
      const found: string[] = [];
      if (!(await guard.canRead(findPathOwner(query.collection)))) return found;
      let { afterId } = query;
      while (found.length < query.limit) {
        const page = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
        const isOwn = await Promise.all(page.map((id) => guard.isOwnDocument(`${query.collection}/${id}`)));
        found.push(...page.filter((_, index) => isOwn[index]));
        if (page.length < query.limit) break;
        afterId = page.at(-1);
      }
      return found.slice(0, query.limit);
    },

    async *findByTime(query) {
      for await (const page of store.findByTime(query)) {
        const isOwn = await Promise.all(page.map(guard.isOwnDocument));
        const own = page.filter((_, index) => isOwn[index]);
        if (own.length > 0) yield own;
      }
    },
  };
}

/** The session to which all documents of a query belong; undefined if it names none. */
function sessionOfQuery({ equal = {} }: SelectionQuery): Owner | undefined {
  return equal.sessionId === undefined ? undefined : { kind: 'below', sessionId: equal.sessionId };
}

/** `Store.watch` for a tenant's documents. Deletions only where all documents have one owner. */
function watchOwn<T>(
  store: Store,
  guard: TenantGuard,
  query: CollectionQuery,
  type: DocumentType<T>,
  { onDocuments, onError, onDeleted }: Callbacks<T>,
): () => void {
  const owner = findPathOwner(query.collection);
  const reader = createLateReader(type);
  let isOver = false;
  let unwatch = () => {};
  const stop = () => {
    isOver = true;
    unwatch();
  };
  const fail = (error: unknown) => {
    if (isOver) return;
    stop();
    onError(error);
  };
  // The guard can have to read sessions. Changes that arrive meanwhile are delivered afterwards, in order.
  let last: Promise<void> = Promise.resolve();
  const enqueue = (deliver: () => void | Promise<void>) => {
    last = last.then(deliver).catch(fail);
  };
  const deliver = async (found: Stored<T>[]): Promise<void> => {
    const own = await ownDocuments(guard, owner, found, reader);
    if (!isOver && own.length > 0) onDocuments(own);
  };
  const deliverDeleted = (ids: string[]) => enqueue(() => (isOver ? undefined : onDeleted?.(ids)));
  const isAllOwn = owner.kind === 'below';
  const start = async (): Promise<void> => {
    if (!(await guard.canRead(owner)) || isOver) return;
    const onFound = (found: Stored<T>[]) => enqueue(() => deliver(found));
    unwatch = store.watch(query, reader.type, onFound, fail, isAllOwn ? deliverDeleted : undefined);
  };
  start().catch(fail);
  return stop;
}

/** The callbacks of `Store.watch`. */
interface Callbacks<T> {
  /** Gets the tenant's new and changed documents. */
  onDocuments: (documents: Stored<T>[]) => void;
  /** Called at most once; the watch has ended then. */
  onError: (error: unknown) => void;
  /** Gets the ids of the tenant's documents that were there before. */
  onDeleted?: ((ids: string[]) => void) | undefined;
}

/**
 * The documents that are the tenant's, or shared with it.
 * @throws the error of `decode` for the first of them that cannot be read.
 */
async function ownDocuments<T>(
  guard: TenantGuard,
  owner: Owner,
  found: Stored<T>[],
  reader: LateReader<T>,
): Promise<Stored<T>[]> {
  const isOwn = await Promise.all(found.map(({ value }) => guard.isOwnData(owner, reader.dataOf(value))));
  const own = found.filter((_, index) => isOwn[index]);
  for (const { value } of own) reader.check(value);
  return own;
}
