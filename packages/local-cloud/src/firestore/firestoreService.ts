// Firestore v1 as a service of the local cloud, for Google's own client, with documents in SQLite.

import type { CloudDatabase } from '../database/database.ts';
import type { CloudService } from '../protocol/services.ts';
import { openEngine } from './engine/engine.ts';
import { MAX_REQUEST_BYTES } from './engine/limits.ts';
import { type IndexFile, readIndexes } from './indexes/indexFile.ts';
import { createPlanner } from './indexes/planner.ts';
import { createLimits, type LimitOptions } from './limits/limits.ts';
import { serveListen } from './listen/listenCall.ts';
import { commitRpcs } from './rpcs/commits.ts';
import { documentRpcs } from './rpcs/documents.ts';
import { listRpcs } from './rpcs/lists.ts';
import { partitionRpcs } from './rpcs/partitions.ts';
import { queryRpcs } from './rpcs/queries.ts';
import { createTransactions } from './rpcs/transactions.ts';
import { serveWrites } from './rpcs/writeStream.ts';
import { PROTOS } from './values/protos.ts';

/** A running Firestore. */
interface FirestoreService extends CloudService {
  /** Cancels commits that wait. The caller closes the database afterwards. */
  close(): void;
}

/** Automatic indexes exist all the same. */
const NO_INDEXES: IndexFile = { indexes: [], fieldOverrides: [] };

/**
 * Firestore v1 on a database, for all projects and databases of clients. Stop the server before closing the
 * database. Security rules are not evaluated: every caller is an administrator.
 * @param indexes those of all databases: a query that needs another is refused. Absent: every query has an
 * index.
 * @param limitOptions the limits of production. Absent: there are none on rates.
 */
export function createFirestoreService(
  database: CloudDatabase,
  indexes?: IndexFile,
  limitOptions?: LimitOptions,
): FirestoreService {
  const engine = openEngine(database);
  const transactions = createTransactions(engine, limitOptions?.clock);
  const planner = createPlanner(indexes && readIndexes(indexes));
  const limits = limitOptions && createLimits(engine, readIndexes(indexes ?? NO_INDEXES), limitOptions);
  const commits = limits ?? engine;
  return {
    protos: PROTOS,
    name: 'google.firestore.v1.Firestore',
    maxRequestBytes: MAX_REQUEST_BYTES,
    rpcs: {
      ...documentRpcs(engine, transactions, commits, limits),
      ...listRpcs(engine, transactions, planner),
      ...commitRpcs(commits, transactions),
      ...queryRpcs(engine, transactions, planner, limits),
      ...partitionRpcs(engine, transactions),
      Write: { bidiStream: (call) => serveWrites(commits, call) },
      Listen: { bidiStream: (call) => serveListen(engine, planner, call) },
    },
    ...(limits && { pages: { '/limits': limits.report } }),
    close: () => limits?.close(),
  };
}
