// The store port in memory, for simulation. It stores and refuses the same documents as Firestore; one conformance suite
// tests both.

import { isDeepStrictEqual } from 'node:util';
import type {
  CollectionQuery,
  CommitFailure,
  ListQuery,
  MatchQuery,
  NearestQuery,
  Store,
  Stored,
  Version,
  Write,
} from '../../contract/store.ts';
import type { DocumentType } from '../../schema/documentType.ts';
import { asObject } from '../../text/json.ts';
import { checkPath, storable } from '../storable.ts';

interface Entry {
  data: Record<string, unknown>;
  version: Version;
  updatedAt: Date;
}

/** The store in memory, with what other programs do to a database. */
export interface MemoryStore extends Store {
  /** Every document as it is stored; not to be changed. */
  documents(): { path: string; data: Record<string, unknown> }[];
  /** Replaces a document without a precondition, as another program would; deletes it when `change` returns undefined. */
  rewrite(path: string, change: (data: Record<string, unknown>) => Record<string, unknown> | undefined): void;
}

/**
 * An empty store that lives as long as the object. Every call is asynchronous, as with Firestore.
 * @param now the clock that stamps documents.
 */
export function createMemoryStore(now: () => Date = () => new Date()): MemoryStore {
  const documents = new Map<string, Entry>();
  const listeners = new Map<() => void, (path: string) => void>();
  let clock = 0;

  const toStored = <T>(path: string, entry: Entry, type: DocumentType<T>): Stored<T> => ({
    path,
    id: idOf(path),
    value: type.decode(entry.data, path),
    version: entry.version,
    updatedAt: new Date(entry.updatedAt),
  });

  const failureOf = (write: Write): CommitFailure | undefined => {
    const entry = documents.get(write.path);
    if (write.op === 'create') return entry === undefined ? undefined : 'exists';
    if (write.op !== 'replace') return undefined;
    if (entry === undefined) return 'missing';
    return entry.version === write.ifVersion ? undefined : 'changed';
  };

  const putDocument = (path: string, data: Record<string, unknown>, version: Version): Version => {
    const before = documents.get(path);
    // As in Firestore, a write that changes nothing keeps the version and triggers no watch.
    if (before !== undefined && isDeepStrictEqual(before.data, data)) return before.version;
    documents.set(path, { data, version, updatedAt: now() });
    for (const notify of listeners.values()) notify(path);
    return version;
  };

  const deleteDocument = (path: string, version: Version): Version => {
    if (documents.delete(path)) for (const notify of listeners.values()) notify(path);
    return version;
  };

  const withSums = (path: string, data: Record<string, unknown>, added: readonly string[]) => {
    const before = documents.get(path)?.data ?? {};
    const sums = added.map((field) => [field, sumOf(before[field], data[field])]);
    return { ...before, ...data, ...Object.fromEntries(sums) };
  };

  const addAll = async <T extends object>(
    path: string,
    type: DocumentType<T>,
    value: T,
    fields: readonly string[],
  ): Promise<number[]> => {
    checkPath(path, 'document');
    const before = documents.get(path)?.data ?? {};
    const data = storable(type.encode(value, path), path);
    const added = new Set(fields.map(topOf));
    const set = Object.entries(data).filter(([name]) => !added.has(name));
    const merged = {
      ...before,
      ...Object.fromEntries(set.map(([name, given]) => [name, withElements(before[name], given)])),
    };
    const counts = fields.map((field) => {
      const count = sumOf(valueAt(before, field), valueAt(data, field));
      const top = topOf(field);
      merged[top] =
        top === field ? count : { ...asObject(merged[top]), [field.slice(top.length + 1)]: count };
      return count;
    });
    putDocument(path, merged, String(++clock) as Version);
    return counts;
  };

  return {
    async get<T>(path: string, type: DocumentType<T>) {
      checkPath(path, 'document');
      const entry = documents.get(path);
      return entry && toStored(path, entry, type);
    },

    async list<T>(query: ListQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      const found = [...documents].filter(([path]) => matches(path, query)).sort(byId);
      return found.slice(0, query.limit).map(([path, entry]) => toStored(path, entry, type));
    },

    async listIds({ collection, field, oneOf, afterId = '', limit }) {
      checkPath(collection, 'collection');
      const isSelected = (value: unknown) => typeof value === 'string' && oneOf.includes(value);
      return [...documents]
        .filter(([path, { data }]) => matches(path, { collection }) && isSelected(data[field]))
        .sort(byId)
        .map(([path]) => idOf(path))
        .filter((id) => afterId === '' || compareIds(id, afterId) > 0)
        .slice(0, limit);
    },

    async find<T>({ collection, equal, anyOf, limit }: MatchQuery, type: DocumentType<T>) {
      checkPath(collection, 'collection');
      return [...documents]
        .filter(([path, { data }]) => matches(path, { collection }) && holds(data, equal, anyOf))
        .sort(byId)
        .slice(0, limit)
        .map(([path, entry]) => toStored(path, entry, type));
    },

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>) {
      const { collection, equal, field, vector, maxDistance, limit } = query;
      checkPath(collection, 'collection');
      return [...documents]
        .filter(([path, { data }]) => matches(path, { collection }) && holds(data, equal))
        .sort(byId)
        .flatMap(([path, entry]) => {
          const distance = cosineDistance(entry.data[field], vector);
          return distance <= maxDistance ? [{ path, entry, distance }] : [];
        })
        .sort((a, b) => a.distance - b.distance)
        .slice(0, limit)
        .map(({ path, entry, distance }) => ({ document: toStored(path, entry, type), distance }));
    },

    async *findByTime({ collectionId, field, from, to, limit }) {
      const isWithin = (time: unknown): time is Date =>
        time instanceof Date && (from === undefined || time >= from) && (to === undefined || time <= to);
      let last: Found | undefined;
      do {
        const found = [...documents]
          .filter(([path]) => path.split('/').at(-2) === collectionId)
          .flatMap(([path, { data }]): Found[] => (isWithin(data[field]) ? [{ path, at: data[field] }] : []))
          .sort(byTime)
          .filter((one) => last === undefined || byTime(one, last) > 0)
          .slice(0, limit);
        if (found.length > 0) yield found.map(({ path }) => path);
        last = found.length < limit ? undefined : found.at(-1);
      } while (last !== undefined);
    },

    async commit(writes) {
      const entries = writes.map((write) => {
        checkPath(write.path, 'document');
        const { op, path } = write;
        if (op === 'delete') return { path, data: undefined, added: undefined };
        const data = storable(write.type.encode(write.value as never, path), path);
        return { path, data, added: op === 'add' ? write.fields : undefined };
      });
      const reason = writes.map(failureOf).find((failure) => failure !== undefined);
      if (reason !== undefined) return { ok: false, reason };
      const version = String(++clock) as Version;
      const versions = entries.map(({ path, data, added }) => {
        if (data === undefined) return deleteDocument(path, version);
        return putDocument(path, added === undefined ? data : withSums(path, data, added), version);
      });
      return { ok: true, versions };
    },

    async increment<T extends object>(
      path: string,
      type: DocumentType<T>,
      value: T,
      field: keyof T & string,
    ) {
      const [count = 0] = await addAll(path, type, value, [field]);
      return count;
    },

    incrementAll: addAll,

    watch(query, type, onDocuments, onError, onDeleted = () => {}) {
      checkPath(query.collection, 'collection');
      let changed = new Set<string>();
      const told = new Set<string>();
      const stop = () => void listeners.delete(stop);
      const deliver = () => {
        if (!listeners.has(stop) || changed.size === 0) return;
        const found = [...documents].filter(([path]) => changed.has(path)).sort(byId);
        const deleted = [...changed].filter((path) => !documents.has(path) && told.has(path));
        changed = new Set();
        for (const path of deleted) told.delete(path);
        for (const [path] of found) told.add(path);
        try {
          if (found.length > 0) onDocuments(found.map(([path, entry]) => toStored(path, entry, type)));
          if (deleted.length > 0 && listeners.has(stop)) onDeleted(deleted.map(idOf));
        } catch (error) {
          stop();
          onError(error);
        }
      };
      const notify = (path: string) => {
        if (!matches(path, query)) return;
        if (changed.size === 0) queueMicrotask(deliver);
        changed.add(path);
      };
      listeners.set(stop, notify);
      for (const path of documents.keys()) notify(path);
      return stop;
    },

    documents: () => [...documents].map(([path, { data }]) => ({ path, data })),

    rewrite(path, change) {
      const entry = documents.get(path);
      if (entry === undefined) return;
      const data = change(entry.data);
      if (data === undefined) documents.delete(path);
      else documents.set(path, { data, version: String(++clock) as Version, updatedAt: now() });
    },

    async close() {
      listeners.clear();
    },
  };
}

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function matches(path: string, { collection, idPrefix = '', idRange }: CollectionQuery): boolean {
  const id = idOf(path);
  if (path !== `${collection}/${id}`) return false;
  if (idRange === undefined) return id.startsWith(idPrefix);
  return compareIds(idRange.from, id) <= 0 && compareIds(id, idRange.to) <= 0;
}

