// Snapshots: which messages were not acked at one moment, and what Seek makes of them.

import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import type { AckId } from '../fields/ackIds.ts';
import { notFound } from '../fields/errors.ts';
import { passesFilter } from '../fields/filter.ts';
import { DELETED_TOPIC } from '../fields/names.ts';
import type { Subscription } from './subscriptionTable.ts';
import { DELIVERY, SOUGHT_MS } from './tables.ts';
import { type PageRequest, pageOf } from './topicTable.ts';

export interface Snapshot {
  id: number;
  name: string;
  /** `_deleted-topic_` once the topic was deleted. */
  topic: string;
  /** Epoch milliseconds. */
  expireMs: number;
  labels: Record<string, string>;
}

export interface SnapshotTable {
  /** Makes one of what a subscription has not acked. Whether it was made; false when the name is taken. */
  create(snapshot: Omit<Snapshot, 'id'>, subscription: Subscription): boolean;
  /** When the oldest message that a subscription has not acked was published, in epoch milliseconds. */
  oldestMs(subscription: Subscription): number | undefined;
  delete(id: number): void;
  /** Deletes those whose time has come. */
  dropExpired(nowMs: number): void;
  /** Forgets acked messages that no subscription and no snapshot retains any more. */
  dropUnretained(): void;
  /** @throws StatusError NOT_FOUND */
  named(name: string): Snapshot;
  /** Ids of those that get what is published to a topic. */
  ofTopic(topic: string): number[];
  detachFrom(topic: string): void;
  list(page: PageRequest): { items: Snapshot[]; nextPageToken: string };
  listOfTopic(
    topic: string,
    page: Omit<PageRequest, 'from' | 'to'>,
  ): { items: Snapshot[]; nextPageToken: string };
  /**
   * Has a subscription be as a snapshot is: what was acked then is acked; all else is not and is due at once, also what
   * subscribers are working on.
   * @returns the deliveries that were under way. All of them have ended.
   */
  seekToSnapshot(subscription: Subscription, snapshot: number): AckId[];
  /** The same for a time: messages that were published before it are acked, those retained from then on are not. */
  seekToTime(subscription: Subscription, timeMs: number): AckId[];
}

