// Where Pub/Sub stores what it has: topics, subscriptions, schemas, snapshots, messages, and one delivery for each message that a subscription
// has not acked.

import type { CloudDatabase } from '../../database/database.ts';

/** The states of a delivery. */
export const DELIVERY = {
  /** Delivered when `dueMs` has passed. */
  waiting: 0,
  /** A subscriber has it; `dueMs` is its ack deadline. */
  leased: 1,
  /** A message with the same ordering key is before it. */
  blocked: 2,
} as const;

/**
 * `dueMs` of a message that Seek brought back: it is due at once, and the ack ids that subscribers have for it do not
 * count, as if it had been delivered again already.
 */
export const SOUGHT_MS = -1;

/** Creates the tables that are not there. */
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

    -- AUTOINCREMENT: ids grow, and none is given twice, also after the last message was acked.
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
      -- Null where order does not matter.
      orderingKey TEXT,
      state INTEGER NOT NULL,
      -- How often it was delivered.
      attempts INTEGER NOT NULL,
      dueMs INTEGER NOT NULL,
      PRIMARY KEY (subscription, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesDue ON pubsubDeliveries (subscription, state, dueMs, message);
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesOfMessage ON pubsubDeliveries (message);
    CREATE INDEX IF NOT EXISTS pubsubDeliveriesInOrder ON pubsubDeliveries (subscription, orderingKey, message)
      WHERE orderingKey IS NOT NULL;

    -- However a delivery ends (acked, expired, a dead letter), the next of its ordering key may go ...
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

    -- What was not acked when a snapshot was made, and all that was published to its topic since then.
    CREATE TABLE IF NOT EXISTS pubsubSnapshotMessages (
      snapshot INTEGER NOT NULL,
      message INTEGER NOT NULL,
      PRIMARY KEY (snapshot, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubSnapshotsOfMessage ON pubsubSnapshotMessages (message);

    -- What was acked, for as long as Seek may need it: the deliveries as they were.
    CREATE TABLE IF NOT EXISTS pubsubAcked (
      subscription INTEGER NOT NULL,
      message INTEGER NOT NULL,
      orderingKey TEXT,
      attempts INTEGER NOT NULL,
      PRIMARY KEY (subscription, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pubsubAckedOfMessage ON pubsubAcked (message);
  `);
  // ... and a message that nothing refers to any more is gone.
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
  // The name that it had in files of before there were snapshots.
  sql.exec('DROP TRIGGER IF EXISTS pubsubForget');
}
