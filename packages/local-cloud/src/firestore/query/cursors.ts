// The order of a query's results, and cursors: places in that order.

import type { StoredDocument } from '../engine/documentStore.ts';
import { compareValues } from '../values/compare.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, NAME_PATH, parseFieldPath } from '../values/fieldPath.ts';
import type { Value } from '../values/value.ts';
import { type FieldReference, fieldValue } from './filters.ts';

/** An order on the wire. */
export interface OrderMessage {
  /** The field to order by. */
  field?: FieldReference;
  /** `ASCENDING` or `DESCENDING`. Default: ascending. */
  direction?: string;
}

/** A cursor on the wire. */
export interface CursorMessage {
  /** A value for each of the first fields of the order. */
  values?: Value[];
  /** Whether the position precedes equal results. Default: false. */
  before?: boolean;
}

/** One field of the order of a query. */
export interface Order {
  /** The field to order by. */
  path: FieldPath;
  /** 1 ascending, -1 descending. */
  direction: 1 | -1;
}

/** A position in the order of a query. */
export interface Cursor {
  /** A value for each of the first fields of the order. */
  values: Value[];
  /** Whether it stands before the results with exactly these values, or after them. */
  before: boolean;
}

const orderKey = ({ path }: Order): string => path.join('\0');

/**
 * The complete order of a query: its own orders, then the fields of its inequalities by name, then the
 * aggregated fields by name, then the documents' names. Added orders have the direction of the query's last
 * own order.
 * @throws StatusError INVALID_ARGUMENT when an order is not valid.
 */
export function parseOrders(
  messages: OrderMessage[],
  inequalities: FieldPath[],
  aggregated: FieldPath[],
): Order[] {
  const orders = messages.map(
    ({ field, direction }): Order => ({
      path: parseFieldPath(field?.fieldPath),
      direction: direction === 'DESCENDING' ? -1 : 1,
    }),
  );
  const seen = new Set<string>();
  for (const [index, order] of orders.entries()) {
    const key = orderKey(order);
    if (seen.has(key))
      throw invalid(`order by clause cannot contain duplicate fields ${order.path.join('.')}`);
    seen.add(key);
    if (key === NAME_PATH && index < orders.length - 1) {
      throw invalid('order by clause cannot contain more fields after the key');
    }
  }
  const direction = orders.at(-1)?.direction ?? 1;
  const implied = (paths: FieldPath[]) =>
    paths
      .map((path): Order => ({ path, direction }))
      .filter((order) => orderKey(order) !== NAME_PATH)
      .sort((left, right) => (orderKey(left) < orderKey(right) ? -1 : 1));
  if (seen.has(NAME_PATH)) {
    const after = aggregated.filter((path) => !seen.has(path.join('\0'))).map((path) => path.join('.'));
    if (after.length === 0) return orders;
    throw invalid(
      `This query requires an index that has fields [${after}] after ${NAME_PATH} and Firestore does not currently support such an index. Please try the query again with additional ordering on those fields.`,
    );
  }
  for (const order of [...implied(inequalities), ...implied(aggregated)]) {
    if (!seen.has(orderKey(order))) orders.push(order);
    seen.add(orderKey(order));
  }
  return [...orders, { path: [NAME_PATH], direction }];
}

/**
 * @param orders those that the query asks for itself.
 * @throws StatusError INVALID_ARGUMENT when it does not fit them.
 */
export function parseCursor(message: CursorMessage | null | undefined, orders: Order[]): Cursor | undefined {
  if (message == null) return undefined;
  const { values = [], before = false } = message;
  if (values.length > orders.length) throw invalid('Cursor has too many values.');
  for (const [index, value] of values.entries()) {
    if (orders[index]?.path[0] === NAME_PATH && value.valueType !== 'referenceValue') {
      throw invalid('Cursor __key__ value is not a document reference.');
    }
  }
  return { values, before };
}

/** Whether a document has all fields that a query orders by; it is no result without them. */
export const hasOrderedFields = (document: StoredDocument, orders: Order[]): boolean =>
  orders.every(({ path }) => path[0] === NAME_PATH || fieldValue(document, path) !== undefined);

/** The order of two results. */
export function compareDocuments(left: StoredDocument, right: StoredDocument, orders: Order[]): number {
  for (const { path, direction } of orders) {
    const order = compareValues(fieldValue(left, path) as Value, fieldValue(right, path) as Value);
    if (order !== 0) return order * direction;
  }
  return 0;
}

/** Whether a result comes after a cursor. */
export function isAfter(document: StoredDocument, { values, before }: Cursor, orders: Order[]): boolean {
  for (const [index, { path, direction }] of orders.slice(0, values.length).entries()) {
    const value = values[index];
    if (value === undefined) break;
    const order = compareValues(fieldValue(document, path) as Value, value) * direction;
    if (order !== 0) return order > 0;
  }
  return before;
}
