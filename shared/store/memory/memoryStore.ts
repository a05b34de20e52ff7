// The store port in memory, for simulation. It stores and refuses the same documents as Firestore; one
// conformance suite tests both.

import type {
  CollectionQuery,
  ListQuery,
  MatchQuery,
  NearestQuery,
  SelectionQuery,
  Store,
  Stored,
} from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { valueAt } from '../fieldPath.ts';
import { checkPath } from '../storable.ts';
import { createDocumentTable, type DocumentTable, type Entry } from './documentTable.ts';
import {
  byId,
  byTime,
  compareIds,
  cosineDistance,
  cutLastId,
  type Dated,
  hasTexts,
  isMatch,
  isSelected,
} from './selection.ts';
import { commitWrites, incrementFields } from './writes.ts';

/** The store in memory, with operations that simulate other programs. */
export interface MemoryStore extends Store {
  /** Every document as it is stored; not to be changed. */
  documents(): { path: string; data: Record<string, unknown> }[];
  /** Replaces a document without precondition, as another program; deletes it for undefined. */
  rewrite(path: string, change: (data: Record<string, unknown>) => Record<string, unknown> | undefined): void;
}

/**
 * An empty store that lives as long as the object. Every call is asynchronous, as with Firestore.
 * @param now the clock that stamps documents.
 */
export function createMemoryStore(now: () => Date = () => new Date()): MemoryStore {
  const table = createDocumentTable(now);

  return {
    ...memoryReads(table),

    commit: async (writes) => commitWrites(table, writes),

    async increment<T extends object>(
      path: string,
      type: DocumentType<T>,
      value: T,
      field: keyof T & string,
    ) {
      const [count = 0] = incrementFields(table, path, type, value, [field]);
      return count;
    },

    incrementAll: async (path, type, value, fields) => incrementFields(table, path, type, value, fields),

    watch(query, type, onDocuments, onError, onDeleted = () => {}) {
      checkPath(query.collection, 'collection');
      const decode = ([path, entry]: [string, Entry]) => toStored(path, entry, type);
      return watchTable(table, query, {
        onDocuments: (found) => onDocuments(found.map(decode)),
        onError,
        onDeleted,
      });
    },

    documents: () => table.all().map(([path, { data }]) => ({ path, data })),

    rewrite(path, change) {
      const entry = table.get(path);
      if (entry !== undefined) table.overwrite(path, change(entry.data));
    },

    async close() {
      table.close();
    },
  };
}

type Reads = Pick<Store, 'get' | 'list' | 'count' | 'listIds' | 'find' | 'findNearest' | 'findByTime'>;

