// A structured query, parsed and checked.

import type { Source } from '../engine/documentStore.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, NAME_PATH, parseFieldPath } from '../values/fieldPath.ts';
import { checkCollectionId, parseParent } from '../values/names.ts';
import {
  type Cursor,
  type CursorMessage,
  type Order,
  type OrderMessage,
  parseCursor,
  parseOrders,
} from './cursors.ts';
import {
  checkCombination,
  type FieldReference,
  type Filter,
  type FilterMessage,
  inequalityPaths,
  leaves,
  parseFilter,
} from './filters.ts';
import { type FindNearest, type FindNearestMessage, parseFindNearest } from './vectors.ts';

/** A query on the wire. */
export interface StructuredQuery {
  /** The fields of the results; all when absent. */
  select?: { fields?: FieldReference[] } | null;
  /** Exactly one collection or collection group. */
  from?: { collectionId?: string; allDescendants?: boolean }[];
  /** Selects documents; all when absent. */
  where?: FilterMessage | null;
  /** The order, before the implicit fields. */
  orderBy?: OrderMessage[];
  /** The first result; from the start when absent. */
  startAt?: CursorMessage | null;
  /** The last result; to the end when absent. */
  endAt?: CursorMessage | null;
  /** Results to skip. Default: 0. */
  offset?: number;
  /** The maximum number of results; all when absent. */
  limit?: { value?: number } | null;
  /** Orders by the distance of vectors. */
  findNearest?: FindNearestMessage | null;
}

/** A validated query. */
export interface Query {
  /** The documents to search. */
  source: Source;
  /** Selects documents. */
  filter: Filter;
  /** The whole order, with implicit fields. */
  orders: Order[];
  /** The first result; undefined for the start. */
  start: Cursor | undefined;
  /** The last result; undefined for the end. */
  end: Cursor | undefined;
  /** Results to skip. */
  offset: number;
  /** The maximum number of results; undefined for all. */
  limit: number | undefined;
  /** The fields that the results have; undefined for all. */
  select: FieldPath[] | undefined;
  /** A search by the distance of vectors. */
  findNearest: FindNearest | undefined;
}

/** https://firebase.google.com/docs/firestore/query-data/queries: the same limit. */
const MAX_FILTERS_AND_ORDERS = 100;

/**
 * @param parent full name of the document, or of the database's root, below which the query looks.
 * @param aggregated the fields of sums and averages: results have them, and they are part of the order.
 * @throws StatusError INVALID_ARGUMENT when a part of it is not valid.
 */
export function parseQuery(
  parent: string | undefined,
  message: StructuredQuery | null | undefined,
  aggregated: FieldPath[] = [],
): Query {
  if (message == null) throw invalid('only structured queries are supported');
  const source = parseSource(parent, message.from ?? []);
  const filter: Filter = message.where ? parseFilter(message.where) : { kind: 'and', filters: [] };
  checkCombination(filter);
  const count = leaves(filter).length + (message.orderBy?.length ?? 0);
  if (count > MAX_FILTERS_AND_ORDERS) {
    throw invalid(
      `The query may not have more than ${MAX_FILTERS_AND_ORDERS} filters + sort orders: it has ${count}.`,
    );
  }
  const orders = parseOrders(message.orderBy ?? [], inequalityPaths(filter), aggregated);
  if (source.collectionId === undefined) checkNamesOnly(filter, orders);
  const explicit = orders.slice(0, message.orderBy?.length ?? 0);
  const offset = message.offset ?? 0;
  if (offset < 0) throw invalid('offset is negative');
  const limit = message.limit ? (message.limit.value ?? 0) : undefined;
  if (limit !== undefined && limit < 0) throw invalid('limit is negative');
  if (message.findNearest && limit !== undefined)
    throw invalid('A query limit cannot be used with FindNearest');
  if (message.findNearest && offset > 0) throw invalid('A query offset cannot be used with FindNearest');
  return {
    source,
    filter,
    orders,
    start: parseCursor(message.startAt, explicit),
    end: parseCursor(message.endAt, explicit),
    offset,
    limit,
    select: message.select ? parseSelect(message.select.fields ?? []) : undefined,
    findNearest: message.findNearest ? parseFindNearest(message.findNearest) : undefined,
  };
}

/** Fields are compared within collections of one id. */
function checkNamesOnly(filter: Filter, orders: Order[]): void {
  const paths = [...leaves(filter), ...orders].map(({ path }) => path);
  const other = paths.find(([name]) => name !== NAME_PATH);
  if (other === undefined) return;
  throw invalid(
    `a collection id is required for all filters and orders but those of __name__: ${other.join('.')}`,
  );
}

function parseSource(parent: string | undefined, from: NonNullable<StructuredQuery['from']>): Source {
  if (from.length > 1) throw invalid('StructuredQuery.from cannot have more than one collection selector.');
  const { database, path } = parseParent(parent);
  const { collectionId, allDescendants = false } = from[0] ?? {};
  if (!collectionId) return { database, parent: path, allDescendants };
  checkCollectionId(collectionId);
  return { database, parent: path, collectionId, allDescendants };
}

/** Every result has its name, so a query that selects only the name gets no fields. */
function parseSelect(fields: FieldReference[]): FieldPath[] {
  return fields.map(({ fieldPath }) => parseFieldPath(fieldPath)).filter(([name]) => name !== NAME_PATH);
}
