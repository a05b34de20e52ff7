// Explains a query: the indexes that answer it, and its cost.

import type { Message } from '../../protocol/protoFiles.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import type { Snapshot } from '../engine/engine.ts';
import { compareDocuments, hasOrderedFields, isAfter } from '../query/cursors.ts';
import { isInequality, matchesFilter } from '../query/filters.ts';
import type { Query } from '../query/query.ts';
import type { FindNearest } from '../query/vectors.ts';
import { valueAt } from '../values/fieldPath.ts';
import { readVector } from '../values/value.ts';
import type { Alternative } from './alternatives.ts';
import type { Index } from './indexFile.ts';
import { fieldKey } from './indexFile.ts';
import type { Plan } from './planner.ts';
import { isEquality } from './planner.ts';

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
    const { documents, entries } = countReads(query, plan, snapshot, outcome);
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
        resultsReturned: String(outcome === undefined ? 1 : outcome.documents.length),
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

/** The documents and index entries that Firestore reads for a query. @param outcome as of `profileQuery`. */
export function countReads(
  query: Query,
  plan: Plan,
  snapshot: Snapshot,
  outcome?: Outcome,
): { documents: number; entries: number } {
  const found = outcome?.documents ?? [];
  const isFull = outcome !== undefined && found.length === query.limit;
  const entries =
    query.limit === 0
      ? 0
      : countEntries(query, plan, snapshot.scan(query.source), isFull ? found.at(-1) : undefined);
  return { documents: found.length + (outcome?.skipped ?? 0), entries };
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

/**
 * The entries within the bounds of the query, in all indexes of its plan.
 * @param documents all of its source.
 * @param last the result after which it stopped, because of its limit; undefined when it read to the end.
 */
function countEntries(
  query: Query,
  plan: Plan,
  documents: Iterable<StoredDocument>,
  last: StoredDocument | undefined,
): number {
  const { orders, start, end, findNearest } = query;
  const within = [...documents]
    .filter((document) => hasOrderedFields(document, orders))
    .filter((document) => findNearest === undefined || isIndexed(document, findNearest))
    .filter((document) => start === undefined || isAfter(document, start, orders))
    .filter((document) => end === undefined || !isAfter(document, end, orders))
    .filter((document) => last === undefined || compareDocuments(document, last, orders) <= 0)
    .sort((left, right) => compareDocuments(left, right, orders));
  return plan.lookups
    .map(({ conditions, indexes }) =>
      countJoin(indexes.map((index) => findEntries(index, conditions, query, within))),
    )
    .reduce((sum, count) => sum + count, 0);
}

/** Whether an index has the vector of a document: it has those of one size. */
const isIndexed = ({ fields }: StoredDocument, { path, vector }: FindNearest): boolean =>
  readVector(valueAt(fields, path))?.length === vector.length;

/** The positions of the documents that have an entry in the part of an index that the conditions bound. */
function findEntries(index: Index, conditions: Alternative, { orders }: Query, documents: StoredDocument[]) {
  const keys = new Set(index.map(({ key }) => key));
  const [first] = orders.filter(({ path }) => keys.has(fieldKey(path)));
  const bounds = conditions.filter((condition) =>
    // Of several ranges only that of the first field bounds the scan.
    isInequality(condition)
      ? first !== undefined && fieldKey(condition.path) === fieldKey(first.path)
      : !isEquality(condition) || keys.has(fieldKey(condition.path)),
  );
  return documents.flatMap((document, position) =>
    bounds.every((condition) => matchesFilter(condition, document)) ? [position] : [],
  );
}

/** How many entries a join of sorted lists reads that skips to its largest position. */
function countJoin(lists: number[][]): number {
  const at = lists.map(() => 0);
  let read = 0;
  let wanted = -1;
  let agreed = 0;
  for (let turn = 0; ; turn = (turn + 1) % lists.length) {
    const list = lists[turn] ?? [];
    let position = at[turn] ?? 0;
    while ((list[position] ?? wanted) < wanted) position++;
    at[turn] = position;
    const found = list[position];
    if (found === undefined) return read;
    read++;
    agreed = found === wanted ? agreed + 1 : 1;
    wanted = agreed === lists.length ? found + 1 : found;
    if (agreed === lists.length) agreed = 0;
  }
}
