// The queue of each subscription: pending messages, leased messages with their deadlines, and delivery
// attempts. Every function runs within a transaction of the caller.

import type { DatabaseSync } from 'node:sqlite';
import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import type { AckId } from '../fields/ackIds.ts';
import { passesFilter } from '../fields/filter.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { Subscription } from './subscriptionTable.ts';
import { DELIVERY, SOUGHT_MS } from './tables.ts';

/** A published message. */
export interface StoredMessage extends NewMessage {
  /** Later messages have larger ids. */
  id: number;
  /** Epoch milliseconds. */
  publishMs: number;
}

/** A message that is leased to a subscriber. */
export interface Delivery {
  /** The message as it was published. */
  message: StoredMessage;
  /** Identifies the delivery and its attempt. */
  ackId: AckId;
}

/** The receivers of messages that are published to a topic. */
interface Receivers {
  /** The attached subscriptions of the topic. */
  subscriptions: readonly Subscription[];
  /** Ids of snapshots. */
  snapshots: readonly number[];
}

/** How much a consumer accepts. */
export interface Capacity {
  /** Number of messages; 0 or less for none. */
  messages: number;
  /** Sum of the sizes of the data. The first message is delivered regardless of its size. */
  bytes: number;
}

/** Messages and their deliveries, by subscription. */
export interface Queue {
  /**
   * Stores a message for each of these subscriptions whose filter it passes, and for these snapshots. Returns
   * the id of the message; a message without receivers uses up an id, too.
   */
  add(message: NewMessage, receivers: Receivers, nowMs: number): number;
  /** Leases due messages until `deadlineMs`, oldest first, up to the capacity. */
  lease(subscription: number, capacity: Capacity, times: { nowMs: number; deadlineMs: number }): Delivery[];
  /** Whether this is the latest attempt of an unacked message that Seek has not restored since. */
  isLatest(id: AckId): boolean;
  /** Whether the delivery is leased and its deadline has not passed. */
  isLeased(id: AckId, nowMs: number): boolean;
  /** The message of a delivery; undefined when the message no longer exists. */
  messageOf(id: AckId): StoredMessage | undefined;
  /** Removes a delivery whose message became a dead letter. */
  remove(id: AckId): void;
  /** Removes an acked delivery. Keeps a record for Seek if `retained` or in a snapshot. */
  ack(id: AckId, retained: boolean): void;
  /** Moves the ack deadline of a lease. */
  extend(id: AckId, deadlineMs: number): void;
  /** Ends a lease; the message is due again at `dueMs`. */
  requeue(id: AckId, dueMs: number): void;
  /** The leases whose deadlines have passed. */
  expiredLeases(subscription: number, nowMs: number): AckId[];
  /** The next ack deadline, and the next due time of a pending message, both after `nowMs`. */
  nextTimes(
    subscription: number,
    nowMs: number,
  ): { deadlineMs: number | undefined; dueMs: number | undefined };
  /** Drops messages published until `untilMs`; leased ones after their leases end. */
  dropOld(subscription: number, untilMs: number): void;
  /** Drops all deliveries and ack records of a subscription. */
  clear(subscription: number): void;
  /** Ends all leases of a subscription. Its messages are due immediately and keep their attempts. */
  requeueAll(subscription: number, nowMs: number): void;
}

/** The primary key of a delivery and its attempt, in the order of `queueKey`. */
const BY_ACK_ID = 'subscription = ? AND message = ? AND attempts = ?';
const queueKey = ({ subscription, message, attempt }: AckId) => [subscription, message, attempt] as const;

