// Seek: resets the acks of a subscription to a snapshot or a time.

import type { DatabaseSync } from 'node:sqlite';
import type { CloudDatabase } from '../../database/database.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import type { AckId } from '../fields/ackIds.ts';
import { passesFilter } from '../fields/filter.ts';
import type { SnapshotTable } from './snapshotTable.ts';
import type { Subscription } from './subscriptionTable.ts';
import { DELIVERY, SOUGHT_MS } from './tables.ts';

/** Every function runs within a transaction of the caller. */
export interface Seek {
  /**
   * Acks the messages that were acked when the snapshot was taken. All other messages are unacked and due
   * immediately, leased ones included.
   * @returns the deliveries that were leased. All of them have ended.
   */
  toSnapshot(subscription: Subscription, snapshot: number): AckId[];
  /**
   * Acks the messages that were published before a time in epoch milliseconds. Retained later messages are
   * unacked and due immediately.
   * @returns as for a snapshot.
   */
  toTime(subscription: Subscription, timeMs: number): AckId[];
}

const OF_SNAPSHOT = '(SELECT message FROM pubsubSnapshotMessages WHERE snapshot = ?)';
const BEFORE = 'message IN (SELECT id FROM pubsubMessages WHERE publishMs < ?)';
const SINCE = 'message IN (SELECT id FROM pubsubMessages WHERE publishMs >= ?)';

/** The tables must exist. */
export function createSeek({ sql }: CloudDatabase, snapshots: SnapshotTable): Seek {
  const { waiting, leased, blocked } = DELIVERY;
  const leases = sql.prepare(
    `SELECT message, attempts FROM pubsubDeliveries WHERE subscription = ? AND state = ${leased}`,
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
  // Every unacked message is due, except for those behind another message of their ordering key.
  const makeDue = sql.prepare(
    `UPDATE pubsubDeliveries AS delivery SET dueMs = ${SOUGHT_MS}, state = CASE WHEN message = (
       SELECT MIN(message) FROM pubsubDeliveries
       WHERE subscription = delivery.subscription AND orderingKey = delivery.orderingKey
     ) OR orderingKey IS NULL THEN ${waiting} ELSE ${blocked} END
     WHERE subscription = ?`,
  );
  const resetToSnapshot = prepareReset(sql, `message NOT IN ${OF_SNAPSHOT}`, `message IN ${OF_SNAPSHOT}`);
  const resetToTime = prepareReset(sql, BEFORE, SINCE);

  const leasesOf = (subscription: number): AckId[] => {
    const rows: Message[] = leases.all(subscription);
    return rows.map(({ message, attempts }) => ({ subscription, message, attempt: attempts }));
  };

  return {
    toSnapshot({ id, settings }, snapshot) {
      const ended = leasesOf(id);
      resetToSnapshot(id, snapshot);
      snapshots.dropUnretained();
      const rows: Message[] = missing.all(snapshot, id);
      for (const { id: message, attributes, orderingKey } of rows) {
        if (!passesFilter(settings.filter, JSON.parse(attributes))) continue;
        addDelivery.run(id, message, settings.enableMessageOrdering ? orderingKey || null : null);
      }
      makeDue.run(id);
      return ended;
    },
    toTime({ id }, timeMs) {
      const ended = leasesOf(id);
      resetToTime(id, timeMs);
      snapshots.dropUnretained();
      makeDue.run(id);
      return ended;
    },
  };
}

/** A function that acks messages that `acked` selects, and restores those of `restored`. */
function prepareReset(
  sql: DatabaseSync,
  acked: string,
  restored: string,
): (subscription: number, target: number) => void {
  const statements = [
    `INSERT OR REPLACE INTO pubsubAcked SELECT subscription, message, orderingKey, attempts FROM pubsubDeliveries
     WHERE subscription = ? AND ${acked}`,
    `DELETE FROM pubsubDeliveries WHERE subscription = ? AND ${acked}`,
    `INSERT INTO pubsubDeliveries
     SELECT subscription, message, orderingKey, ${DELIVERY.waiting}, attempts, ${SOUGHT_MS} FROM pubsubAcked
     WHERE subscription = ? AND ${restored}`,
    `DELETE FROM pubsubAcked WHERE subscription = ? AND ${restored}`,
  ].map((statement) => sql.prepare(statement));
  return (subscription, target) => {
    for (const statement of statements) statement.run(subscription, target);
  };
}
