// Explains a query: its plan and its cost.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Snapshot } from '../engine/engine.ts';
import type { Query } from './query.ts';

/** A query that is being run to be explained. */
export interface Profile {
  /** The snapshot to read. It counts its reads. */
  snapshot: Snapshot;
  /** `ExplainMetrics` on the wire, once the query has run. */
  metrics(results: number): Message;
}

/** `ExplainMetrics` of a query that is not run: every query scans its collection in the order of ids. */
export const planMetrics = ({ source }: Query): Message => ({
  planSummary: {
    indexesUsed: [
      struct({
        query_scope: source.allDescendants ? 'Collection group' : 'Collection',
        properties: '(__name__ ASC)',
      }),
    ],
  },
});

/** Starts the clock of a query that is run on a snapshot. */
export function profileQuery(query: Query, snapshot: Snapshot): Profile {
  const startedNs = process.hrtime.bigint();
  let scanned = 0;
  const scan: Snapshot['scan'] = function* (...request) {
    for (const document of snapshot.scan(...request)) {
      scanned += 1;
      yield document;
    }
  };
  return {
    snapshot: { ...snapshot, scan },
    metrics(results) {
      const ns = process.hrtime.bigint() - startedNs;
      const executionDuration = { seconds: String(ns / 1_000_000_000n), nanos: Number(ns % 1_000_000_000n) };
      return {
        ...planMetrics(query),
        executionStats: {
          resultsReturned: String(results),
          executionDuration,
          // One is the least that a query costs (https://firebase.google.com/docs/firestore/pricing).
          readOperations: String(Math.max(1, results)),
          debugStats: struct({ documents_scanned: String(scanned) }),
        },
      };
    },
  };
}

/** A `google.protobuf.Struct` of texts. */
const struct = (texts: Record<string, string>): Message => ({
  fields: Object.fromEntries(Object.entries(texts).map(([name, stringValue]) => [name, { stringValue }])),
});
