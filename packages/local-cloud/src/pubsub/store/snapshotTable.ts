// Snapshots: the unacked messages of a subscription at one moment.

import type { DatabaseSync } from 'node:sqlite';
import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { notFound } from '../fields/errors.ts';
import { DELETED_TOPIC } from '../fields/names.ts';
import type { Subscription } from './subscriptionTable.ts';
import { type PageRequest, selectNamedPage } from './topicTable.ts';

/** A stored snapshot. */
export interface Snapshot {
  /** Number of the row. */
  id: number;
  /** `projects/P/snapshots/S` */
  name: string;
  /** `_deleted-topic_` once the topic was deleted. */
  topic: string;
  /** Epoch milliseconds. */
  expireMs: number;
  /** Stored without effect; empty for none. */
  labels: Record<string, string>;
}

/** The snapshots of a database. */
export interface SnapshotTable {
  /** Captures the unacked messages of a subscription. Returns false when the name is taken. */
  create(snapshot: Omit<Snapshot, 'id'>, subscription: Subscription): boolean;
  /** The publish time of the oldest unacked message of a subscription, in epoch milliseconds. */
  oldestMs(subscription: Subscription): number | undefined;
  /** Deletes a snapshot, and the messages that nothing else retains. */
  delete(id: number): void;
  /** Deletes expired snapshots. */
  dropExpired(nowMs: number): void;
  /** Deletes acked messages that no subscription and no snapshot retains any more. */
  dropUnretained(): void;
  /** @throws StatusError NOT_FOUND */
  named(name: string): Snapshot;
  /** Ids of the snapshots that receive the messages of a topic. */
  ofTopic(topic: string): number[];
  /** Marks the topic of its snapshots as deleted. */
  detachFrom(topic: string): void;
  /** A page of snapshots in the order of their names. */
  list(page: PageRequest): { items: Snapshot[]; nextPageToken: string };
  /** A page of the snapshots of a topic, of all projects. */
  listOfTopic(
    topic: string,
    page: Omit<PageRequest, 'from' | 'to'>,
  ): { items: Snapshot[]; nextPageToken: string };
}

/** The table must exist. */
export function createSnapshotTable({ sql }: CloudDatabase): SnapshotTable {
  const statements = prepareStatements(sql);
  const read = (row: Message): Snapshot => ({ ...row, labels: JSON.parse(row.labels) });
  const ofTopic = (topic: string, after: string, limit: number) =>
    statements.byTopic.all(topic, after, limit).map(read);
  const dropUnretained = () => void statements.dropUnretained.run();
  const deleteSnapshot = (id: number) => {
    statements.remove.run(id);
    statements.removeMessages.run(id);
    dropUnretained();
  };

  return {
    create({ name, topic, expireMs, labels }, subscription) {
      const { changes, lastInsertRowid } = statements.insert.run(
        name,
        topic,
        expireMs,
        JSON.stringify(labels),
      );
      if (changes === 1) statements.capture.run(lastInsertRowid, subscription.id);
      return changes === 1;
    },
    oldestMs({ id }) {
      const row: Message = statements.oldest.get(id);
      return row.ms ?? undefined;
    },
    delete: deleteSnapshot,
    dropExpired(nowMs) {
      const rows: Message[] = statements.expired.all(nowMs);
      for (const { id } of rows) deleteSnapshot(id);
    },
    dropUnretained,
    named(name) {
      const row = statements.byName.get(name);
      if (row === undefined) throw notFound('Snapshot does not exist');
      return read(row);
    },
    ofTopic: (topic) => ofTopic(topic, '', -1).map(({ id }) => id),
    detachFrom: (topic) => void statements.setTopic.run(DELETED_TOPIC, topic),
    list: (page) =>
      selectNamedPage(page, (after, limit) =>
        statements.range.all(after, page.from, page.to, limit).map(read),
      ),
    listOfTopic: (topic, page) =>
      selectNamedPage({ ...page, from: '', to: '' }, (after, limit) => ofTopic(topic, after, limit)),
  };
}

function prepareStatements(sql: DatabaseSync) {
  return {
    insert: sql.prepare(
      'INSERT OR IGNORE INTO pubsubSnapshots (name, topic, expireMs, labels) VALUES (?, ?, ?, ?)',
    ),
    capture: sql.prepare(
      'INSERT INTO pubsubSnapshotMessages SELECT ?, message FROM pubsubDeliveries WHERE subscription = ?',
    ),
    oldest: sql.prepare(
      `SELECT MIN(publishMs) AS ms FROM pubsubDeliveries JOIN pubsubMessages ON message = pubsubMessages.id
       WHERE subscription = ?`,
    ),
    remove: sql.prepare('DELETE FROM pubsubSnapshots WHERE id = ?'),
    removeMessages: sql.prepare('DELETE FROM pubsubSnapshotMessages WHERE snapshot = ?'),
    expired: sql.prepare('SELECT id FROM pubsubSnapshots WHERE expireMs <= ?'),
    dropUnretained: sql.prepare(
      `DELETE FROM pubsubAcked WHERE message NOT IN (SELECT message FROM pubsubSnapshotMessages)
       AND subscription IN (SELECT id FROM pubsubSubscriptions WHERE settings ->> 'retainAckedMessages' = 0)`,
    ),
    byName: sql.prepare('SELECT * FROM pubsubSnapshots WHERE name = ?'),
    byTopic: sql.prepare('SELECT * FROM pubsubSnapshots WHERE topic = ? AND name > ? ORDER BY name LIMIT ?'),
    setTopic: sql.prepare('UPDATE pubsubSnapshots SET topic = ? WHERE topic = ?'),
    range: sql.prepare(
      'SELECT * FROM pubsubSnapshots WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
    ),
  };
}