/** Whether the fields of a document are what a query asks for. */
function holds(
  data: Record<string, unknown>,
  equal: MatchQuery['equal'],
  anyOf?: MatchQuery['anyOf'],
): boolean {
  const isEqual = Object.entries(equal).every(([field, value]) => valueAt(data, field) === value);
  if (!isEqual || anyOf === undefined) return isEqual;
  const list = valueAt(data, anyOf.field);
  return Array.isArray(list) && anyOf.values.some((value) => list.includes(value));
}

function valueAt(data: unknown, field: string): unknown {
  return field.split('.').reduce((value: unknown, name) => asObject(value)[name], data);
}

/** The field at the top of a document that a field is, or is an entry of. */
const topOf = (field: string): string => field.split('.', 1)[0] ?? field;

/** NaN, which no limit takes, where there is no vector of as many dimensions, or none with a direction. */
function cosineDistance(stored: unknown, vector: readonly number[]): number {
  if (!Array.isArray(stored) || stored.length !== vector.length) return Number.NaN;
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, component, index) => sum + component * (b[index] ?? 0), 0);
  return 1 - dot(stored, vector) / Math.sqrt(dot(stored, stored) * dot(vector, vector));
}

/** What is no number counts as nothing. */
function sumOf(stored: unknown, given: unknown): number {
  return (typeof stored === 'number' ? stored : 0) + Number(given);
}

/** A field as an increment sets it: to a list the elements are added that it lacks. */
function withElements(stored: unknown, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  const all: unknown[] = Array.isArray(stored) ? [...stored] : [];
  for (const element of given) {
    if (!all.some((one) => isDeepStrictEqual(one, element))) all.push(element);
  }
  return all;
}

function byId([a]: [string, Entry], [b]: [string, Entry]): number {
  return compareIds(a, b);
}

/** A document that was found by a time. */
interface Found {
  path: string;
  at: Date;
}

/** Documents of the same time are in the order of their paths, segment by segment. */
function byTime(a: Found, b: Found): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  const differs = left.findIndex((segment, index) => segment !== right[index]);
  const byPath = differs === -1 ? 0 : compareIds(left[differs] ?? '', right[differs] ?? '');
  return a.at.getTime() - b.at.getTime() || byPath;
}

/** Firestore orders ids by their UTF-8 bytes. */
function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