export function createSnapshotTable({ sql }: CloudDatabase): SnapshotTable {
  const { waiting, leased, blocked } = DELIVERY;
  const insert = sql.prepare(
    'INSERT OR IGNORE INTO pubsubSnapshots (name, topic, expireMs, labels) VALUES (?, ?, ?, ?)',
  );
  const capture = sql.prepare(
    'INSERT INTO pubsubSnapshotMessages SELECT ?, message FROM pubsubDeliveries WHERE subscription = ?',
  );
  const oldest = sql.prepare(
    `SELECT MIN(publishMs) AS ms FROM pubsubDeliveries JOIN pubsubMessages ON message = pubsubMessages.id
     WHERE subscription = ?`,
  );
  const remove = sql.prepare('DELETE FROM pubsubSnapshots WHERE id = ?');
  const removeMessages = sql.prepare('DELETE FROM pubsubSnapshotMessages WHERE snapshot = ?');
  const expired = sql.prepare('SELECT id FROM pubsubSnapshots WHERE expireMs <= ?');
  const dropUnretained = sql.prepare(
    `DELETE FROM pubsubAcked WHERE message NOT IN (SELECT message FROM pubsubSnapshotMessages)
     AND subscription IN (SELECT id FROM pubsubSubscriptions WHERE settings ->> 'retainAckedMessages' = 0)`,
  );
  const byName = sql.prepare('SELECT * FROM pubsubSnapshots WHERE name = ?');
  const byTopic = sql.prepare(
    'SELECT * FROM pubsubSnapshots WHERE topic = ? AND name > ? ORDER BY name LIMIT ?',
  );
  const setTopic = sql.prepare('UPDATE pubsubSnapshots SET topic = ? WHERE topic = ?');
  const range = sql.prepare(
    'SELECT * FROM pubsubSnapshots WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
  );
  const missing = sql.prepare(
    `SELECT id, attributes, orderingKey FROM pubsubSnapshotMessages JOIN pubsubMessages ON message = id
     WHERE snapshot = ? AND NOT EXISTS (
       SELECT 1 FROM pubsubDeliveries WHERE subscription = ? AND pubsubDeliveries.message = id
     )`,
  );
  const addDelivery = sql.prepare(
    `INSERT INTO pubsubDeliveries VALUES (?, ?, ?, ${waiting}, 0, ${SOUGHT_MS})`,
  );
  // All that is not acked is due, but for messages with another one of their ordering key before them.
  const makeDue = sql.prepare(
    `UPDATE pubsubDeliveries AS delivery SET dueMs = ${SOUGHT_MS}, state = CASE WHEN message = (
       SELECT MIN(message) FROM pubsubDeliveries
       WHERE subscription = delivery.subscription AND orderingKey = delivery.orderingKey
     ) OR orderingKey IS NULL THEN ${waiting} ELSE ${blocked} END
     WHERE subscription = ?`,
  );
  const underWay = sql.prepare(
    `SELECT message, attempts FROM pubsubDeliveries WHERE subscription = ? AND state = ${leased}`,
  );

  /** Acks the messages of a subscription that `gone` selects, and brings back the acked ones that `kept` selects. */
  const prepareSeek = (gone: string, kept: string) => {
    const keepAcked = sql.prepare(
      `INSERT OR REPLACE INTO pubsubAcked SELECT subscription, message, orderingKey, attempts FROM pubsubDeliveries
       WHERE subscription = ? AND ${gone}`,
    );
    const drop = sql.prepare(`DELETE FROM pubsubDeliveries WHERE subscription = ? AND ${gone}`);
    const restore = sql.prepare(
      `INSERT INTO pubsubDeliveries SELECT subscription, message, orderingKey, ${waiting}, attempts, ${SOUGHT_MS} FROM pubsubAcked
       WHERE subscription = ? AND ${kept}`,
    );
    const dropAcked = sql.prepare(`DELETE FROM pubsubAcked WHERE subscription = ? AND ${kept}`);
    return (subscription: number, target: number): AckId[] => {
      const rows = underWay.all(subscription) as Message[];
      keepAcked.run(subscription, target);
      drop.run(subscription, target);
      restore.run(subscription, target);
      dropAcked.run(subscription, target);
      dropUnretained.run();
      return rows.map(({ message, attempts }) => ({ subscription, message, attempt: attempts }));
    };
  };
  const ofSnapshot = '(SELECT message FROM pubsubSnapshotMessages WHERE snapshot = ?)';
  const seekToSnapshot = prepareSeek(`message NOT IN ${ofSnapshot}`, `message IN ${ofSnapshot}`);
  const before = 'message IN (SELECT id FROM pubsubMessages WHERE publishMs < ?)';
  const since = 'message IN (SELECT id FROM pubsubMessages WHERE publishMs >= ?)';
  const seekToTime = prepareSeek(before, since);

  const read = (row: Message): Snapshot => ({ ...row, labels: JSON.parse(row.labels) });
  const ofTopic = (topic: string, after: string, limit: number) => byTopic.all(topic, after, limit).map(read);
  const deleteSnapshot = (id: number) => {
    remove.run(id);
    removeMessages.run(id);
    dropUnretained.run();
  };
  return {
    create({ name, topic, expireMs, labels }, subscription) {
      const { changes, lastInsertRowid } = insert.run(name, topic, expireMs, JSON.stringify(labels));
      if (changes === 1) capture.run(lastInsertRowid, subscription.id);
      return changes === 1;
    },
    oldestMs: ({ id }) => (oldest.get(id) as Message).ms ?? undefined,
    delete: deleteSnapshot,
    dropExpired(nowMs) {
      for (const { id } of expired.all(nowMs) as Message[]) deleteSnapshot(id);
    },
    dropUnretained: () => void dropUnretained.run(),
    named(name) {
      const row = byName.get(name);
      if (row === undefined) throw notFound('Snapshot does not exist');
      return read(row);
    },
    ofTopic: (topic) => ofTopic(topic, '', -1).map(({ id }) => id),
    detachFrom: (topic) => void setTopic.run(DELETED_TOPIC, topic),
    list: (page) => pageOf(page, (after, limit) => range.all(after, page.from, page.to, limit).map(read)),
    listOfTopic: (topic, page) =>
      pageOf({ ...page, from: '', to: '' }, (after, limit) => ofTopic(topic, after, limit)),
    seekToSnapshot({ id, settings }, snapshot) {
      const ended = seekToSnapshot(id, snapshot);
      for (const { id: message, attributes, orderingKey } of missing.all(snapshot, id) as Message[]) {
        if (!passesFilter(settings.filter, JSON.parse(attributes))) continue;
        addDelivery.run(id, message, settings.enableMessageOrdering ? orderingKey || null : null);
      }
      makeDue.run(id);
      return ended;
    },
    seekToTime({ id }, timeMs) {
      const ended = seekToTime(id, timeMs);
      makeDue.run(id);
      return ended;
    },
  };
}
