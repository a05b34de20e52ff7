// The queue of each subscription: which messages wait, which are being worked on until when, and how often each was
// delivered. All of it runs within a transaction of the caller.

import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import type { AckId } from '../fields/ackIds.ts';
import { passesFilter } from '../fields/filter.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { Subscription } from './subscriptionTable.ts';
import { DELIVERY, SOUGHT_MS } from './tables.ts';

/** A message as it was published. */
export interface StoredMessage extends NewMessage {
  /** Later messages have larger ids. */
  id: number;
  /** Epoch milliseconds. */
  publishMs: number;
}

/** A message that is given to a subscriber. */
export interface Delivery {
  message: StoredMessage;
  ackId: AckId;
}

/** Who gets what is published to a topic. */
interface Receivers {
  subscriptions: readonly Subscription[];
  /** Ids of snapshots. */
  snapshots: readonly number[];
}

/** How much a subscriber takes. */
export interface Room {
  messages: number;
  /** The first message is given however large it is. */
  bytes: number;
}

export interface Queue {
  /**
   * Stores a message for each of these subscriptions whose filter it passes, and for these snapshots. Returns its id, which
   * is used up also when there are none.
   */
  add(message: NewMessage, receivers: Receivers, nowMs: number): number;
  /** Takes messages that are due, as many as there is room for, until `deadlineMs`. The oldest come first. */
  lease(subscription: number, room: Room, times: { nowMs: number; deadlineMs: number }): Delivery[];
  /** Whether this is the latest attempt of a message that is not acked, and that Seek has not brought back since. */
  isLatest(id: AckId): boolean;
  /** Whether it is leased, and its deadline has not passed. */
  isLeased(id: AckId, nowMs: number): boolean;
  /** The message of a delivery. */
  messageOf(id: AckId): StoredMessage | undefined;
  /** Ends a delivery: it became a dead letter. */
  remove(id: AckId): void;
  /** Ends a delivery that was acked, and keeps what Seek may need of it. */
  ack(id: AckId, retained: boolean): void;
  /** Moves the ack deadline of a lease. */
  extend(id: AckId, deadlineMs: number): void;
  /** Ends a lease; the message waits until `dueMs`. */
  giveBack(id: AckId, dueMs: number): void;
  /** The leases whose deadlines have passed. */
  late(subscription: number, nowMs: number): AckId[];
  /** When the next lease ends, and when the next message that waits for a later time is due. */
  nextTimes(
    subscription: number,
    nowMs: number,
  ): { deadlineMs: number | undefined; dueMs: number | undefined };
  /** Drops messages that were published until `untilMs`; those being worked on when their leases have ended. */
  dropOld(subscription: number, untilMs: number): void;
  /** Drops everything of a subscription. */
  clear(subscription: number): void;
  /** Ends all leases of a subscription; its messages are due at once, with the attempts they had. */
  giveAllBack(subscription: number, nowMs: number): void;
}

