// The documents of the store in memory, with their versions, and the listeners that learn of changes.

import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../../core/contract/store.ts';

/** A stored document. */
export interface Entry {
  /** The encoded document, with its `schemaVersion`. */
  data: Record<string, unknown>;
  /** Changes with every write that changes `data`. */
  version: Version;
  /** The time of its last change. */
  updatedAt: Date;
}

/** Documents by path. */
export interface DocumentTable {
  /** The document at a path; undefined if there is none. */
  get(path: string): Entry | undefined;
  /** All documents, or those of a collection, in the order in which they were created. */
  all(collection?: string): [path: string, entry: Entry][];
  /** A version that no document has yet. */
  nextVersion(): Version;
  /** Stores a document. @returns its version: the old one when nothing changed. */
  put(path: string, data: Record<string, unknown>, version: Version): Version;
  /** Deletes a document, if it exists. @returns `version`. */
  delete(path: string, version: Version): Version;
  /** Replaces a document without informing listeners; deletes it when `data` is undefined. */
  overwrite(path: string, data: Record<string, unknown> | undefined): void;
  /** Calls `listener` with the path of each change. @returns the function that ends it. */
  listen(listener: (path: string) => void): () => void;
  /** Removes all listeners. */
  close(): void;
}

const cutParent = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** An empty table. @param now the clock that stamps documents. */
export function createDocumentTable(now: () => Date): DocumentTable {
  const documents = new Map<string, Entry>();
  const collections = new Map<string, Map<string, Entry>>();
  const listeners = new Map<object, (path: string) => void>();
  let versions = 0;
  const nextVersion = () => String(++versions) as Version;
  const notify = (path: string) => {
    for (const listener of listeners.values()) listener(path);
  };

  const set = (path: string, entry: Entry) => {
    const collection = cutParent(path);
    const siblings = collections.get(collection) ?? new Map<string, Entry>();
    collections.set(collection, siblings.set(path, entry));
    documents.set(path, entry);
  };
  const remove = (path: string): boolean => {
    collections.get(cutParent(path))?.delete(path);
    return documents.delete(path);
  };

  return {
    get: (path) => documents.get(path),
    all: (collection) => [...(collection === undefined ? documents : (collections.get(collection) ?? []))],
    nextVersion,

    put(path, data, version) {
      const before = documents.get(path);
      // As in Firestore, a write that changes nothing keeps the version and triggers no watch.
      if (before !== undefined && isDeepStrictEqual(before.data, data)) return before.version;
      set(path, { data, version, updatedAt: now() });
      notify(path);
      return version;
    },

    delete(path, version) {
      if (remove(path)) notify(path);
      return version;
    },

    overwrite(path, data) {
      if (data === undefined) remove(path);
      else set(path, { data, version: nextVersion(), updatedAt: now() });
    },

    listen(listener) {
      const key = {};
      listeners.set(key, listener);
      return () => void listeners.delete(key);
    },

    close: () => listeners.clear(),
  };
}