function memoryReads(table: DocumentTable): Reads {
  const selected = (query: Parameters<typeof isSelected>[1]) =>
    table
      .all(query.collection)
      .filter(([path]) => isSelected(path, query))
      .sort(byId);
  const selectedByTexts = (query: SelectionQuery) => {
    const { collection, by } = query;
    const found = selected(by === undefined ? query : { collection });
    const kept = found.filter(([, { data }]) => hasTexts(data, query));
    if (by === undefined) return kept;
    return kept.sort(([, a], [, b]) => compareIds(String(a.data[by]), String(b.data[by])));
  };

  return {
    async get<T>(path: string, type: DocumentType<T>) {
      checkPath(path, 'document');
      const entry = table.get(path);
      return entry && toStored(path, entry, type);
    },

    async list<T>(query: ListQuery, type: DocumentType<T>) {
      checkPath(query.collection, 'collection');
      return selectedByTexts(query)
        .slice(0, query.limit)
        .map(([path, entry]) => toStored(path, entry, type));
    },

    async count(query) {
      checkPath(query.collection, 'collection');
      return selectedByTexts(query).length;
    },

    async listIds({ collection, field, oneOf, afterId = '', limit }) {
      checkPath(collection, 'collection');
      return selected({ collection })
        .filter(([, { data }]) => typeof data[field] === 'string' && oneOf.includes(data[field]))
        .map(([path]) => cutLastId(path))
        .filter((id) => afterId === '' || compareIds(id, afterId) > 0)
        .slice(0, limit);
    },

    async find<T>(query: MatchQuery, type: DocumentType<T>) {
      const { collection, afterId = '', limit } = query;
      checkPath(collection, 'collection');
      return selected({ collection })
        .filter(([path, { data }]) => compareIds(cutLastId(path), afterId) > 0 && isMatch(data, query))
        .slice(0, limit)
        .map(([path, entry]) => toStored(path, entry, type));
    },

    async findNearest<T>(query: NearestQuery, type: DocumentType<T>) {
      const { collection, field, vector, maxDistance, limit } = query;
      checkPath(collection, 'collection');
      return selected({ collection })
        .filter(([, { data }]) => isMatch(data, query))
        .map(([path, entry]) => ({ path, entry, distance: cosineDistance(entry.data[field], vector) }))
        .filter(({ distance }) => distance <= maxDistance)
        .sort((a, b) => a.distance - b.distance)
        .slice(0, limit)
        .map(({ path, entry, distance }) => ({ document: toStored(path, entry, type), distance }));
    },

    async *findByTime({ collectionId, field, from, to, limit }) {
      const isWithin = (time: unknown): time is Date =>
        time instanceof Date && (from === undefined || time >= from) && (to === undefined || time <= to);
      let last: Dated | undefined;
      do {
        const found = table
          .all()
          .filter(([path]) => path.split('/').at(-2) === collectionId)
          .flatMap(([path, { data }]): Dated[] => {
            const at = valueAt(data, field);
            return isWithin(at) ? [{ path, at }] : [];
          })
          .sort(byTime)
          .filter((one) => last === undefined || byTime(one, last) > 0)
          .slice(0, limit);
        if (found.length > 0) yield found.map(({ path }) => path);
        last = found.length < limit ? undefined : found.at(-1);
      } while (last !== undefined);
    },
  };
}

function toStored<T>(path: string, entry: Entry, type: DocumentType<T>): Stored<T> {
  return {
    path,
    id: cutLastId(path),
    value: type.decode(entry.data, path),
    version: entry.version,
    updatedAt: new Date(entry.updatedAt),
  };
}

/** The callbacks of a watch; a throwing callback ends it. */
interface Callbacks {
  /** Gets the new and changed documents, in id order; never an empty list. */
  onDocuments: (found: [path: string, entry: Entry][]) => void;
  /** Gets the error that another callback threw. */
  onError: (error: unknown) => void;
  /** Gets the ids of documents that were delivered before; never an empty list. */
  onDeleted: (ids: string[]) => void;
}

/** Watches the documents of a query, as `Store.watch`. @returns the function that ends the watch. */
function watchTable(
  table: DocumentTable,
  query: CollectionQuery,
  { onDocuments, onError, onDeleted }: Callbacks,
): () => void {
  let isActive = true;
  let changed = new Set<string>();
  const delivered = new Set<string>();
  const deliver = () => {
    if (!isActive || changed.size === 0) return;
    const found = table
      .all()
      .filter(([path]) => changed.has(path))
      .sort(byId);
    const deleted = [...changed].filter((path) => table.get(path) === undefined && delivered.has(path));
    changed = new Set();
    for (const path of deleted) delivered.delete(path);
    for (const [path] of found) delivered.add(path);
    try {
      if (found.length > 0) onDocuments(found);
      if (deleted.length > 0 && isActive) onDeleted(deleted.map(cutLastId));
    } catch (error) {
      stop();
      onError(error);
    }
  };
  const note = (path: string) => {
    if (!isSelected(path, query)) return;
    if (changed.size === 0) queueMicrotask(deliver);
    changed.add(path);
  };
  const unlisten = table.listen(note);
  const stop = () => {
    isActive = false;
    unlisten();
  };
  for (const [path] of table.all()) note(path);
  return stop;
}
