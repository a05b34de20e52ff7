// The subscriptions of a database.

import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { notFound } from '../fields/errors.ts';
import { DELETED_TOPIC } from '../fields/names.ts';
import type { Settings } from '../fields/settings.ts';
import { type PageRequest, selectNamedPage } from './topicTable.ts';

/** A stored subscription. */
export interface Subscription {
  /** Never reused: a subscription that is created again has another id. */
  id: number;
  /** `projects/P/subscriptions/S` */
  name: string;
  /** `_deleted-topic_` once the topic was deleted. */
  topic: string;
  /** Validated, with defaults filled in. */
  settings: Settings;
}

/** Subscriptions by name and id. */
export interface SubscriptionTable {
  /** Returns false when the name is taken. */
  create(subscription: Omit<Subscription, 'id'>): boolean;
  /** Replaces the settings of a subscription. */
  update(id: number, settings: Settings): void;
  /** Deletes a subscription. */
  delete(id: number): void;
  /** @throws StatusError NOT_FOUND */
  named(name: string): Subscription;
  /** The subscription with an id; undefined once it is deleted. */
  withId(id: number): Subscription | undefined;
  /** All subscriptions of all projects. */
  all(): Subscription[];
  /** The subscriptions that receive the messages of a topic. */
  attachedTo(topic: string): Subscription[];
  /** Marks the topic of its subscriptions as deleted. */
  detachFrom(topic: string): void;
  /** A page of subscriptions in the order of their names. */
  list(page: PageRequest): { items: Subscription[]; nextPageToken: string };
  /** Only the names. */
  listOfTopic(
    topic: string,
    page: Omit<PageRequest, 'from' | 'to'>,
  ): { names: string[]; nextPageToken: string };
}

/** The table must exist. */
export function createSubscriptionTable({ sql }: CloudDatabase): SubscriptionTable {
  const table = 'pubsubSubscriptions';
  const insert = sql.prepare(`INSERT OR IGNORE INTO ${table} (name, topic, settings) VALUES (?, ?, ?)`);
  const update = sql.prepare(`UPDATE ${table} SET settings = ? WHERE id = ?`);
  const remove = sql.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const byName = sql.prepare(`SELECT * FROM ${table} WHERE name = ?`);
  const byId = sql.prepare(`SELECT * FROM ${table} WHERE id = ?`);
  const all = sql.prepare(`SELECT * FROM ${table}`);
  const byTopic = sql.prepare(
    `SELECT * FROM ${table} WHERE topic = ? AND name > ? AND settings ->> 'detached' = 0 ORDER BY name LIMIT ?`,
  );
  const setTopic = sql.prepare(`UPDATE ${table} SET topic = ? WHERE topic = ?`);
  const range = sql.prepare(
    `SELECT * FROM ${table} WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?`,
  );
  const read = (row: Message): Subscription => ({ ...row, settings: JSON.parse(row.settings) });
  const ofTopic = (topic: string, after: string, limit: number) => byTopic.all(topic, after, limit).map(read);
  return {
    create: ({ name, topic, settings }) => insert.run(name, topic, JSON.stringify(settings)).changes === 1,
    update: (id, settings) => void update.run(JSON.stringify(settings), id),
    delete: (id) => void remove.run(id),
    named(name) {
      const row = byName.get(name);
      if (row === undefined) throw notFound('Subscription does not exist');
      return read(row);
    },
    withId(id) {
      const row = byId.get(id);
      return row && read(row);
    },
    all: () => all.all().map(read),
    attachedTo: (topic) => ofTopic(topic, '', -1),
    detachFrom: (topic) => void setTopic.run(DELETED_TOPIC, topic),
    list: (page) =>
      selectNamedPage(page, (after, limit) => range.all(after, page.from, page.to, limit).map(read)),
    listOfTopic(topic, page) {
      const all = { ...page, from: '', to: '' };
      const { items, nextPageToken } = selectNamedPage(all, (after, limit) => ofTopic(topic, after, limit));
      return { names: items.map(({ name }) => name), nextPageToken };
    },
  };
}
