// The store port: the few operations that the runtime needs of a document database.
// Adapters: firestoreStore.ts (production), memoryStore.ts (simulation). One conformance suite tests both.

import type { DocumentType } from '../schema/documentType.ts';

/** The version of a stored document. Opaque: it is only passed back as a precondition. */
export type Version = string & { readonly __version: never };

/** A stored document with the version that a fenced write compares against. */
export interface Stored<T> {
  /** Path below the database's root, `sessions/ID`. */
  path: string;
  /** Last segment of the path. */
  id: string;
  /** The decoded document, in the current version of its type. */
  value: T;
  /** Differs after every change of the document. */
  version: Version;
  /** The time of its last change, by the store's clock. */
  updatedAt: Date;
}

/**
 * A batch entry. `create` fails if the document exists. `replace` fails unless the stored version is
 * `ifVersion`. `put` never fails: it creates or replaces the document. `add` never fails either: it adds the
 * integers of `value` that `fields` names to those of the document, and sets its other fields; integers of a
 * missing document start at 0. Combine it with a `create`, which keeps a repeated batch from adding twice.
 * `delete` never fails, even if the document does not exist.
 */
export type Write =
  | { op: 'put'; path: string; type: DocumentType<never>; value: unknown }
  | { op: 'create'; path: string; type: DocumentType<never>; value: unknown }
  | { op: 'replace'; path: string; type: DocumentType<never>; value: unknown; ifVersion: Version }
  | { op: 'add'; path: string; type: DocumentType<never>; value: unknown; fields: readonly string[] }
  | { op: 'delete'; path: string; type: DocumentType<never>; value: null };

/** A collection to read, in id order: all documents, those with `idPrefix`, or those of `idRange`. */
export interface CollectionQuery {
  /** Path of one collection, `sessions/ID/timeline`. */
  collection: string;
  /** Only documents whose id starts with it. Absent: all. */
  idPrefix?: string;
  /** The first and the last id, both included. Bounds the read where ids are numbered. */
  idRange?: { from: string; to: string };
}

/** Documents of a collection by the texts of their fields. Each combination of fields needs an index. */
export interface SelectionQuery extends CollectionQuery {
  /** The required texts of fields at the top of the document. */
  equal?: Record<string, string>;
  /** A text field at the top of the document whose range and order the query has instead of the id's. */
  by?: string;
}

/** A collection to list. */
export interface ListQuery extends SelectionQuery {
  /** The most documents, from the first on. Absent: all. */
  limit?: number;
}

/** Documents of a collection by one of their fields, in id order, page by page. */
export interface FieldQuery {
  /** Path of one collection. */
  collection: string;
  /** A field at the top of the document; it needs a single-field index. */
  field: string;
  /** The allowed values, 1 to 30. */
  oneOf: string[];
  /** Only ids after this one: the last id of the previous page. */
  afterId?: string;
  /** The most documents of a page. */
  limit: number;
}

/** Documents of a collection by the contents of their fields. Each combination of fields needs an index. */
export interface MatchQuery {
  /** Path of one collection. */
  collection: string;
  /**
   * The required values of fields at the top of the document, or below one (`session.identity`); null is a
   * value, too.
   */
  equal: Record<string, string | null>;
  /** A field that is a list, and 1 to 30 texts of which it must hold at least one. */
  anyOf?: { field: string; values: string[] };
  /** Only ids after this one: the last id of the previous page. */
  afterId?: string;
  /** The most documents that are returned. */
  limit: number;
}

/** Documents of a collection by the distance of their vector to another vector. */
export interface NearestQuery extends Omit<MatchQuery, 'anyOf' | 'afterId'> {
  /** One of the `vectors` of the document type. */
  field: string;
  /** At most 2048 numbers. */
  vector: number[];
  /** The largest cosine distance, from 0 (the same direction) to 2. */
  maxDistance: number;
}

/** A document, and the cosine distance of its vector. */
export interface NearDocument<T> {
  /** The document with its version, as other reads return it. */
  document: Stored<T>;
  /** Cosine distance, from 0 (the same direction) to 2. */
  distance: number;
}

/** Documents by the time in one of their fields, in all collections of an id. */
export interface TimeQuery {
  /** The id of the collections, at any depth. */
  collectionId: string;
  /** A field at the top of the document; it needs an index of the collection group. */
  field: string;
  /** The earliest time, included. Absent: no lower limit; then `to` is set. */
  from?: Date;
  /** The latest time, included. Absent: no upper limit; then `from` is set. */
  to?: Date;
  /** Documents of a page, at most. */
  limit: number;
}

/** The precondition that failed. Nothing of the batch was written. */
export type CommitFailure = 'exists' | 'changed' | 'missing';

/** The result of a commit. */
export type CommitResult =
  /** One version per write, in order; the version of a deleted document has no meaning. */
  { ok: true; versions: Version[] } | { ok: false; reason: CommitFailure };

/** A document database. All operations throw RetryableError `STORE_UNAVAILABLE` without answer in time. */
export interface Store {
  /**
   * The document at `path`, or undefined when there is none.
   * @throws the errors of `type.decode`.
   */
  get<T>(path: string, type: DocumentType<T>): Promise<Stored<T> | undefined>;

  /**
   * The documents of a collection in id order, or in that of a field.
   * @throws the errors of `type.decode`.
   */
  list<T>(query: ListQuery, type: DocumentType<T>): Promise<Stored<T>[]>;

