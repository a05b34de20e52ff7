// Documents in the SQLite database: one row each, in the order of their ids within a collection.

import type { StatementSync } from 'node:sqlite';
import type { CloudDatabase } from '../../database/database.ts';
import { cutDocumentId, cutParentPath, type DocumentKey, encodeIdOrder } from '../values/names.ts';
import { decodeFields } from '../values/protos.ts';
import type { Micros } from '../values/time.ts';
import type { Fields } from '../values/value.ts';
import { createTimeIndex, type TextMatch, type TimeRange } from './timeIndex.ts';

/** A document that exists. */
export interface StoredDocument extends DocumentKey {
  /** The time of the commit that created it. */
  readonly createTime: Micros;
  /** The time of the last commit that changed it. */
  readonly updateTime: Micros;
  /** The decoded fields. */
  readonly fields: Fields;
  /** The same as bytes of the protocol, where they are at hand. */
  readonly data?: Uint8Array | undefined;
}

/** Fields as bytes of the protocol, as they are stored. */
export interface StoredRow extends DocumentKey {
  /** The time of the commit that created it. */
  readonly createTime: Micros;
  /** The time of the last commit that changed it. */
  readonly updateTime: Micros;
  /** A message `Document` with only the fields. */
  readonly data: Uint8Array;
}

type RowDocument = StoredDocument & StoredRow;

/** Documents below a document or, with an empty path, of a whole database. */
export interface Source {
  /** `projects/P/databases/D` */
  database: string;
  /** Path of a document, or ''. */
  parent: string;
  /** Absent for collections of every id. */
  collectionId?: string;
  /** Whether collections further below belong to it. */
  allDescendants: boolean;
}

/** Inclusive bounds of ids, their order, and a text: for one collection. Of times: for a collection group. */
export interface ScanRange {
  /** The lowest id, inclusive. */
  from?: string;
  /** The highest id, inclusive. */
  to?: string;
  /** Whether to scan in descending order. Default: false. */
  descending?: boolean;
  /** A text that all results have. */
  match?: TextMatch;
  /** A range of times, for a collection group. */
  times?: TimeRange;
}

