// What the parts of a query decide. test/cloud compares whole queries with the official emulator.

import { describe, expect, it } from 'vitest';
import type { StoredDocument } from '../engine/documentStore.ts';
import { array, double, type Fields, integer, map, NULL, type Value } from '../values/value.ts';
import { compareDocuments, isAfter, type Order } from './cursors.ts';
import { type FilterMessage, matchesFilter, parseFilter } from './filters.ts';
import { parseQuery } from './query.ts';
import { matchesQuery } from './runQuery.ts';
import { nearestDocuments, parseFindNearest } from './vectors.ts';

const database = 'projects/p/databases/d';
const parent = `${database}/documents`;
const document = (id: string, fields: Fields): StoredDocument => ({
  database,
  path: `c/${id}`,
  createTime: 1,
  updateTime: 1,
  fields,
});
const text = (stringValue: string): Value => ({ valueType: 'stringValue', stringValue });
const where = (op: string, value: Value): FilterMessage => ({
  fieldFilter: { field: { fieldPath: 'f' }, op, value },
});
const finds = (filter: FilterMessage, value: Value | undefined): boolean =>
  matchesFilter(parseFilter(filter), document('a', value === undefined ? {} : { f: value }));

describe('a filter', () => {
  it.each<[string, Value, Value | undefined, boolean]>([
    ['LESS_THAN', integer(2), double(1.5), true],
    ['LESS_THAN', integer(2), text('a'), false],
    ['LESS_THAN', integer(2), double(Number.NaN), false],
    ['GREATER_THAN_OR_EQUAL', text('a'), text('a'), true],
    ['EQUAL', integer(1), double(1), true],
    ['EQUAL', integer(1), undefined, false],
    ['NOT_EQUAL', integer(1), integer(2), true],
    ['NOT_EQUAL', integer(1), NULL, false],
    ['NOT_EQUAL', integer(1), undefined, false],
    ['IN', array([integer(1), integer(2)]), double(2), true],
    ['NOT_IN', array([integer(1)]), integer(2), true],
    ['NOT_IN', array([NULL]), integer(2), false],
    ['ARRAY_CONTAINS', integer(2), array([integer(1), integer(2)]), true],
    ['ARRAY_CONTAINS', integer(2), integer(2), false],
    ['ARRAY_CONTAINS_ANY', array([integer(3), integer(1)]), array([integer(1)]), true],
  ])('%s %j of %j: %s', (op, value, found, expected) => {
    expect(finds(where(op, value), found)).toBe(expected);
  });

  it('is all of several, or any', () => {
    const filters = [where('GREATER_THAN', integer(1)), where('LESS_THAN', integer(3))];
    const composite = (op: string) => ({ compositeFilter: { op, filters } });
    expect(finds(composite('AND'), integer(5))).toBe(false);
    expect(finds(composite('OR'), integer(5))).toBe(true);
  });

  it.each([
    where('IN', integer(1)),
    where('IN', array([])),
    where('NOT_IN', array(Array.from({ length: 11 }, integer))),
    where('NEARLY', integer(1)),
    { fieldFilter: { field: { fieldPath: '__name__' }, op: 'EQUAL', value: text('a') } },
    { compositeFilter: { op: 'XOR', filters: [] } },
    {},
  ])('is refused: %j', (filter) => {
    expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ code: 3 }));
  });
});

describe('a query', () => {
  const from = [{ collectionId: 'c' }];

  it('orders by the fields of its inequalities, then by name, as it orders last', () => {
    const query = parseQuery(parent, {
      from,
      where: { compositeFilter: { op: 'AND', filters: [where('GREATER_THAN', integer(1))] } },
      orderBy: [{ field: { fieldPath: 'g' }, direction: 'DESCENDING' }],
    });
    const order = (name: string): Order => ({ path: [name], direction: -1 });
    expect(query.orders).toEqual(['g', 'f', '__name__'].map(order));
  });

  it('finds documents of its collection that have all fields it orders by', () => {
    const query = parseQuery(parent, { from, orderBy: [{ field: { fieldPath: 'f' } }] });
    expect(matchesQuery(query, document('a', { f: NULL }))).toBe(true);
    expect(matchesQuery(query, document('a', {}))).toBe(false);
    expect(matchesQuery(query, { ...document('a', { f: NULL }), path: 'c/a/c/b' })).toBe(false);
  });

  it.each([
    { from: [...from, ...from] },
    { from, limit: { value: -1 } },
    { from, offset: -1 },
    { from, startAt: { values: [NULL] } },
    { from, orderBy: [{ field: { fieldPath: 'a' } }, { field: { fieldPath: 'a' } }] },
    { from: [{ allDescendants: true }], where: where('EQUAL', integer(1)) },
  ])('is refused: %j', (query) => {
    expect(() => parseQuery(parent, query)).toThrow(expect.objectContaining({ code: 3 }));
  });
});

it('a cursor stands before or after all results with its values', () => {
  const orders: Order[] = [
    { path: ['f'], direction: -1 },
    { path: ['__name__'], direction: -1 },
  ];
  const [one, two] = [document('a', { f: integer(1) }), document('b', { f: integer(2) })];
  expect([one, two].sort((a, b) => compareDocuments(a, b, orders))).toEqual([two, one]);
  expect(isAfter(one, { values: [integer(2)], before: false }, orders)).toBe(true);
  expect(isAfter(two, { values: [integer(2)], before: false }, orders)).toBe(false);
  expect(isAfter(two, { values: [integer(2)], before: true }, orders)).toBe(true);
});

describe('the nearest vectors', () => {
  const vector = (...numbers: number[]) =>
    map({ __type__: text('__vector__'), value: array(numbers.map(double)) });
  const documents = [vector(1, 1), vector(1, 3), vector(0, 0), vector(1), integer(1)].map((v, id) =>
    document(String(id), { v }),
  );
  const find = (distanceMeasure: string, rest: object = {}) =>
    nearestDocuments(
      documents,
      parseFindNearest({
        vectorField: { fieldPath: 'v' },
        queryVector: vector(1, 1),
        distanceMeasure,
        limit: { value: 3 },
        distanceResultField: 'd',
        ...rest,
      }),
    ).map(({ path, fields }) => [path, fields.d?.valueType === 'doubleValue' && fields.d.doubleValue]);

  it('are sorted by distance; only vectors with as many dimensions are found', () => {
    expect(find('EUCLIDEAN')).toEqual([
      ['c/0', 0],
      ['c/2', Math.SQRT2],
      ['c/1', 2],
    ]);
    expect(find('DOT_PRODUCT')).toEqual([
      ['c/1', 4],
      ['c/0', 2],
      ['c/2', 0],
    ]);
    expect(find('COSINE')).toEqual([
      ['c/0', 0],
      ['c/1', expect.closeTo(0.10557)],
      ['c/2', Number.NaN],
    ]);
  });

  it('end at a limit and a distance', () => {
    expect(find('EUCLIDEAN', { limit: { value: 1 } })).toHaveLength(1);
    expect(find('EUCLIDEAN', { distanceThreshold: { value: 1.5 } })).toHaveLength(2);
    expect(find('DOT_PRODUCT', { distanceThreshold: { value: 3 } })).toEqual([['c/1', 4]]);
  });
});
