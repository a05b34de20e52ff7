// The port for people who inspect the database: documents as they are stored, without validation.

/** A stored value. A map's fields are in the order of their names. */
export type RawValue = null | boolean | number | bigint | string | RawScalar | RawValue[] | RawMap;

/** The fields of a document, or of a map in it. */
export interface RawMap extends Map<string, RawValue> {}

/** A value of a type that JSON lacks. */
export interface RawScalar {
  /** `timestamp`, `bytes`, `reference`, `geopoint`, `vector`; any other type by the SDK's name. */
  type: string;
  /** A timestamp in ISO 8601, UTC; bytes in base64; the path of a reference; else the value as JSON. */
  text: string;
}

/** A stored document. */
export interface RawDocument {
  /** Path below the database's root, `sessions/ID/executions/ID`. */
  path: string;
  /** Last segment of the path. */
  id: string;
  /** All fields, or those that the read selected. */
  fields: RawMap;
  /** ISO 8601, UTC, with up to nine digits of a second. */
  createdAt: string;
  /** As `createdAt`; equal to it until the first change. */
  updatedAt: string;
}

/** One change of a watch. Documents that exist when it starts are `added`. */
export type RawChange =
  | { type: 'added' | 'modified'; document: RawDocument }
  /** Also for a watched document that does not exist when the watch starts. */
  | { type: 'removed'; path: string };

/** A page of a collection. */
export interface RawPage {
  /** Path of the collection, `sessions` or `sessions/ID/timeline`. */
  collection: string;
  /** Only ids after this one: the last id of the previous page. */
  afterId?: string | undefined;
  /** Only ids with this prefix. */
  idPrefix?: string | undefined;
  /** Only documents with this value in a field, which has an index. */
  equal?: { field: string; value: string } | undefined;
  /** The most documents of the page. */
  limit: number;
  /** The fields to read, as `field` or `map.field`; all when absent. */
  fields?: string[] | undefined;
}

/** A page of a collection by the time in one of its fields, the latest first. */
export interface RawTimePage {
  /** Path of the collection, as in `RawPage`. */
  collection: string;
  /** A field at the top of the documents. Those without a time in it are never found. */
  field: string;
  /** The earliest time, included. */
  from?: Date | undefined;
  /** The latest time, included. */
  to?: Date | undefined;
  /** Only documents with one of these texts in other fields; each needs an index that ends with `field`. */
  having?: readonly { field: string; oneOf: readonly string[] }[] | undefined;
  /** A field that is a list, and 1 to 30 texts of which it must hold at least one; part of the same index. */
  anyOf?: { field: string; values: readonly string[] } | undefined;
  /** Only documents after the one with this id, the last of the previous page; the id is read for it. */
  afterId?: string | undefined;
  /** The most documents of the page. */
  limit: number;
  /** The fields to read, as `field` or `map.field`. */
  fields: string[];
}

/**
 * Stored documents as they are: nothing is decoded, upcast or refused.
 * The reads throw RetryableError `STORE_UNAVAILABLE` when the database does not answer in time.
 */
export interface RawDocuments {
  /** The document at `path`; undefined when there is none. */
  get(path: string): Promise<RawDocument | undefined>;
  /** The existing ones of the documents, in one call, with only these fields. */
  getMany(paths: readonly string[], fields: string[]): Promise<RawDocument[]>;
  /** A page of a collection's documents, in the order of their ids. */
  list(page: RawPage): Promise<RawDocument[]>;
  /** A page of a collection's documents by a time. It reads as many documents as it returns. */
  latest(page: RawTimePage): Promise<RawDocument[]>;
}

/** All documents of a database, which people inspect and follow. It throws as `RawDocuments`. */
export interface RawDatabase extends RawDocuments {
  /** The ids of the collections below a document, which need not exist, or of the root; sorted. */
  collectionIds(documentPath?: string): Promise<string[]>;
  /**
   * Calls `onChanges` with the existing documents, then with each change. An empty list means that the
   * collection is empty. The returned function ends the watch. `onError` is called at most once, and also
   * ends it.
   */
  watch(
    path: string,
    onChanges: (changes: RawChange[]) => void,
    onError: (error: unknown) => void,
  ): () => void;
  /** Releases connections. Call it only when no read hangs. */
  close(): Promise<void>;
}

/** Documents of one query of `listAllDocuments`. */
const STEP = 500;

/**
 * All documents of a collection, in the order of their ids.
 * @param fields the fields to read, as `field` or `map.field`.
 * @throws as the reads of `RawDocuments`.
 */
export async function listAllDocuments(
  collection: string,
  fields: string[],
  documents: Pick<RawDocuments, 'list'>,
): Promise<RawDocument[]> {
  const found: RawDocument[] = [];
  for (let afterId: string | undefined; ; ) {
    const page = await documents.list({ collection, afterId, limit: STEP, fields });
    found.push(...page);
    if (page.length < STEP) return found;
    afterId = page.at(-1)?.id;
  }
}
