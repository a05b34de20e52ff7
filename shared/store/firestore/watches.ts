// Watches of collections. Those of one query share a listener, so that Firestore sends each document once to
// an instance. All end together when the store is closed.

import type { QueryDocumentSnapshot, QuerySnapshot } from '@google-cloud/firestore';
import type { CollectionQuery, Stored } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { checkPath } from '../storable.ts';
import type { Connection } from './connection.ts';
import { composeStored, convertDocument } from './converter.ts';
import { translateError } from './firestoreCall.ts';
import { collectionQuery } from './queries.ts';

/** The callbacks of a watch, as in `Store.watch`. */
interface Callbacks<T> {
  /** Gets the new and changed documents, in id order; never an empty list. */
  onDocuments: (documents: Stored<T>[]) => void;
  /** Called at most once; the watch has ended then. */
  onError: (error: unknown) => void;
  /** Gets the ids of documents that were there before; never an empty list. */
  onDeleted: (ids: string[]) => void;
}

interface Watches {
  /** Starts one, as `Store.watch`. @returns the function that ends it. */
  start<T>(query: CollectionQuery, type: DocumentType<T>, callbacks: Callbacks<T>): () => void;
  /** Ends all of them. */
  stopAll(): void;
}

/** A watch of a listener. */
interface Reader {
  deliver(changed: readonly QueryDocumentSnapshot[], deletedIds: string[]): void;
  fail(error: unknown): void;
  stop(): void;
}

/** A query that Firestore streams. It ends with the last of its readers. */
interface Listener {
  readers: Set<Reader>;
  /** All documents; undefined before the first snapshot. */
  latest?: QuerySnapshot;
  unsubscribe(): void;
}

/** No watches yet, on a connection. */
export function createWatches(connection: Connection): Watches {
  const listeners = new Map<string, Listener>();

  const listen = (key: string, query: CollectionQuery): Listener => {
    const listener: Listener = { readers: new Set(), unsubscribe() {} };
    listeners.set(key, listener);
    const fail = (error: unknown) => {
      for (const reader of [...listener.readers]) reader.fail(error);
    };
    const deliver = (snapshot: QuerySnapshot) => {
      listener.latest = snapshot;
      const { changed, deletedIds } = listWatchChanges(snapshot);
      for (const reader of [...listener.readers]) reader.deliver(changed, deletedIds);
    };
    connection.client().then((client) => {
      if (listeners.get(key) === listener)
        listener.unsubscribe = collectionQuery(client, query).onSnapshot(deliver, fail);
    }, fail);
    return listener;
  };

  return {
    start<T>(
      query: CollectionQuery,
      type: DocumentType<T>,
      { onDocuments, onError, onDeleted }: Callbacks<T>,
    ) {
      checkPath(query.collection, 'collection');
      const key = JSON.stringify(query);
      const listener = listeners.get(key) ?? listen(key, query);
      const { readers, latest } = listener;
      const reader: Reader = {
        deliver(changed, deletedIds) {
          if (!readers.has(reader)) return;
          try {
            const documents = changed.map((document) =>
              composeStored(document, convertDocument(document, type)),
            );
            if (documents.length > 0) onDocuments(documents);
            if (deletedIds.length > 0 && readers.has(reader)) onDeleted(deletedIds);
          } catch (error) {
            reader.fail(error);
          }
        },
        fail(error) {
          if (!readers.has(reader)) return;
          reader.stop();
          onError(translateError(error, `watching ${query.collection}`));
        },
        stop() {
          if (!readers.delete(reader) || readers.size > 0) return;
          listeners.delete(key);
          // Its stream may be opening still; the SDK rejects a promise of its own if it is terminated then.
          if (listener.latest === undefined) connection.keepOpen();
          listener.unsubscribe();
        },
      };
      readers.add(reader);
      // One that joins later begins with what the others have. No snapshot comes before a microtask.
      if (latest !== undefined) queueMicrotask(() => reader.deliver(latest.docs, []));
      return reader.stop;
    },

    stopAll() {
      for (const { readers } of listeners.values()) for (const { stop } of readers) stop();
    },
  };
}

/** The new and changed documents in the order of the query, and the ids of those that are gone. */
function listWatchChanges(snapshot: QuerySnapshot) {
  const all = snapshot.docChanges();
  const changes = all.filter(({ type }) => type !== 'removed').sort((a, b) => a.newIndex - b.newIndex);
  const deleted = all.filter(({ type }) => type === 'removed');
  return { changed: changes.map(({ doc }) => doc), deletedIds: deleted.map(({ doc }) => doc.id) };
}
