// The tables of Pub/Sub: topics, subscriptions, schemas, snapshots, messages, and a delivery for each unacked
// message of a subscription.

import type { CloudDatabase } from '../../database/database.ts';

/** The states of a delivery. */
export const DELIVERY = {
  /** Due at `dueMs`. */
  waiting: 0,
  /** A subscriber holds it; `dueMs` is its ack deadline. */
  leased: 1,
  /** An earlier message with the same ordering key is unacked. */
  blocked: 2,
} as const;

/**
 * `dueMs` of a message that Seek restored: it is due immediately, and earlier ack ids are invalid, as after a
 * redelivery.
 */
export const SOUGHT_MS = -1;

/** Creates the missing tables and triggers. */
export function createTables({ sql }: CloudDatabase): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS pubsubTopics (
      name TEXT PRIMARY KEY,
      settings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS pubsubSubscriptions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      topic TEXT NOT NULL,
      settings TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS pubsubSubscriptionsOfTopic ON pubsubSubscriptions (topic, name);

    -- AUTOINCREMENT: ids grow and are never reused, also after the last message was acked.
    CREATE TABLE IF NOT EXISTS pubsubMessages (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      data BLOB NOT NULL,
      attributes TEXT NOT NULL,
      orderingKey TEXT NOT NULL,
      publishMs INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS pubsubMessagesByTime ON pubsubMessages (publishMs);

    CREATE TABLE IF NOT EXISTS pubsubDeliveries (
      subscription INTEGER NOT NULL,
      message INTEGER NOT NULL,
      -- Null when order does not matter.
      orderingKey TEXT,
      state INTEGER NOT NULL,
      -- Number of deliveries.
      attempts INTEGER NOT NULL,
      dueMs INTEGER NOT NULL,
      PRIMARY KEY (subscription, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesDue ON pubsubDeliveries (subscription, state, dueMs, message);
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesOfMessage ON pubsubDeliveries (message);
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesInOrder ON pubsubDeliveries (subscription, orderingKey, message)
      WHERE orderingKey IS NOT NULL;

    -- When a delivery ends (acked, expired, dead letter), the next message of its ordering key becomes due.
    CREATE TRIGGER IF NOT EXISTS pubsubUnblock AFTER DELETE ON pubsubDeliveries WHEN OLD.orderingKey IS NOT NULL BEGIN
      UPDATE pubsubDeliveries SET state = ${DELIVERY.waiting}
      WHERE state = ${DELIVERY.blocked} AND subscription = OLD.subscription AND message = (
        SELECT MIN(message) FROM pubsubDeliveries
        WHERE subscription = OLD.subscription AND orderingKey = OLD.orderingKey
      );
    END;

    CREATE TABLE IF NOT EXISTS pubsubSchemas (
      name TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      revisionId TEXT NOT NULL,
      createMs INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS pubsubSnapshots (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      topic TEXT NOT NULL,
      expireMs INTEGER NOT NULL,
      labels TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS pubsubSnapshotsOfTopic ON pubsubSnapshots (topic, name);

    -- The unacked messages at the time of a snapshot, and all later messages of its topic.
    CREATE TABLE IF NOT EXISTS pubsubSnapshotMessages (
      snapshot INTEGER NOT NULL,
      message INTEGER NOT NULL,
      PRIMARY KEY (snapshot, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubSnapshotsOfMessage ON pubsubSnapshotMessages (message);

    -- Acked deliveries, as long as Seek can restore them.
    CREATE TABLE IF NOT EXISTS pubsubAcked (
      subscription INTEGER NOT NULL,
      message INTEGER NOT NULL,
      orderingKey TEXT,
      attempts INTEGER NOT NULL,
      PRIMARY KEY (subscription, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubAckedOfMessage ON pubsubAcked (message);
  `);
  // Deletes a message without references.
  for (const table of ['pubsubDeliveries', 'pubsubSnapshotMessages', 'pubsubAcked']) {
    sql.exec(`
      DROP TRIGGER IF EXISTS ${table}Forget;
      CREATE TRIGGER ${table}Forget AFTER DELETE ON ${table}
      WHEN NOT EXISTS (SELECT 1 FROM pubsubDeliveries WHERE message = OLD.message)
        AND NOT EXISTS (SELECT 1 FROM pubsubSnapshotMessages WHERE message = OLD.message)
        AND NOT EXISTS (SELECT 1 FROM pubsubAcked WHERE message = OLD.message)
      BEGIN
        DELETE FROM pubsubMessages WHERE id = OLD.message;
      END;
    `);
  }
  // The name of this trigger in files from before snapshots existed.
  sql.exec('DROP TRIGGER IF EXISTS pubsubForget');
}
