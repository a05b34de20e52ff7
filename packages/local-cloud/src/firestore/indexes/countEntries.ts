// Counts the index entries that Firestore would read for a query that was run.

import type { StoredDocument } from '../engine/documentStore.ts';
import { compareDocuments, hasOrderedFields, isAfter } from '../query/cursors.ts';
import { isInequality, matchesFilter } from '../query/filters.ts';
import type { Query } from '../query/query.ts';
import type { FindNearest } from '../query/vectors.ts';
import { valueAt } from '../values/fieldPath.ts';
import { readVector } from '../values/value.ts';
import type { Alternative } from './alternatives.ts';
import { fieldKey, type Index } from './indexFile.ts';
import { isEquality, type Plan } from './planner.ts';

/**
 * The entries within the bounds of the query, in all indexes of its plan.
 * @param documents all of its source.
 * @param last the result after which it stopped, because of its limit; undefined when it read to the end.
 */
export function countEntries(
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
