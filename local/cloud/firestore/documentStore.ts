// Documents in the SQLite database: one row each, in the order of their ids within a collection.

import type { CloudDatabase } from '../database.ts';
import { type DocumentKey, idOf, parentOf, positionOf } from './names.ts';
import { decodeFields } from './protos.ts';
import type { Micros } from './time.ts';
import type { Fields } from './values/value.ts';

/** A document that exists. */
export interface StoredDocument extends DocumentKey {
  createTime: Micros;
  updateTime: Micros;
  fields: Fields;
}

/** Fields as bytes of the protocol, as they are stored. */
export interface StoredRow extends DocumentKey {
  createTime: Micros;
  updateTime: Micros;
  data: Uint8Array;
}

/** Documents below a document or, with an empty path, of a whole database. */
export interface Source {
  database: string;
  /** Path of a document, or ''. */
  parent: string;
  /** Absent for collections of every id. */
  collectionId?: string;
  /** Whether collections further below belong to it. */
  allDescendants: boolean;
}

/** Bounds of ids, both inclusive. Only for a source that is one collection. */
export interface IdRange {
  from?: string;
  to?: string;
}

export interface DocumentStore {
  get(key: DocumentKey): StoredRow | undefined;
  put(row: StoredRow): void;
  delete(key: DocumentKey): void;
  /** In the order of ids when the source is one collection, else in none. */
  scan(source: Source, range?: IdRange): Iterable<StoredRow>;
  /** Paths of all collections with documents below a document, at any depth. */
  collectionsBelow(database: string, parent: string): string[];
  /** The latest time that was given to a commit; 0 before the first. */
  lastCommitTime(): Micros;
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
const ROW = 'path, create_time AS createTime, update_time AS updateTime, data';
/** Comes after every text and after every position. */
const LAST_TEXT = Buffer.alloc(0);
const FIRST_POSITION = Buffer.alloc(0);
const LAST_POSITION = Buffer.of(0xff);

/** The documents of a database; the tables are made when they are missing. */
export function openDocumentStore({ sql }: CloudDatabase): DocumentStore {
  sql.exec(SCHEMA);
  const at = 'database = ? AND collection = ? AND position = ?';
  const get = sql.prepare(`SELECT ${ROW} FROM firestore_documents WHERE ${at}`);
  const put = sql.prepare(
    `INSERT INTO firestore_documents (database, collection, position, path, collection_id, create_time, update_time, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (database, collection, position)
     DO UPDATE SET create_time = excluded.create_time, update_time = excluded.update_time, data = excluded.data`,
  );
  const remove = sql.prepare(`DELETE FROM firestore_documents WHERE ${at}`);
  const inCollection = sql.prepare(
    `SELECT ${ROW} FROM firestore_documents WHERE database = ? AND collection = ? AND position BETWEEN ? AND ? ORDER BY position`,
  );
  const below = 'database = ? AND collection >= ? AND collection < ?';
  const anywhere = sql.prepare(
    `SELECT ${ROW} FROM firestore_documents WHERE ${below} AND (? IS NULL OR collection_id = ?)`,
  );
  const collections = sql.prepare(`SELECT DISTINCT collection FROM firestore_documents WHERE ${below}`);
  const lastTime = sql.prepare('SELECT last FROM firestore_clock');
  const setLastTime = sql.prepare('UPDATE firestore_clock SET last = ?');

  const place = ({ database, path }: DocumentKey) =>
    [database, parentOf(path), positionOf(idOf(path))] as const;
  const within = (database: string, parent: string) =>
    parent === '' ? ([database, '', LAST_TEXT] as const) : ([database, `${parent}/`, `${parent}0`] as const);

  return {
    get(key) {
      const row = get.get(...place(key)) as Omit<StoredRow, 'database'> | undefined;
      return row && { ...row, database: key.database };
    },
    put(row) {
      const collection = parentOf(row.path);
      put.run(...place(row), row.path, idOf(collection), row.createTime, row.updateTime, row.data);
    },
    delete: (key) => void remove.run(...place(key)),
    *scan({ database, parent, collectionId, allDescendants }, range = {}) {
      if (collectionId !== undefined && !allDescendants) {
        const collection = parent === '' ? collectionId : `${parent}/${collectionId}`;
        const from = range.from === undefined ? FIRST_POSITION : positionOf(range.from);
        const to = range.to === undefined ? LAST_POSITION : positionOf(range.to);
        for (const row of inCollection.all(database, collection, from, to)) {
          yield { ...(row as unknown as StoredRow), database };
        }
        return;
      }
      const id = collectionId ?? null;
      for (const row of anywhere.all(...within(database, parent), id, id)) {
        const found = { ...(row as unknown as StoredRow), database };
        if (allDescendants || parentOf(parentOf(found.path)) === parent) yield found;
      }
    },
    collectionsBelow: (database, parent) =>
      collections.all(...within(database, parent)).map(({ collection }) => String(collection)),
    lastCommitTime: () => Number(lastTime.get()?.last),
    setLastCommitTime: (time) => void setLastTime.run(time),
  };
}

/** The document of a row. */
export const toDocument = ({ data, ...row }: StoredRow): StoredDocument => ({
  ...row,
  fields: decodeFields(data),
});