  /** The number of documents. None is read or decoded. */
  count(query: SelectionQuery): Promise<number>;

  /** The ids of documents. Nothing is decoded, so that a broken document does not hide the others. */
  listIds(query: FieldQuery): Promise<string[]>;

  /**
   * The documents that match, in id order.
   * @throws the errors of `type.decode`; RetryableError `STORE_UNAVAILABLE`, also when the index is missing.
   */
  find<T>(query: MatchQuery, type: DocumentType<T>): Promise<Stored<T>[]>;

  /**
   * The documents whose vectors have the smallest cosine distance, the nearest first. A document without a
   * vector of as many dimensions is never found.
   * @throws as `find`.
   */
  findNearest<T>(query: NearestQuery, type: DocumentType<T>): Promise<NearDocument<T>[]>;

  /**
   * The paths of documents, the earliest first, in pages that are never empty. Nothing is decoded. A document
   * without the field, or with another value than a time in it, is never found.
   * @throws RetryableError `STORE_UNAVAILABLE`, also when the index is missing; the message then names the
   * index.
   */
  findByTime(query: TimeQuery): AsyncIterable<string[]>;

  /**
   * Writes all documents or none, in one round trip. A failed precondition is a result, not an error.
   * @throws TerminalError from `type.encode`; RetryableError `STORE_UNAVAILABLE` when the outcome is unknown.
   */
  commit(writes: Write[]): Promise<CommitResult>;

  /**
   * Adds `value[field]`, an integer, to that field of a document, and sets its other fields to those of
   * `value`. Of a list field, adds only the elements that the document lacks. Fields of a missing document
   * start empty. One round trip without a precondition, so that no concurrent caller loses, and each result
   * is returned once.
   * @returns the new value of the field.
   * @throws TerminalError from `type.encode`; RetryableError `STORE_CONFLICT` when it was not counted,
   *   `STORE_UNAVAILABLE` when that is unknown.
   */
  increment<T extends object>(
    path: string,
    type: DocumentType<T>,
    value: T,
    field: keyof T & string,
  ): Promise<number>;

  /**
   * As `increment`, for several integers of one document in one write. A field is one at the top of the
   * document, or an entry of one that maps names to integers: `reserved.w7`. Of such a map only the named
   * entries are changed.
   * @returns the new values, in the order of `fields`.
   * @throws as `increment`.
   */
  incrementAll<T extends object>(
    path: string,
    type: DocumentType<T>,
    value: T,
    fields: readonly string[],
  ): Promise<number[]>;

  /**
   * Calls `onDocuments` with the new and changed documents of a collection in id order: first all that exist,
   * then after each change. The returned function ends the watch; no callback is called after it has
   * returned. `onError` is called at most once, and also ends the watch. `onDeleted` is called with the ids
   * of documents that were there before.
   */
  watch<T>(
    query: CollectionQuery,
    type: DocumentType<T>,
    onDocuments: (documents: Stored<T>[]) => void,
    onError: (error: unknown) => void,
    onDeleted?: (ids: string[]) => void,
  ): () => void;

  /** Releases connections. The store must not be used afterwards. */
  close(): Promise<void>;
}

/** Further operations of the store for migrations. A collection means all collections of that id. */
export interface OutdatedDocuments {
  /** How many documents of a collection are older than `version`. */
  count(collection: string, version: number): Promise<number>;
  /** Their paths, in pages that are never empty; each document once, even if it is migrated meanwhile. */
  pages(collection: string, version: number): AsyncIterable<string[]>;
  /** Releases connections. */
  close(): Promise<void>;
}

/** Finds documents that other versions cannot read. A collection means all collections of that id. */
export interface NewerDocuments {
  /** How many documents of a collection are newer than `version`. */
  countNewer(collection: string, version: number): Promise<number>;
  /** Releases connections. */
  close(): Promise<void>;
}

/** A batch entry that creates a document. */
export function createDocument<T>(path: string, type: DocumentType<T>, value: T): Write {
  return { op: 'create', path, type: type as unknown as DocumentType<never>, value };
}

/** A batch entry that creates a document, or replaces the one that is there. */
export function putDocument<T>(path: string, type: DocumentType<T>, value: T): Write {
  return { op: 'put', path, type: type as unknown as DocumentType<never>, value };
}

/** A batch entry that replaces a document unless it has changed since `ifVersion`. */
export function replaceDocument<T>(path: string, type: DocumentType<T>, value: T, ifVersion: Version): Write {
  return { op: 'replace', path, type: type as unknown as DocumentType<never>, value, ifVersion };
}

/**
 * A batch entry that stores a document which was read before: it fails if another writer has changed, created
 * or deleted it.
 * @param ifVersion the version that was read; undefined or null if there was no document.
 */
export function saveDocument<T>(
  path: string,
  type: DocumentType<T>,
  value: T,
  ifVersion: Version | null | undefined,
): Write {
  return ifVersion == null
    ? createDocument(path, type, value)
    : replaceDocument(path, type, value, ifVersion);
}

/** A batch entry that adds to the current integers of a document. */
export function addToDocument<T extends object>(
  path: string,
  type: DocumentType<T>,
  value: T,
  fields: readonly (keyof T & string)[],
): Write {
  return { op: 'add', path, type: type as unknown as DocumentType<never>, value, fields };
}

/** A batch entry that deletes a document, if there is one. */
export function deleteDocument<T>(path: string, type: DocumentType<T>): Write {
  return { op: 'delete', path, type: type as unknown as DocumentType<never>, value: null };
}
