// The topics of a database, and pages of lists.

import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { notFound } from '../fields/errors.ts';

/** A requested page of a list. */
export interface PageRequest {
  /** The lowest name, inclusive. */
  from: string;
  /** The upper bound of names, exclusive. */
  to: string;
  /** 0 or absent for all. */
  pageSize?: number | undefined;
  /** The last name of the previous page. */
  pageToken?: string | undefined;
}

/** Topics by name. Settings have the names of the protocol. */
export interface TopicTable {
  /** Returns false when the topic exists. */
  create(name: string, settings: Message): boolean;
  /** Replaces the settings of a topic. */
  update(name: string, settings: Message): void;
  /** Deletes the row; the caller detaches subscriptions and snapshots. */
  delete(name: string): void;
  /** Whether there is a topic of this name. */
  exists(name: string): boolean;
  /** @throws StatusError NOT_FOUND */
  get(name: string): Message;
  /** A page of the settings of topics, in the order of their names. */
  list(page: PageRequest): { items: Message[]; nextPageToken: string };
}

/** The table must exist. */
export function createTopicTable({ sql }: CloudDatabase): TopicTable {
  const insert = sql.prepare('INSERT OR IGNORE INTO pubsubTopics (name, settings) VALUES (?, ?)');
  const update = sql.prepare('UPDATE pubsubTopics SET settings = ? WHERE name = ?');
  const remove = sql.prepare('DELETE FROM pubsubTopics WHERE name = ?');
  const select = sql.prepare('SELECT name, settings FROM pubsubTopics WHERE name = ?');
  const range = sql.prepare(
    'SELECT name, settings FROM pubsubTopics WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
  );
  const read = (row: Message): Message => ({ name: row.name, ...JSON.parse(row.settings) });
  return {
    create: (name, settings) => insert.run(name, JSON.stringify(settings)).changes === 1,
    update: (name, settings) => void update.run(JSON.stringify(settings), name),
    delete: (name) => void remove.run(name),
    exists: (name) => select.get(name) !== undefined,
    get(name) {
      const row = select.get(name);
      if (row === undefined) throw notFound('Topic not found');
      return read(row);
    },
    list: (page) =>
      selectNamedPage(page, (from, limit) => range.all(from, page.from, page.to, limit).map(read)),
  };
}

/** A page and the token of the next one; '' on the last page. */
export function selectNamedPage<T extends { name: string }>(
  { pageSize, pageToken }: PageRequest,
  select: (after: string, limit: number) => T[],
): { items: T[]; nextPageToken: string } {
  const size = pageSize && pageSize > 0 ? pageSize : Number.MAX_SAFE_INTEGER - 1;
  const found = select(pageToken ?? '', size + 1);
  const items = found.slice(0, size);
  return { items, nextPageToken: found.length > size ? (items.at(-1)?.name ?? '') : '' };
}
