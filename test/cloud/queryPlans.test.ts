// How SQLite finds what the local cloud asks it for: no statement of a commit, a query by ids, a publish or a
// delivery reads rows that it does not need, however many there are.

import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';

/** What a plan says of a search for one row or for a range of which every row is asked for. */
const NARROW = [
  /\(database=\? AND collection=\? AND position(=\?|>\? AND position<\?)\)$/,
  /\(subscription=\? AND (message=\?|state=\? AND dueMs[<>]\?|orderingKey=\?)\)$/,
  /\((rowid|name|topic|message)=\?( AND name>\?)?\)$/,
  /\(name>\? AND name<\?\)$/,
  /\(publishMs<\?\)$/,
  /\(collection_id=\? AND field=\? AND database=\? AND value>\? AND value<\?\)$/,
  /firestore_times_paths \(database=\? AND path=\?\)$/,
];
/** Snapshots and Seek are about all messages of a subscription. */
const SEEK =
  /pubsubSnapshot|pubsubAcked|MIN\(publishMs\)|SELECT message, attempts FROM|CASE WHEN message|message (NOT )?IN \(SELECT id/;

it('operations that read more than they return are known', () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const database = openDatabase();
  createFirestoreService(database);
  createPubsubService(database).close();
  const statements = prepare.mock.calls.map(([text]) => text.replace(/\s+/g, ' '));
  prepare.mockRestore();

  const wide = statements
    .filter((statement) => !SEEK.test(statement))
    .filter((statement) =>
      database.sql
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .some(({ detail }) => !NARROW.some((narrow) => narrow.test(String(detail)))),
    );
  expect(wide).toEqual([
    // Groups of collections, and what is below a document: for migrations and recursive deletes.
    expect.stringMatching(
      /^SELECT rowid, .* collection >= \? AND collection < \? AND \(\? IS NULL OR collection_id/,
    ),
    expect.stringMatching(/^SELECT DISTINCT collection FROM firestore_documents .* collection < \?$/),
    // Whether a collection is worth an index: 2,001 rows at most.
    'SELECT 1 FROM firestore_documents WHERE database = ? AND collection = ? LIMIT 1 OFFSET 2000',
    // Whether a group has one collection, which is read in its order.
    expect.stringMatching(/^SELECT DISTINCT collection .* collection_id = \? LIMIT 2$/),
    // One row.
    'SELECT last FROM firestore_clock',
    'UPDATE firestore_clock SET last = ?',
    // At the start.
    'SELECT * FROM pubsubSubscriptions',
    // Those that are older than the retention, but for those being worked on.
    'DELETE FROM pubsubDeliveries WHERE subscription = ? AND message <= ? AND state <> 1',
    // When a subscription is deleted or detached; when it begins to push elsewhere.
    'DELETE FROM pubsubDeliveries WHERE subscription = ?',
    expect.stringMatching(
      /^UPDATE pubsubDeliveries SET state = 0, dueMs = \? WHERE subscription = \? AND state = 1$/,
    ),
  ]);
  database.close();
});
