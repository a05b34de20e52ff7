// Explains a query: the indexes that answer it, and its cost.

import type { Message } from '../../protocol/protoFiles.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import type { Snapshot } from '../engine/engine.ts';
import type { Query } from '../query/query.ts';
import { countEntries } from './countEntries.ts';
import type { Index } from './indexFile.ts';
import type { Plan } from './planner.ts';

/** The results of a query that was run. */
interface Outcome {
  /** The documents that it found. */
  documents: StoredDocument[];
  /** How many were left out because of the offset. */
  skipped: number;
}

/**
 * https://firebase.google.com/docs/firestore/pricing: entries that cost one read, of an aggregation or of a
 * search by vectors.
 */
const ENTRIES_OF_READ = { aggregation: 1000, vectors: 100 };

/** `ExplainMetrics` of a query that is not run. */
export function planMetrics({ scope, lookups }: Plan): Message {
  const texts = new Set(lookups.flatMap(({ indexes }) => indexes.map(describeIndex)));
  return {
    planSummary: {
      indexesUsed: [...texts].map((properties) =>
        struct({ query_scope: scope === 'COLLECTION' ? 'Collection' : 'Collection group', properties }),
      ),
    },
  };
}

/**
 * Starts the clock of a query.
 * @returns its `ExplainMetrics` once it has run; without an outcome it was an aggregation, which reads no
 * document.
 */
export function profileQuery(query: Query, plan: Plan, snapshot: Snapshot): (outcome?: Outcome) => Message {
  const startedNs = process.hrtime.bigint();
  return (outcome) => {
    const ns = process.hrtime.bigint() - startedNs;
    const executionDuration = { seconds: String(ns / 1_000_000_000n), nanos: Number(ns % 1_000_000_000n) };
    const found = outcome?.documents ?? [];
    const isFull = outcome !== undefined && found.length === query.limit;
    const entries =
      query.limit === 0
        ? 0
        : countEntries(query, plan, snapshot.scan(query.source), isFull ? found.at(-1) : undefined);
    const documents = found.length + (outcome?.skipped ?? 0);
    const reads = {
      documents,
      ofEntries:
        outcome === undefined
          ? Math.ceil(entries / ENTRIES_OF_READ.aggregation)
          : query.findNearest
            ? Math.ceil(entries / ENTRIES_OF_READ.vectors)
            : 0,
    };
    return {
      ...planMetrics(plan),
      executionStats: {
        resultsReturned: String(outcome === undefined ? 1 : found.length),
        executionDuration,
        // One is the least that a query costs.
        readOperations: String(Math.max(1, reads.documents + reads.ofEntries)),
        debugStats: struct({
          documents_scanned: String(documents),
          index_entries_scanned: String(entries),
        }),
      },
    };
  };
}

/** `(status ASC, createdAt DESC, __name__ DESC)` */
function describeIndex(index: Index): string {
  const modes: Record<string, string> = { ASCENDING: 'ASC', DESCENDING: 'DESC' };
  const fields = index.map(({ key, mode }) => `${key.split('\0').join('.')} ${modes[mode] ?? mode}`);
  return `(${fields.join(', ')})`;
}

/** A `google.protobuf.Struct` of texts. */
const struct = (texts: Record<string, string>): Message => ({
  fields: Object.fromEntries(Object.entries(texts).map(([name, stringValue]) => [name, { stringValue }])),
});
