// The state of Pub/Sub: its tables, its queue and its clock.

import type { CloudDatabase } from '../../database/database.ts';
import type { Clock } from '../../protocol/clock.ts';
import { StatusError, status } from '../../protocol/status.ts';
import { createQueue, type Queue } from './queue.ts';
import { createSchemaTable, type SchemaTable } from './schemaTable.ts';
import { createSeek, type Seek } from './seek.ts';
import { createSnapshotTable, type SnapshotTable } from './snapshotTable.ts';
import { createSubscriptionTable, type SubscriptionTable } from './subscriptionTable.ts';
import { createTables } from './tables.ts';
import { createTopicTable, type TopicTable } from './topicTable.ts';

/** Between two attempts while the disk is full. */
const RETRY_MS = 5_000;

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

/** Writes that survive a full disk. */
interface Storing {
  /**
   * Runs a write. When the disk is full, it is retried until there is space. A pending write with the same
   * name is replaced.
   */
  run(name: string, work: () => void): void;
  /** Drops pending writes. */
  close(): void;
}

/** @param clock for the retries. */
function createStoring(clock: Clock): Storing {
  const pending = new Map<string, () => void>();
  let cancel = () => {};

  const run = (name: string, work: () => void): void => {
    pending.delete(name);
    try {
      work();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // The database is damaged: the process ends, and the delivery is still in its file.
      if (error.code === status.DATA_LOSS) return;
      if (error.code !== status.RESOURCE_EXHAUSTED) throw error;
      if (pending.size === 0) {
        console.error(error.details);
        cancel = clock.after(RETRY_MS, runAll);
      }
      pending.set(name, work);
    }
  };

  const runAll = (): void => {
    const all = [...pending];
    pending.clear();
    for (const [name, work] of all) run(name, work);
  };

  return {
    run,
    close() {
      cancel();
      pending.clear();
    },
  };
}
