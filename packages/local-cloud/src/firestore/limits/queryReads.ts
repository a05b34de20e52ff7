// Reads of queries by their shapes, the fields that they compare and order by, and of documents by name.

import { leaves } from '../query/filters.ts';
import type { Query } from '../query/query.ts';
import { cutDocumentId, cutParentPath } from '../values/names.ts';

/** Queries of one shape in the report. */
interface QueryRow {
  /** `sessions: status EQUAL; createdAt descending`, or `sessions: by name` */
  query: string;
  count: number;
  /** Read by all together, and by the one that read most. */
  documents: number;
  greatestDocuments: number;
  indexEntries: number;
  greatestIndexEntries: number;
}

/** More shapes than programs have; those that people type are not listed then. */
const MAX_SHAPES = 1000;

/** Reads. */
interface Reads {
  documents: number;
  entries: number;
}

/** Reads of queries and of documents by name. */
interface QueryReads {
  add(query: Query, reads: Reads): void;
  /** Adds the read of one document by its name. */
  addRead(path: string): void;
  /** The shape with the most entries first. */
  report(): QueryRow[];
}

/** No queries at first. */
export function createQueryReads(): QueryReads {
  const rows = new Map<string, QueryRow>();
  const addTo = (shape: string, { documents, entries }: Reads): void => {
    const row = rows.get(shape) ?? createRow(shape);
    if (!rows.has(shape) && rows.size >= MAX_SHAPES) return;
    rows.set(shape, row);
    row.count += 1;
    row.documents += documents;
    row.greatestDocuments = Math.max(row.greatestDocuments, documents);
    row.indexEntries += entries;
    row.greatestIndexEntries = Math.max(row.greatestIndexEntries, entries);
  };
  return {
    add: (query, reads) => addTo(describeShape(query), reads),
    addRead: (path) => addTo(`${cutDocumentId(cutParentPath(path))}: by name`, { documents: 1, entries: 0 }),
    report: () => [...rows.values()].sort((left, right) => right.indexEntries - left.indexEntries),
  };
}

const createRow = (query: string): QueryRow => ({
  query,
  count: 0,
  documents: 0,
  greatestDocuments: 0,
  indexEntries: 0,
  greatestIndexEntries: 0,
});

function describeShape({ source, filter, orders, limit }: Query): string {
  const conditions = leaves(filter).map(({ path, op }) => `${path.join('.')} ${op}`);
  const order = orders.map(({ path, direction }) => path.join('.') + (direction === 1 ? '' : ' descending'));
  const place = `${source.allDescendants ? 'all ' : ''}${source.collectionId ?? 'every collection'}`;
  const parts = [...new Set(conditions)].sort().join(', ');
  return `${place}: ${parts}; ${order.join(', ')}${limit === undefined ? '' : '; limited'}`;
}