export function createQueue({ sql }: CloudDatabase): Queue {
  const { waiting, leased, blocked } = DELIVERY;
  const addMessage = sql.prepare(
    'INSERT INTO pubsubMessages (data, attributes, orderingKey, publishMs) VALUES (?, ?, ?, ?)',
  );
  const forgetMessage = sql.prepare('DELETE FROM pubsubMessages WHERE id = ?');
  const addDelivery = sql.prepare(`INSERT INTO pubsubDeliveries VALUES (?, ?, ?, ?, 0, ?)`);
  const hasKey = sql.prepare(
    'SELECT 1 FROM pubsubDeliveries WHERE subscription = ? AND orderingKey = ? LIMIT 1',
  );
  const due = sql.prepare(
    `SELECT message, attempts FROM pubsubDeliveries
     WHERE subscription = ? AND state = ${waiting} AND dueMs <= ? ORDER BY dueMs, message LIMIT ?`,
  );
  const message = sql.prepare('SELECT * FROM pubsubMessages WHERE id = ?');
  const take = sql.prepare(
    `UPDATE pubsubDeliveries SET state = ${leased}, attempts = ?, dueMs = ? WHERE subscription = ? AND message = ?`,
  );
  const one = 'subscription = ? AND message = ? AND attempts = ?';
  const find = sql.prepare(`SELECT state, dueMs FROM pubsubDeliveries WHERE ${one}`);
  const remove = sql.prepare(`DELETE FROM pubsubDeliveries WHERE ${one}`);
  const keepAcked = sql.prepare(
    `INSERT OR REPLACE INTO pubsubAcked SELECT subscription, message, orderingKey, attempts FROM pubsubDeliveries AS delivery
     WHERE ${one}
     AND (? OR EXISTS (SELECT 1 FROM pubsubSnapshotMessages WHERE message = delivery.message))`,
  );
  const addToSnapshot = sql.prepare('INSERT INTO pubsubSnapshotMessages VALUES (?, ?)');
  const setDue = sql.prepare(`UPDATE pubsubDeliveries SET state = ?, dueMs = ? WHERE ${one}`);
  const late = sql.prepare(
    `SELECT message, attempts FROM pubsubDeliveries
     WHERE subscription = ? AND state = ${leased} AND dueMs <= ? ORDER BY dueMs`,
  );
  const next = sql.prepare(
    'SELECT MIN(dueMs) AS ms FROM pubsubDeliveries WHERE subscription = ? AND state = ? AND dueMs > ?',
  );
  const newestUntil = sql.prepare(
    'SELECT id FROM pubsubMessages WHERE publishMs <= ? ORDER BY publishMs DESC, id DESC LIMIT 1',
  );
  const dropUntil = sql.prepare(
    `DELETE FROM pubsubDeliveries WHERE subscription = ? AND message <= ? AND state <> ${leased}`,
  );
  const dropAckedUntil = sql.prepare('DELETE FROM pubsubAcked WHERE subscription = ? AND message <= ?');
  const clear = sql.prepare('DELETE FROM pubsubDeliveries WHERE subscription = ?');
  const clearAcked = sql.prepare('DELETE FROM pubsubAcked WHERE subscription = ?');
  const giveAllBack = sql.prepare(
    `UPDATE pubsubDeliveries SET state = ${waiting}, dueMs = ? WHERE subscription = ? AND state = ${leased}`,
  );

  const messageWithId = (id: number): StoredMessage | undefined => {
    const row: Message = message.get(id);
    return row && { ...row, attributes: JSON.parse(row.attributes) };
  };
  const key = ({ subscription, message, attempt }: AckId) => [subscription, message, attempt] as const;
  const timeOf = (state: number, subscription: number, nowMs: number): number | undefined => {
    const row: Message = next.get(subscription, state, nowMs);
    return row.ms ?? undefined;
  };

  return {
    add({ data, attributes, orderingKey }, { subscriptions, snapshots }, nowMs) {
      const id = Number(addMessage.run(data, JSON.stringify(attributes), orderingKey, nowMs).lastInsertRowid);
      const receivers = subscriptions.filter(({ settings }) => passesFilter(settings.filter, attributes));
      if (receivers.length === 0 && snapshots.length === 0) forgetMessage.run(id);
      for (const snapshot of snapshots) addToSnapshot.run(snapshot, id);
      for (const subscription of receivers) {
        const ordered =
          subscription.settings.enableMessageOrdering && orderingKey !== '' ? orderingKey : null;
        const waits = ordered !== null && hasKey.get(subscription.id, ordered) !== undefined;
        addDelivery.run(subscription.id, id, ordered, waits ? blocked : waiting, nowMs);
      }
      return id;
    },
    lease(subscription, room, { nowMs, deadlineMs }) {
      const deliveries: Delivery[] = [];
      let bytes = 0;
      for (const row of due.all(subscription, nowMs, room.messages) as Message[]) {
        const stored = messageWithId(row.message);
        if (stored === undefined) throw new Error(`message ${row.message} is gone`);
        if (deliveries.length > 0 && bytes + stored.data.length > room.bytes) break;
        bytes += stored.data.length;
        const ackId = { subscription, message: stored.id, attempt: row.attempts + 1 };
        take.run(ackId.attempt, deadlineMs, subscription, stored.id);
        deliveries.push({ message: stored, ackId });
      }
      return deliveries;
    },
    isLatest(id) {
      const row: Message = find.get(...key(id));
      return row !== undefined && row.dueMs !== SOUGHT_MS;
    },
    isLeased(id, nowMs) {
      const row: Message = find.get(...key(id));
      return row?.state === leased && row.dueMs > nowMs;
    },
    messageOf: ({ message }) => messageWithId(message),
    remove: (id) => void remove.run(...key(id)),
    ack(id, retained) {
      keepAcked.run(...key(id), retained ? 1 : 0);
      remove.run(...key(id));
    },
    extend: (id, deadlineMs) => void setDue.run(leased, deadlineMs, ...key(id)),
    giveBack: (id, dueMs) => void setDue.run(waiting, dueMs, ...key(id)),
    late: (subscription, nowMs) =>
      (late.all(subscription, nowMs) as Message[]).map(({ message, attempts }) => ({
        subscription,
        message,
        attempt: attempts,
      })),
    nextTimes: (subscription, nowMs) => ({
      deadlineMs: timeOf(leased, subscription, nowMs),
      dueMs: timeOf(waiting, subscription, nowMs),
    }),
    dropOld(subscription, untilMs) {
      const newest: Message = newestUntil.get(untilMs);
      if (newest === undefined) return;
      dropUntil.run(subscription, newest.id);
      dropAckedUntil.run(subscription, newest.id);
    },
    clear(subscription) {
      clear.run(subscription);
      clearAcked.run(subscription);
    },
    giveAllBack: (subscription, nowMs) => void giveAllBack.run(nowMs, subscription),
  };
}
