// The state of Pub/Sub: its tables, its queue and its clock.

import type { CloudDatabase } from '../../database/database.ts';
import type { Clock } from './clock.ts';
import { createQueue, type Queue } from './queue.ts';
import { createSchemaTable, type SchemaTable } from './schemaTable.ts';
import { createSeek, type Seek } from './seek.ts';
import { createSnapshotTable, type SnapshotTable } from './snapshotTable.ts';
import { createStoring, type Storing } from './storing.ts';
import { createSubscriptionTable, type SubscriptionTable } from './subscriptionTable.ts';
import { createTables } from './tables.ts';
import { createTopicTable, type TopicTable } from './topicTable.ts';

/** All RPCs and consumers share one state. */
export interface PubsubState {
  /** The database of all tables. */
  database: CloudDatabase;
  topics: TopicTable;
  subscriptions: SubscriptionTable;
  snapshots: SnapshotTable;
  /** Moves subscriptions to a time or a snapshot. */
  seek: Seek;
  schemas: SchemaTable;
  /** Pending and leased messages of all subscriptions. */
  queue: Queue;
  /** Runs writes, and retries them while the disk is full. */
  storing: Storing;
  /** The source of time and of timers. */
  clock: Clock;
  /** Epoch milliseconds. */
  nowMs(): number;
}

/** Opens the state of a database. Missing tables are created. */
export function openState(database: CloudDatabase, clock: Clock): PubsubState {
  createTables(database);
  const snapshots = createSnapshotTable(database);
  return {
    database,
    topics: createTopicTable(database),
    subscriptions: createSubscriptionTable(database),
    snapshots,
    seek: createSeek(database, snapshots),
    schemas: createSchemaTable(database),
    queue: createQueue(database),
    storing: createStoring(clock),
    clock,
    nowMs: () => clock.now().getTime(),
  };
}
