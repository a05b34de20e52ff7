// Runs a query on a snapshot: a scan of its source, narrowed by ids where the query allows it.

import type { ScanRange, StoredDocument } from '../engine/documentStore.ts';
import { isWithin, type Snapshot } from '../engine/engine.ts';
import type { TextMatch, TimeRange } from '../engine/timeIndex.ts';
import { maskFields, NAME_PATH } from '../values/fieldPath.ts';
import { cutDocumentId, cutParentPath, joinPath, parseDocumentName } from '../values/names.ts';
import type { Timestamp, Value } from '../values/value.ts';
import { compareDocuments, hasOrderedFields, isAfter } from './cursors.ts';
import { type Filter, matchesFilter } from './filters.ts';
import type { Query } from './query.ts';
import { nearestDocuments } from './vectors.ts';

/** The result of a query: documents in order, with all fields. */
interface Results {
  /** In the order of the query, after its offset and up to its limit. */
  documents: StoredDocument[];
  /** How many were left out because of the offset. */
  skipped: number;
}

/** Runs a query; an offset or limit counts in its order. */
export function findResults(snapshot: Snapshot, query: Query): Results {
  const end = query.limit === undefined ? undefined : query.offset + query.limit;
  const found: StoredDocument[] = [];
  if (end === 0) return { documents: found, skipped: 0 };
  const [first, ...others] = query.orders;
  // The only order, or the last, is that of names.
  const isInOrder = others.length === 0;
  const descending = isInOrder && first?.direction === -1;
  for (const document of snapshot.scan(query.source, { ...scanRange(query), descending })) {
    if (!isSelected(query, document)) continue;
    found.push(document);
    if (isInOrder && found.length === end) break;
  }
  if (!isInOrder) found.sort((left, right) => compareDocuments(left, right, query.orders));
  if (query.findNearest !== undefined)
    return { documents: nearestDocuments(found, query.findNearest), skipped: 0 };
  return { documents: found.slice(query.offset, end), skipped: Math.min(query.offset, found.length) };
}

/** Only the documents. */
export const runQuery = (snapshot: Snapshot, query: Query): StoredDocument[] =>
  findResults(snapshot, query).documents;

/** Whether a document is a result, but for offset and limit. */
export function matchesQuery(query: Query, document: StoredDocument): boolean {
  return isWithin(document, query.source) && isSelected(query, document);
}

function isSelected({ filter, orders, start, end }: Query, document: StoredDocument): boolean {
  if (!hasOrderedFields(document, orders) || !matchesFilter(filter, document)) return false;
  if (start !== undefined && !isAfter(document, start, orders)) return false;
  return end === undefined || !isAfter(document, end, orders);
}

/** The fields that the client is to get. */
export const projected = ({ select }: Query, document: StoredDocument): StoredDocument =>
  select === undefined
    ? document
    : { ...document, fields: maskFields(document.fields, select), data: undefined };

/** Bounds of all results, derived from filters and cursors. Each result is still checked. */
function scanRange(query: Query): ScanRange {
  const { collectionId, allDescendants } = query.source;
  if (collectionId === undefined) return {};
  const times = allDescendants ? timeRange(query) : undefined;
  if (times !== undefined) return { times };
  const match = findMatch(query);
  return { ...idRange(query), ...(match !== undefined && { match }) };
}

/** A text that a filter asks for in a field at the top. */
function findMatch({ filter }: Query): TextMatch | undefined {
  for (const each of necessary(filter)) {
    if (each.kind !== 'field' || each.op !== 'EQUAL' || each.path.length > 1) continue;
    const [field = ''] = each.path;
    if (field !== NAME_PATH && each.value.valueType === 'stringValue')
      return { field, text: each.value.stringValue };
  }
  return undefined;
}

/** The times of a field that filters ask for. A filter by a time finds nothing but times. */
function timeRange({ filter }: Query): TimeRange | undefined {
  let range: TimeRange | undefined;
  for (const each of necessary(filter)) {
    if (each.kind !== 'field' || each.path.length > 1 || each.value.valueType !== 'timestampValue') continue;
    const [field = ''] = each.path;
    const bounds = toTimeBounds(each.op, each.value.timestampValue);
    if (bounds !== undefined && (range === undefined || range.field === field)) {
      range = { field, ...range, ...bounds };
    }
  }
  return range;
}

function toTimeBounds(op: string, time: Timestamp): Pick<TimeRange, 'from' | 'to'> | undefined {
  switch (op) {
    case 'EQUAL':
      return { from: time, to: time };
    case 'GREATER_THAN':
    case 'GREATER_THAN_OR_EQUAL':
      return { from: time };
    case 'LESS_THAN':
    case 'LESS_THAN_OR_EQUAL':
      return { to: time };
    default:
      return undefined;
  }
}

/** The ids of one collection among which all results are. */
function idRange({ source, filter, orders, start, end }: Query): ScanRange {
  if (source.collectionId === undefined) return {};
  const collection = joinPath(source.parent, source.collectionId);
  const idIn = (value: Value | undefined): string | undefined => {
    if (value?.valueType !== 'referenceValue') return undefined;
    const { path } = parseDocumentName(value.referenceValue);
    return cutParentPath(path) === collection ? cutDocumentId(path) : undefined;
  };

  let range: ScanRange = {};
  const narrow = (from: string | undefined, to: string | undefined) => {
    range = { ...range, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  };
  const [first] = orders;
  if (first?.path[0] === NAME_PATH) {
    const [from, to] = [idIn(start?.values[0]), idIn(end?.values[0])];
    if (first.direction === 1) narrow(from, to);
    else narrow(to, from);
  }
  for (const each of necessary(filter)) {
    if (each.kind !== 'field' || each.path[0] !== NAME_PATH) continue;
    const id = idIn(each.value);
    if (each.op === 'EQUAL') narrow(id, id);
    if (each.op === 'GREATER_THAN' || each.op === 'GREATER_THAN_OR_EQUAL') narrow(id, undefined);
    if (each.op === 'LESS_THAN' || each.op === 'LESS_THAN_OR_EQUAL') narrow(undefined, id);
  }
  return range;
}

/** The filters that every result passes. */
const necessary = (filter: Filter): Filter[] =>
  filter.kind === 'and' ? filter.filters.flatMap(necessary) : [filter];
