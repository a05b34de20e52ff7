// What Pub/Sub is made of, as its parts are given it.

import type { Clock } from '../../../../shared/runtime/kernel/deps.ts';
import type { CloudDatabase } from '../../database/database.ts';
import { createQueue, type Queue } from './queue.ts';
import { createSchemaTable, type SchemaTable } from './schemaTable.ts';
import { createSnapshotTable, type SnapshotTable } from './snapshotTable.ts';
import { createStoring, type Storing } from './storing.ts';
import { createSubscriptionTable, type SubscriptionTable } from './subscriptionTable.ts';
import { createTables } from './tables.ts';
import { createTopicTable, type TopicTable } from './topicTable.ts';

export interface PubsubState {
  database: CloudDatabase;
  topics: TopicTable;
  subscriptions: SubscriptionTable;
  snapshots: SnapshotTable;
  schemas: SchemaTable;
  queue: Queue;
  storing: Storing;
  clock: Clock;
  /** Epoch milliseconds. */
  nowMs(): number;
}

export function openState(database: CloudDatabase, clock: Clock): PubsubState {
  createTables(database);
  return {
    database,
    topics: createTopicTable(database),
    subscriptions: createSubscriptionTable(database),
    snapshots: createSnapshotTable(database),
    schemas: createSchemaTable(database),
    queue: createQueue(database),
    storing: createStoring(clock),
    clock,
    nowMs: () => clock.now().getTime(),
  };
}