/** The queue of all subscriptions of a database. The tables must exist. */
export function createQueue({ sql }: CloudDatabase): Queue {
  const { waiting, leased, blocked } = DELIVERY;
  const statements = prepareStatements(sql);

  const messageWithId = (id: number): StoredMessage | undefined => {
    const row: Message = statements.message.get(id);
    return row && { ...row, attributes: JSON.parse(row.attributes) };
  };
  const nextTimeOf = (state: number, subscription: number, nowMs: number): number | undefined => {
    const row: Message = statements.nextTime.get(subscription, state, nowMs);
    return row.ms ?? undefined;
  };

  return {
    add({ data, attributes, orderingKey }, { subscriptions, snapshots }, nowMs) {
      const json = JSON.stringify(attributes);
      const id = Number(statements.addMessage.run(data, json, orderingKey, nowMs).lastInsertRowid);
      const receivers = subscriptions.filter(({ settings }) => passesFilter(settings.filter, attributes));
      if (receivers.length === 0 && snapshots.length === 0) statements.deleteMessage.run(id);
      for (const snapshot of snapshots) statements.addToSnapshot.run(snapshot, id);
      for (const subscription of receivers) {
        const ordered =
          subscription.settings.enableMessageOrdering && orderingKey !== '' ? orderingKey : null;
        const isBlocked = ordered !== null && statements.hasKey.get(subscription.id, ordered) !== undefined;
        statements.addDelivery.run(subscription.id, id, ordered, isBlocked ? blocked : waiting, nowMs);
      }
      return id;
    },
    lease(subscription, capacity, { nowMs, deadlineMs }) {
      const deliveries: Delivery[] = [];
      let bytes = 0;
      const due: Message[] = statements.due.all(subscription, nowMs, capacity.messages);
      for (const row of due) {
        const stored = messageWithId(row.message);
        if (stored === undefined) throw new Error(`message ${row.message} is gone`);
        if (deliveries.length > 0 && bytes + stored.data.length > capacity.bytes) break;
        bytes += stored.data.length;
        const ackId = { subscription, message: stored.id, attempt: row.attempts + 1 };
        statements.lease.run(ackId.attempt, deadlineMs, subscription, stored.id);
        deliveries.push({ message: stored, ackId });
      }
      return deliveries;
    },
    isLatest(id) {
      const row: Message = statements.find.get(...queueKey(id));
      return row !== undefined && row.dueMs !== SOUGHT_MS;
    },
    isLeased(id, nowMs) {
      const row: Message = statements.find.get(...queueKey(id));
      return row?.state === leased && row.dueMs > nowMs;
    },
    messageOf: ({ message }) => messageWithId(message),
    remove: (id) => void statements.remove.run(...queueKey(id)),
    ack(id, retained) {
      statements.keepAcked.run(...queueKey(id), retained ? 1 : 0);
      statements.remove.run(...queueKey(id));
    },
    extend: (id, deadlineMs) => void statements.setDue.run(leased, deadlineMs, ...queueKey(id)),
    requeue: (id, dueMs) => void statements.setDue.run(waiting, dueMs, ...queueKey(id)),
    expiredLeases(subscription, nowMs) {
      const rows: Message[] = statements.expired.all(subscription, nowMs);
      return rows.map(({ message, attempts }) => ({ subscription, message, attempt: attempts }));
    },
    nextTimes: (subscription, nowMs) => ({
      deadlineMs: nextTimeOf(leased, subscription, nowMs),
      dueMs: nextTimeOf(waiting, subscription, nowMs),
    }),
    dropOld(subscription, untilMs) {
      const newest: Message = statements.newestUntil.get(untilMs);
      if (newest === undefined) return;
      statements.dropUntil.run(subscription, newest.id);
      statements.dropAckedUntil.run(subscription, newest.id);
    },
    clear(subscription) {
      statements.clear.run(subscription);
      statements.clearAcked.run(subscription);
    },
    requeueAll: (subscription, nowMs) => void statements.requeueAll.run(nowMs, subscription),
  };
}

function prepareStatements(sql: DatabaseSync) {
  const { waiting, leased } = DELIVERY;
  return {
    addMessage: sql.prepare(
      'INSERT INTO pubsubMessages (data, attributes, orderingKey, publishMs) VALUES (?, ?, ?, ?)',
    ),
    deleteMessage: sql.prepare('DELETE FROM pubsubMessages WHERE id = ?'),
    addDelivery: sql.prepare(`INSERT INTO pubsubDeliveries VALUES (?, ?, ?, ?, 0, ?)`),
    hasKey: sql.prepare('SELECT 1 FROM pubsubDeliveries WHERE subscription = ? AND orderingKey = ? LIMIT 1'),
    due: sql.prepare(
      `SELECT message, attempts FROM pubsubDeliveries
       WHERE subscription = ? AND state = ${waiting} AND dueMs <= ? ORDER BY dueMs, message LIMIT ?`,
    ),
    message: sql.prepare('SELECT * FROM pubsubMessages WHERE id = ?'),
    lease: sql.prepare(
      `UPDATE pubsubDeliveries SET state = ${leased}, attempts = ?, dueMs = ? WHERE subscription = ? AND message = ?`,
    ),
    find: sql.prepare(`SELECT state, dueMs FROM pubsubDeliveries WHERE ${BY_ACK_ID}`),
    remove: sql.prepare(`DELETE FROM pubsubDeliveries WHERE ${BY_ACK_ID}`),
    keepAcked: sql.prepare(
      `INSERT OR REPLACE INTO pubsubAcked SELECT subscription, message, orderingKey, attempts FROM pubsubDeliveries AS delivery
       WHERE ${BY_ACK_ID}
       AND (? OR EXISTS (SELECT 1 FROM pubsubSnapshotMessages WHERE message = delivery.message))`,
    ),
    addToSnapshot: sql.prepare('INSERT INTO pubsubSnapshotMessages VALUES (?, ?)'),
    setDue: sql.prepare(`UPDATE pubsubDeliveries SET state = ?, dueMs = ? WHERE ${BY_ACK_ID}`),
    expired: sql.prepare(
      `SELECT message, attempts FROM pubsubDeliveries
       WHERE subscription = ? AND state = ${leased} AND dueMs <= ? ORDER BY dueMs`,
    ),
    nextTime: sql.prepare(
      'SELECT MIN(dueMs) AS ms FROM pubsubDeliveries WHERE subscription = ? AND state = ? AND dueMs > ?',
    ),
    newestUntil: sql.prepare(
      'SELECT id FROM pubsubMessages WHERE publishMs <= ? ORDER BY publishMs DESC, id DESC LIMIT 1',
    ),
    dropUntil: sql.prepare(
      `DELETE FROM pubsubDeliveries WHERE subscription = ? AND message <= ? AND state <> ${leased}`,
    ),
    dropAckedUntil: sql.prepare('DELETE FROM pubsubAcked WHERE subscription = ? AND message <= ?'),
    clear: sql.prepare('DELETE FROM pubsubDeliveries WHERE subscription = ?'),
    clearAcked: sql.prepare('DELETE FROM pubsubAcked WHERE subscription = ?'),
    requeueAll: sql.prepare(
      `UPDATE pubsubDeliveries SET state = ${waiting}, dueMs = ? WHERE subscription = ? AND state = ${leased}`,
    ),
  };
}
