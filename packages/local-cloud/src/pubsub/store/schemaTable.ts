// The schemas of a database. All of them are Avro.

import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { type PageRequest, selectNamedPage } from './topicTable.ts';

/** A schema of one revision. */
export interface StoredSchema {
  /** `projects/P/schemas/S` */
  name: string;
  /** The Avro definition, as JSON. */
  definition: string;
  /** Eight hexadecimal digits. */
  revisionId: string;
  /** Epoch milliseconds. */
  createMs: number;
}

/** Schemas by name. */
export interface SchemaTable {
  /** Returns false when the name is taken. */
  create(schema: StoredSchema): boolean;
  /** Returns false when the schema does not exist. */
  delete(name: string): boolean;
  /** The schema of a name; undefined if there is none. */
  get(name: string): StoredSchema | undefined;
  /** A page of schemas in the order of their names. */
  list(page: PageRequest): { items: StoredSchema[]; nextPageToken: string };
}

/** The table must exist. */
export function createSchemaTable({ sql }: CloudDatabase): SchemaTable {
  const insert = sql.prepare('INSERT OR IGNORE INTO pubsubSchemas VALUES (?, ?, ?, ?)');
  const remove = sql.prepare('DELETE FROM pubsubSchemas WHERE name = ?');
  const select = sql.prepare('SELECT * FROM pubsubSchemas WHERE name = ?');
  const range = sql.prepare(
    'SELECT * FROM pubsubSchemas WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
  );
  return {
    create: ({ name, definition, revisionId, createMs }) =>
      insert.run(name, definition, revisionId, createMs).changes === 1,
    delete: (name) => remove.run(name).changes === 1,
    get: (name) => select.get(name) as Message,
    list: (page) =>
      selectNamedPage(
        page,
        (after, limit) => range.all(after, page.from, page.to, limit) as unknown as StoredSchema[],
      ),
  };
}
