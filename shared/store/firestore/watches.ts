// Watches of collections, which end together when the store is closed.

import type { QuerySnapshot } from '@google-cloud/firestore';
import type { CollectionQuery, Stored } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { checkPath } from '../storable.ts';
import type { Connection } from './connection.ts';
import { type Converted, documentConverter, toStored } from './converter.ts';
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

/** No watches yet, on a connection. */
export function createWatches(connection: Connection): Watches {
  const active = new Set<() => void>();

  return {
    start<T>(
      query: CollectionQuery,
      type: DocumentType<T>,
      { onDocuments, onError, onDeleted }: Callbacks<T>,
    ) {
      checkPath(query.collection, 'collection');
      let unsubscribe = () => {};
      const stop = () => {
        active.delete(stop);
        unsubscribe();
      };
      const fail = (error: unknown) => {
        if (!active.has(stop)) return;
        stop();
        onError(translateError(error, `watching ${query.collection}`));
      };
      const deliver = (snapshot: QuerySnapshot<Converted<T>>) => {
        if (!active.has(stop)) return;
        const { changed, deletedIds } = listWatchChanges(snapshot);
        try {
          if (changed.length > 0) onDocuments(changed.map(toStored));
          if (deletedIds.length > 0 && active.has(stop)) onDeleted(deletedIds);
        } catch (error) {
          fail(error);
        }
      };
      active.add(stop);
      connection.client().then((client) => {
        if (!active.has(stop)) return;
        unsubscribe = collectionQuery(client, query)
          .withConverter(documentConverter(client.sdk, type))
          .onSnapshot(deliver, fail);
      }, fail);
      return stop;
    },

    stopAll() {
      for (const stop of active) stop();
    },
  };
}

/** The new and changed documents in the order of the query, and the ids of those that are gone. */
function listWatchChanges<T>(snapshot: QuerySnapshot<T>) {
  const all = snapshot.docChanges();
  const changes = all.filter(({ type }) => type !== 'removed').sort((a, b) => a.newIndex - b.newIndex);
  const deleted = all.filter(({ type }) => type === 'removed');
  return { changed: changes.map(({ doc }) => doc), deletedIds: deleted.map(({ doc }) => doc.id) };
}
