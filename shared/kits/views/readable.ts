// Reads and watches documents for people. Unreadable ones are reported and hide no others.

import type { CollectionQuery, ListQuery, Store, Stored } from '../../core/contract/store.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import {
  type ReadDocument,
  readableType,
  splitReadable,
  type Unreadable,
} from '../../core/schema/readable.ts';

/** Reads one document. @throws RetryableError when the store fails. */
export async function getReadable<T>(
  path: string,
  type: DocumentType<T>,
  store: Pick<Store, 'get'>,
): Promise<ReadDocument<T>> {
  return (await store.get(path, readableType(type)))?.value ?? {};
}

/**
 * Reads a collection: the readable documents in their order, and the others. @throws RetryableError when the
 * store fails.
 */
export async function listReadable<T>(
  query: ListQuery,
  type: DocumentType<T>,
  store: Pick<Store, 'list'>,
): Promise<{ values: T[]; unreadable: Unreadable[] }> {
  const stored = await store.list(query, readableType(type));
  return splitReadable(stored.map(({ value }) => value));
}

interface Watcher<T> {
  /** Called with the new and changed documents that can be read, in id order. */
  onDocuments(documents: Stored<T>[]): void;
  /** Called for each change of a document that cannot be read. */
  onUnreadable(document: Unreadable): void;
  /** Called at most once; the watch has ended then. */
  onError(error: unknown): void;
  /** Called with the ids of documents that were there before. */
  onDeleted?(ids: string[]): void;
}

/** As `Store.watch`; a document that cannot be read does not end it. */
export function watchReadable<T>(
  query: CollectionQuery,
  type: DocumentType<T>,
  { onDocuments, onUnreadable, onError, onDeleted }: Watcher<T>,
  store: Pick<Store, 'watch'>,
): () => void {
  return store.watch(
    query,
    readableType(type),
    (documents) => {
      for (const { value } of documents) if (value.unreadable !== undefined) onUnreadable(value.unreadable);
      onDocuments(readableOnly(documents));
    },
    onError,
    onDeleted,
  );
}

/** The documents that can be read. */
export function readableOnly<T>(documents: readonly Stored<ReadDocument<T>>[]): Stored<T>[] {
  return documents.flatMap(({ value: { value }, ...rest }) =>
    value === undefined ? [] : [{ ...rest, value }],
  );
}