/** The documents of all databases. Every write runs within a transaction of the caller. */
export interface DocumentStore {
  /** The document; undefined when it does not exist. */
  get(key: DocumentKey): RowDocument | undefined;
  /** Creates or replaces a document. */
  put(row: StoredRow): void;
  /** Deletes a document if it exists. */
  delete(key: DocumentKey): void;
  /**
   * The documents of a source, in the order of ids for a single collection, else unordered. Reads lazily: do
   * not write during the iteration.
   */
  scan(source: Source, range?: ScanRange): Iterable<RowDocument>;
  /** The only collection of a group; the source if there are several, or if it is no group. */
  findOnly(source: Source): Source;
  /** Paths of all collections with documents below a document, at any depth. */
  collectionsBelow(database: string, parent: string): string[];
  /** The latest time that was given to a commit; 0 before the first. */
  lastCommitTime(): Micros;
  /** Stores the time of a commit. */
  setLastCommitTime(time: Micros): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS firestore_documents (
    database TEXT NOT NULL,
    collection TEXT NOT NULL,
    -- The order of ids (names.ts).
    position BLOB NOT NULL,
    path TEXT NOT NULL,
    collection_id TEXT NOT NULL,
    -- Microseconds since 1970.
    create_time INTEGER NOT NULL,
    update_time INTEGER NOT NULL,
    -- A message google.firestore.v1.Document with nothing but its fields.
    data BLOB NOT NULL,
    UNIQUE (database, collection, position)
  );
  CREATE TABLE IF NOT EXISTS firestore_clock (only INTEGER PRIMARY KEY CHECK (only = 0), last INTEGER NOT NULL);
  INSERT OR IGNORE INTO firestore_clock VALUES (0, 0);
`;
/** Collections with fewer documents are read whole: an index costs a write for each change. */
const INDEXED_FROM = 2_000;
/** Comes after every text and after every position. */
const LAST_TEXT = Buffer.alloc(0);
const FIRST_POSITION = Buffer.alloc(0);
const LAST_POSITION = Buffer.of(0xff);

const place = ({ database, path }: DocumentKey) =>
  [database, cutParentPath(path), encodeIdOrder(cutDocumentId(path))] as const;
const within = (database: string, parent: string) =>
  parent === '' ? ([database, '', LAST_TEXT] as const) : ([database, `${parent}/`, `${parent}0`] as const);

function prepareStatements(sql: CloudDatabase['sql']) {
  const at = 'database = ? AND collection = ? AND position = ?';
  const get = sql.prepare(`SELECT rowid, create_time, update_time FROM firestore_documents WHERE ${at}`);
  const dataOf = sql.prepare('SELECT data FROM firestore_documents WHERE rowid = ?');
  const put = sql.prepare(
    `INSERT INTO firestore_documents (database, collection, position, path, collection_id, create_time, update_time, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (database, collection, position)
     DO UPDATE SET create_time = excluded.create_time, update_time = excluded.update_time, data = excluded.data`,
  );
  const remove = sql.prepare(`DELETE FROM firestore_documents WHERE ${at}`);
  const selectOrdered = (order: 'ASC' | 'DESC') =>
    sql.prepare(
      `SELECT rowid, create_time, update_time, path FROM firestore_documents
       WHERE database = ? AND collection = ? AND position BETWEEN ? AND ? ORDER BY position ${order}`,
    );
  const [ascending, descending] = [selectOrdered('ASC'), selectOrdered('DESC')];
  const below = 'database = ? AND collection >= ? AND collection < ?';
  const anywhere = sql.prepare(
    `SELECT rowid, create_time, update_time, path FROM firestore_documents
     WHERE ${below} AND (? IS NULL OR collection_id = ?)`,
  );
  const collections = sql.prepare(`SELECT DISTINCT collection FROM firestore_documents WHERE ${below}`);
  const isLarge = sql.prepare(
    `SELECT 1 FROM firestore_documents WHERE database = ? AND collection = ? LIMIT 1 OFFSET ${INDEXED_FROM}`,
  );
  const groups = sql.prepare(
    `SELECT DISTINCT collection FROM firestore_documents WHERE ${below} AND collection_id = ? LIMIT 2`,
  );
  for (const rows of [get, dataOf, ascending, descending, anywhere]) rows.setReturnArrays(true);
  const lastTime = sql.prepare('SELECT last FROM firestore_clock');
  const setLastTime = sql.prepare('UPDATE firestore_clock SET last = ?');
  return {
    get,
    dataOf,
    put,
    remove,
    ascending,
    descending,
    anywhere,
    collections,
    groups,
    isLarge,
    lastTime,
    setLastTime,
  };
}

/** The documents of a database; the tables are made when they are missing. */
export function openDocumentStore(cloud: CloudDatabase): DocumentStore {
  const { sql } = cloud;
  sql.exec(SCHEMA);
  const {
    get,
    dataOf,
    put,
    remove,
    ascending,
    descending,
    anywhere,
    collections,
    groups,
    isLarge,
    ...clock
  } = prepareStatements(sql);

  const cache = createCache();
  const timeIndex = createTimeIndex(cloud);
  /** The document of a row that was found. Its fields are read unless this version of it is known. */
  const documentOf = (key: DocumentKey, [id, createTime, updateTime]: FoundRow): RowDocument => {
    const known = cache.get(id);
    if (known?.updateTime === updateTime) return known;
    const [data] = dataOf.get(id) as unknown as [Uint8Array];
    const document = toDocument({ database: key.database, path: key.path, createTime, updateTime, data });
    cache.put(id, document);
    return document;
  };

  const getDocument = (key: DocumentKey): RowDocument | undefined => {
    const row = get.get(...place(key)) as FoundRow | undefined;
    return row && documentOf(key, row);
  };
  function* scanBelow({ database, parent, collectionId, allDescendants }: Source): Iterable<RowDocument> {
    const id = collectionId ?? null;
    for (const row of anywhere.iterate(...within(database, parent), id, id) as Iterable<FoundRow>) {
      const path = row[3];
      if (allDescendants || cutParentPath(cutParentPath(path)) === parent)
        yield documentOf({ database, path }, row);
    }
  }
  /** The documents of a collection group in a range of times; undefined when they have to be read. */
  const scanTimes = ({ database, parent, collectionId, allDescendants }: Source, times?: TimeRange) => {
    if (times === undefined || collectionId === undefined || !allDescendants) return undefined;
    const all = () => scanBelow({ database, parent: '', collectionId, allDescendants });
    return timeIndex
      .find(database, collectionId, times, all)
      ?.filter((path) => parent === '' || path.startsWith(`${parent}/`))
      .flatMap((path) => getDocument({ database, path }) ?? []);
  };

  return {
    get: getDocument,
    put(row) {
      timeIndex.update(row, () => decodeFields(row.data));
      const collection = cutParentPath(row.path);
      put.run(...place(row), row.path, cutDocumentId(collection), row.createTime, row.updateTime, row.data);
    },
    delete(key) {
      timeIndex.update(key, () => undefined);
      remove.run(...place(key));
    },
    *scan(source, range = {}) {
      const { database, parent, collectionId, allDescendants } = source;
      if (collectionId !== undefined && !allDescendants) {
        const collection = parent === '' ? collectionId : `${parent}/${collectionId}`;
        const matches =
          range.match && isLarge.get(database, collection) !== undefined
            ? findMatches({ database, collection, match: range.match }, timeIndex, scanBelow)
            : undefined;
        if (matches !== undefined) {
          const paths = sortById(matches, collection, range.descending);
          return yield* paths.flatMap((path) => getDocument({ database, path }) ?? []);
        }
        const from = range.from === undefined ? FIRST_POSITION : encodeIdOrder(range.from);
        const to = range.to === undefined ? LAST_POSITION : encodeIdOrder(range.to);
        const rows = range.descending ? descending : ascending;
        for (const row of rows.iterate(database, collection, from, to) as Iterable<FoundRow>)
          yield documentOf({ database, path: row[3] }, row);
        return;
      }
      yield* scanTimes(source, range.times) ?? scanBelow(source);
    },
    findOnly: (source) => findOnly(source, groups),
    collectionsBelow: (database, parent) =>
      collections.all(...within(database, parent)).map(({ collection }) => String(collection)),
    lastCommitTime: () => Number(clock.lastTime.get()?.last),
    setLastCommitTime: (time) => void clock.setLastTime.run(time),
  };
}

/** As `DocumentStore.findOnly`. */
function findOnly(source: Source, groups: StatementSync): Source {
  const { database, parent, collectionId, allDescendants } = source;
  if (collectionId === undefined || !allDescendants) return source;
  const [only, ...others] = groups.all(...within(database, parent), collectionId);
  if (only === undefined || others.length > 0) return source;
  return { database, parent: cutParentPath(String(only.collection)), collectionId, allDescendants: false };
}

/** The paths of documents of a collection group with a text; undefined while there can be no index. */
function findMatches(
  { database, collection, match }: { database: string; collection: string; match: TextMatch },
  index: ReturnType<typeof createTimeIndex>,
  scan: (source: Source) => Iterable<RowDocument>,
): string[] | undefined {
  const collectionId = cutDocumentId(collection);
  const all = () => scan({ database, parent: '', collectionId, allDescendants: true });
  return index.find(database, collectionId, match, all);
}

/** The paths of a collection in the order of their ids. */
const sortById = (paths: readonly string[], collection: string, descending = false): string[] =>
  paths
    .filter((path) => cutParentPath(path) === collection)
    .map((path) => ({ path, position: encodeIdOrder(cutDocumentId(path)) }))
    .sort((one, other) => (descending ? -1 : 1) * Buffer.compare(one.position, other.position))
    .map(({ path }) => path);

type FoundRow = [id: number, createTime: Micros, updateTime: Micros, path: string];

/** A document whose fields are decoded when they are first asked for. */
class DecodedRow implements RowDocument {
  readonly database: string;
  readonly path: string;
  readonly createTime: Micros;
  readonly updateTime: Micros;
  readonly #data: Uint8Array;
  #fields: Fields | undefined;

  constructor({ database, path, createTime, updateTime, data }: StoredRow) {
    this.database = database;
    this.path = path;
    this.createTime = createTime;
    this.updateTime = updateTime;
    this.#data = data;
  }

  get fields(): Fields {
    this.#fields ??= decodeFields(this.#data);
    return this.#fields;
  }

  /** Not a property of its own: a copy with other fields does not have it. */
  get data(): Uint8Array {
    return this.#data;
  }
}

/** The document of a row. */
export const toDocument = (row: StoredRow): RowDocument => new DecodedRow(row);

/** Of fields as bytes; decoded they take a few times as much. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** The documents that were read last, by the ids of their rows. */
function createCache() {
  const documents = new Map<number, RowDocument>();
  let bytes = 0;
  const drop = (id: number): void => {
    bytes -= documents.get(id)?.data.length ?? 0;
    documents.delete(id);
  };
  return {
    get: (id: number): RowDocument | undefined => documents.get(id),
    put(id: number, document: RowDocument): void {
      drop(id);
      documents.set(id, document);
      bytes += document.data.length;
      // The oldest stand first.
      for (const oldest of documents.keys()) {
        if (bytes <= MAX_CACHED_BYTES) break;
        drop(oldest);
      }
    },
  };
}
