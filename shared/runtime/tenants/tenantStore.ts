// The store as one tenant may see it. What belongs to another tenant is not there, whoever knows its id: an action on it
// finds what it finds for an id that nobody has.

import type {
  CollectionQuery,
  CommitResult,
  ListQuery,
  MatchQuery,
  NearDocument,
  NearestQuery,
  Store,
  Stored,
  Write,
} from '../../contract/store.ts';
import { paths } from '../../schema/documents.ts';
import { type DocumentType, rawDocumentType } from '../../schema/documentType.ts';
import { type Owner, ownerOf, tenantIn } from './ownership.ts';

/**
 * The store of a tenant, for one request or command: it remembers whose sessions are, and a session's tenant never changes.
 * Reads and watches of other tenants' documents find nothing, and so do those of what operators alone may read; writes to
 * them fail as `missing`. Ids are checked, not secret.
 * @throws RangeError from writes that no tenant may make: to shared documents, or for another tenant.
 */
export function tenantStore(store: Store, tenantId: string): Store {
  const sessions = new Map<string, Promise<boolean>>();

  const isOwnSession = (sessionId: string): Promise<boolean> => {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    const reading = store.get(paths.session(sessionId), rawDocumentType).then((stored) => {
      // It may be created yet.
      if (stored === undefined) sessions.delete(sessionId);
      return stored !== undefined && tenantIn(stored.value) === tenantId;
    });
    sessions.set(sessionId, reading);
    reading.catch(() => sessions.delete(sessionId));
    return reading;
  };

  const isOwnData = async (owner: Owner, data: Record<string, unknown>): Promise<boolean> => {
    switch (owner.kind) {
      case 'tenant':
        return tenantIn(data) === tenantId;
      case 'session':
        return typeof data.sessionId === 'string' && (await isOwnSession(data.sessionId));
      case 'below':
        return isOwnSession(owner.sessionId);
      case 'shared':
        return true;
      case 'operators':
      case 'counted':
        return false;
    }
  };

  /** Whether there is anything of the tenant's below this path, as far as the path alone says. */
  const mayRead = (owner: Owner): boolean | Promise<boolean> => {
    if (owner.kind === 'below') return isOwnSession(owner.sessionId);
    return owner.kind !== 'operators' && owner.kind !== 'counted';
  };

  const ownOf = async <T>(owner: Owner, found: Stored<T>[], reader: Reader<T>): Promise<Stored<T>[]> => {
    const isOwn = await Promise.all(found.map(({ value }) => isOwnData(owner, reader.dataOf(value))));
    const own = found.filter((_, index) => isOwn[index]);
    for (const { value } of own) reader.check(value);
    return own;
  };

  /** The query for documents of the tenant alone, so that its limit counts none of others. */
  const bound = <Q extends Pick<MatchQuery, 'equal'>>(query: Q, owner: Owner): Q =>
    owner.kind === 'tenant' ? { ...query, equal: { ...query.equal, tenantId } } : query;

  const isOwnDocument = async (path: string): Promise<boolean> => {
    const owner = ownerOf(path);
    if (owner.kind === 'below' || !(await mayRead(owner))) return mayRead(owner);
    const stored = await store.get(path, rawDocumentType);
    return stored !== undefined && isOwnData(owner, stored.value);
  };

  /** Whether nobody, or the tenant itself, has this document of a tenant. */
  const isFreeOrOwn = async (path: string): Promise<boolean> => {
    const stored = await store.get(path, rawDocumentType);
    return stored === undefined || tenantIn(stored.value) === tenantId;
  };

  /** Whether a write is to what is the tenant's, before and after it. */
  const mayWrite = async (write: Write, created: ReadonlySet<string>): Promise<boolean> => {
    const owner = ownerOf(write.path);
    const value = write.value as Record<string, unknown>;
    const isNewOrOwn = (sessionId: unknown) =>
      created.has(String(sessionId)) || isOwnSession(String(sessionId));
    switch (owner.kind) {
      case 'below':
        return isNewOrOwn(owner.sessionId);
      case 'tenant':
        if (write.op === 'delete') return isOwnDocument(write.path);
        if (value.tenantId !== tenantId)
          throw new RangeError(
            `${write.path} is to be of another tenant than whose store it is written with`,
          );
        if (write.op === 'put') return isFreeOrOwn(write.path);
        return write.op === 'create' || isOwnDocument(write.path);
      case 'session':
        if (write.op === 'delete') return isOwnDocument(write.path);
        return (await isNewOrOwn(value.sessionId)) && (write.op === 'create' || isOwnDocument(write.path));
      default:
        throw new RangeError(`${write.path} is no tenant's to write`);
    }
  };

  /** @throws RangeError where the tenant may count nothing. */
  const requireCountable = async (path: string): Promise<void> => {
    const owner = ownerOf(path);
    const isAllowed =
      owner.kind === 'counted' || (owner.kind === 'below' && (await isOwnSession(owner.sessionId)));
    if (!isAllowed) throw new RangeError(`${path} is not this tenant's to count in`);
  };

  return {
    async get<T>(path: string, type: DocumentType<T>): Promise<Stored<T> | undefined> {
      const owner = ownerOf(path);
      if (!(await mayRead(owner))) return undefined;
      const reader = lateReader(type);
      const stored = await store.get(path, reader.type);
      if (stored === undefined) return undefined;
      const [own] = await ownOf(owner, [stored], reader);
      return own;
    },

    async list<T>(query: ListQuery, type: DocumentType<T>): Promise<Stored<T>[]> {
      const owner = ownerOf(query.collection);
      if (!(await mayRead(owner))) return [];
      const reader = lateReader(type);
      return ownOf(owner, await store.list(query, reader.type), reader);
    },

    async find<T>(query: MatchQuery, type: DocumentType<T>): Promise<Stored<T>[]> {
      const owner = ownerOf(query.collection);
      if (!(await mayRead(owner))) return [];
      const reader = lateReader(type);
      return ownOf(owner, await store.find(bound(query, owner), reader.type), reader);
    },

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>): Promise<NearDocument<T>[]> {
      const owner = ownerOf(query.collection);
      if (!(await mayRead(owner))) return [];
      const reader = lateReader(type);
      const near = await store.findNearest(bound(query, owner), reader.type);
      const own = new Set(
        await ownOf(
          owner,
          near.map(({ document }) => document),
          reader,
        ),
      );
      return near.filter(({ document }) => own.has(document));
    },

    async listIds(query) {
      const found: string[] = [];
      if (!(await mayRead(ownerOf(query.collection)))) return found;
      let { afterId } = query;
      while (found.length < query.limit) {
        const page = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
        const isOwn = await Promise.all(page.map((id) => isOwnDocument(`${query.collection}/${id}`)));
        found.push(...page.filter((_, index) => isOwn[index]));
        if (page.length < query.limit) break;
        afterId = page.at(-1);
      }
      return found.slice(0, query.limit);
    },

    async *findByTime(query) {
      for await (const page of store.findByTime(query)) {
        const isOwn = await Promise.all(page.map(isOwnDocument));
        const own = page.filter((_, index) => isOwn[index]);
        if (own.length > 0) yield own;
      }
    },

    async commit(writes): Promise<CommitResult> {
      const created = new Set(
        writes.flatMap(({ op, path, value }) =>
          op === 'create' && ownerOf(path).kind === 'tenant' && path.startsWith(`${paths.sessions}/`)
            ? [String((value as { sessionId: unknown }).sessionId)]
            : [],
        ),
      );
      const allowed = await Promise.all(writes.map((write) => mayWrite(write, created)));
      return allowed.every(Boolean) ? store.commit(writes) : { ok: false, reason: 'missing' };
    },

    async increment(path, type, value, field) {
      await requireCountable(path);
      return store.increment(path, type, value, field);
    },

    async incrementAll(path, type, value, fields) {
      await requireCountable(path);
      return store.incrementAll(path, type, value, fields);
    },

    watch<T>(
      query: CollectionQuery,
      type: DocumentType<T>,
      onDocuments: (documents: Stored<T>[]) => void,
      onError: (error: unknown) => void,
      onDeleted?: (ids: string[]) => void,
    ) {
      const owner = ownerOf(query.collection);
      const reader = lateReader(type);
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
      // Whose a document is may have to be read; what comes meanwhile waits its turn.
      let last: Promise<void> = Promise.resolve();
      const pass = async (found: Stored<T>[]): Promise<void> => {
        const own = await ownOf(owner, found, reader);
        if (!isOver && own.length > 0) onDocuments(own);
      };
      const begin = async (): Promise<void> => {
        if (!(await mayRead(owner)) || isOver) return;
        unwatch = store.watch(
          query,
          reader.type,
          (found) => {
            last = last.then(() => pass(found)).catch(fail);
          },
          fail,
          // Whose a document was is known where all of the collection are the session's.
          owner.kind === 'below' && onDeleted !== undefined
            ? (ids) => {
                last = last.then(() => (isOver ? undefined : onDeleted(ids))).catch(fail);
              }
            : undefined,
        );
      };
      begin().catch(fail);
      return stop;
    },

    close: () => store.close(),
  };
}

/** Reads documents of a type, and says what is wrong with one only when it is known whose it is. */
interface Reader<T> {
  type: DocumentType<T>;
  /** The fields of a document that was read, as they are stored. */
  dataOf(value: T): Record<string, unknown>;
  /** @throws what the type's `decode` threw for this document. */
  check(value: T): void;
}

function lateReader<T>(type: DocumentType<T>): Reader<T> {
  const read = new WeakMap<object, { data: Record<string, unknown>; fault?: { error: unknown } }>();
  const readingOf = (value: T) => read.get(value as object) ?? { data: {} };
  const decode = (data: Record<string, unknown>, path: string): T => {
    const stored = rawDocumentType.decode(data, path);
    try {
      // Stores look at the fields of what is decoded, so it has to be the value itself.
      const value = type.decode(data, path);
      read.set(value as object, { data: stored });
      return value;
    } catch (error) {
      read.set(stored, { data: stored, fault: { error } });
      return stored as T;
    }
  };
  return {
    type: { ...type, decode },
    dataOf: (value) => readingOf(value).data,
    check(value) {
      const { fault } = readingOf(value);
      if (fault !== undefined) throw fault.error;
    },
  };
}
