// The store port: the few verbs the runtime needs of a document database, and no policy.
// Adapters: firestoreStore.ts (production), memoryStore.ts (simulation). One conformance suite runs on both.

import type { DocumentType } from '../schema/documentType.ts';

/** When a document last changed, as the store tells it. Opaque: it is only handed back as a precondition. */
export type Version = string & { readonly __version: never };

/** A document as it was read or written, with the version a fenced write compares against. */
export interface Stored<T> {
  path: string;
  /** Last segment of the path. */
  id: string;
  value: T;
  version: Version;
  /** When it last changed, by the store's clock. */
  updatedAt: Date;
}

/** A batch entry. `create` fails if the document exists; `replace` fails unless the stored version is `ifVersion`. */
export type Write =
  | { op: 'create'; path: string; type: DocumentType<never>; value: unknown }
  | { op: 'replace'; path: string; type: DocumentType<never>; value: unknown; ifVersion: Version };

/** A collection to read: all documents, or those whose id starts with `idPrefix`, in id order. */
export interface CollectionQuery {
  collection: string;
  idPrefix?: string;
}

/** Documents of a collection by one of their fields, in id order, page by page. */
export interface FieldQuery {
  collection: string;
  /** A field at the top of the document; it needs a single-field index. */
  field: string;
  /** The values it may have, 1 to 30. */
  oneOf: string[];
  /** Only ids after this one: the last of the page before. */
  afterId?: string;
  limit: number;
}

/** How a failed batch failed. Nothing of the batch was written. */
export type CommitFailure = 'exists' | 'changed' | 'missing';

export type CommitResult =
  /** One version per write, in order. */
  { ok: true; versions: Version[] } | { ok: false; reason: CommitFailure };

export interface Store {
  /** The document at `path`, or undefined. Throws what `type.decode` throws. */
  get<T>(path: string, type: DocumentType<T>): Promise<Stored<T> | undefined>;

  /** The documents of a collection in id order. Throws what `type.decode` throws. */
  list<T>(query: CollectionQuery, type: DocumentType<T>): Promise<Stored<T>[]>;

  /** The ids of documents. Nothing is decoded, so that one that cannot be read does not hide the others. */
  listIds(query: FieldQuery): Promise<string[]>;

  /**
   * Writes everything or nothing, in one round trip. A precondition that fails is a result, not an error.
   * @throws TerminalError from `type.encode`; RetryableError `STORE_UNAVAILABLE` when the outcome is unknown.
   */
  commit(writes: Write[]): Promise<CommitResult>;

  /**
   * Calls `onDocuments` with the new and changed documents of a collection in id order: first all that exist,
   * then whenever something changes. The returned function ends it; nothing is called after it returned.
   * `onError` is called at most once, and ends it too.
   */
  watch<T>(
    query: CollectionQuery,
    type: DocumentType<T>,
    onDocuments: (documents: Stored<T>[]) => void,
    onError: (error: unknown) => void,
  ): () => void;

  /** Releases connections. Nothing may be called afterwards. */
  close(): Promise<void>;
}

/** What a migration needs of a database beside the store. A collection is all collections of that id. */
export interface OutdatedDocuments {
  /** How many documents of a collection are older than `version`. */
  count(collection: string, version: number): Promise<number>;
  /** Their paths, in pages that are never empty; each document once, whether it is migrated meanwhile or not. */
  pages(collection: string, version: number): AsyncIterable<string[]>;
  /** Releases connections. */
  close(): Promise<void>;
}

/** A batch entry that creates a document. */
export function create<T>(path: string, type: DocumentType<T>, value: T): Write {
  return { op: 'create', path, type: type as unknown as DocumentType<never>, value };
}

/** A batch entry that replaces a document, provided nobody changed it since `ifVersion`. */
export function replace<T>(path: string, type: DocumentType<T>, value: T, ifVersion: Version): Write {
  return { op: 'replace', path, type: type as unknown as DocumentType<never>, value, ifVersion };
}
