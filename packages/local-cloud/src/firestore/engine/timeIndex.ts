// Finds documents of a collection group by the time or text in a field, without reading the others. An index
// is made at the first query that needs it and lasts as long as the process: the file of the database knows
// nothing of it.

import type { CloudDatabase } from '../../database/database.ts';
import { cutDocumentId, cutParentPath, type DocumentKey } from '../values/names.ts';
import type { Fields, Timestamp } from '../values/value.ts';

/** Inclusive times in a document's top field. Documents slightly outside can be found, too. */
export interface TimeRange {
  /** The name of a top-level field. */
  field: string;
  /** The earliest time; unlimited when absent. */
  from?: Timestamp;
  /** The latest time; unlimited when absent. */
  to?: Timestamp;
}

/** A text in a document's top field. */
export interface TextMatch {
  /** The name of a top-level field. */
  field: string;
  text: string;
}

/** An index of collection groups by times and texts. It is created at the first query of a group. */
interface TimeIndex {
  /** Takes note of a document as it is now; without fields, that it is gone. */
  update(key: DocumentKey, fields: () => Fields | undefined): void;
  /**
   * The paths of documents in a range, in no order.
   * @param all every document of the group, read when the index is made.
   * @returns undefined when there is no index and none can be made now.
   */
  find(
    database: string,
    collectionId: string,
    range: TimeRange | TextMatch,
    all: () => Iterable<DocumentKey & { fields: Fields }>,
  ): string[] | undefined;
}

/** A temporary table, so that a rollback of a transaction also rolls back the index. */
const SCHEMA = `
  CREATE TEMP TABLE firestore_times (
    collection_id TEXT NOT NULL,
    field TEXT NOT NULL,
    database TEXT NOT NULL,
    -- A text, or milliseconds since 1970: microseconds of the year 9999 are no safe integer.
    value NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (collection_id, field, database, value, path)
  ) WITHOUT ROWID;
  CREATE INDEX temp.firestore_times_paths ON firestore_times (database, path);
`;

/** No index at first. */
export function createTimeIndex({ sql, atomically }: CloudDatabase): TimeIndex {
  sql.exec(SCHEMA);
  const insert = sql.prepare('INSERT INTO firestore_times VALUES (?, ?, ?, ?, ?)');
  const remove = sql.prepare('DELETE FROM firestore_times WHERE database = ? AND path = ?');
  const select = sql.prepare(
    `SELECT path FROM firestore_times
     WHERE collection_id = ? AND field = ? AND database = ? AND value BETWEEN ? AND ?`,
  );
  /** The indexed fields of each collection group of each database. */
  const indexed = new Map<string, Set<string>>();
  const groupOf = (database: string, collectionId: string) => `${database} ${collectionId}`;

  const add = ({ database, path }: DocumentKey, collectionId: string, field: string, fields: Fields) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    const indexed =
      value?.valueType === 'timestampValue'
        ? toMilliseconds(value.timestampValue)
        : value?.valueType === 'stringValue'
          ? value.stringValue
          : undefined;
    if (indexed !== undefined) insert.run(collectionId, field, database, indexed, path);
  };

  return {
    update(key, fields) {
      const collectionId = cutDocumentId(cutParentPath(key.path));
      const names = indexed.get(groupOf(key.database, collectionId));
      if (names === undefined) return;
      remove.run(key.database, key.path);
      const found = fields();
      if (found !== undefined) for (const field of names) add(key, collectionId, field, found);
    },
    find(database, collectionId, range, all) {
      const { field } = range;
      const group = groupOf(database, collectionId);
      const names = indexed.get(group) ?? new Set();
      if (!names.has(field)) {
        // Rolled back changes would be missing.
        if (sql.isTransaction) return undefined;
        atomically(() => {
          for (const document of all()) add(document, collectionId, field, document.fields);
        });
        indexed.set(group, names.add(field));
      }
      const bounds =
        'text' in range
          ? ([range.text, range.text] as const)
          : ([
              range.from ? toMilliseconds(range.from) : MIN_MILLIS,
              range.to ? toMilliseconds(range.to) : MAX_MILLIS,
            ] as const);
      return select.all(collectionId, field, database, ...bounds).map(({ path }) => String(path));
    },
  };
}

const MIN_MILLIS = Number.MIN_SAFE_INTEGER;
const MAX_MILLIS = Number.MAX_SAFE_INTEGER;

const toMilliseconds = ({ seconds, nanos }: Timestamp): number =>
  Number(seconds ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1e6);
