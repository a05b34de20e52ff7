// Random commits and queries on a handful of documents, in the bare protocol.

import fc from 'fast-check';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';

/** What a test sends to Firestore: an RPC whose names of documents are relative. */
export interface Command {
  method:
    | 'Commit'
    | 'RunQuery'
    | 'RunAggregationQuery'
    | 'BatchGetDocuments'
    | 'ListDocuments'
    | 'ListCollectionIds';
  request: (place: Place) => Message;
}

/** Where a command is sent to. */
interface Place {
  /** `projects/P/databases/(default)/documents` */
  root: string;
  /** The update time of a document as it is; undefined when there is none. */
  updateTime: (path: string) => Message;
}

export const PATHS = [
  'c/a',
  'c/b',
  'c/B',
  'c/é',
  'c/😀',
  'c/！',
  'c/__id2__',
  'c/__id10__',
  'c/a/s/x',
  'c/b/s/y',
  'd/a',
  'd/z/s/x',
];
const path = fc.constantFrom(...PATHS);
const field = fc.constantFrom('f', 'g', 'm.x', 'm.y', 'm.`a.b`', 'l');

const value = (valueType: string, inner: unknown) => ({ [valueType]: inner, valueType });
const text = fc.constantFrom('', 'a', 'b', 'é', '😀', '！');
const scalar: fc.Arbitrary<Message> = fc.oneof(
  {
    arbitrary: fc.constantFrom('0', '1', '2', '-1', '9007199254740993').map((i) => value('integerValue', i)),
    weight: 4,
  },
  {
    arbitrary: fc
      .constantFrom(0, -0, 1, 1.5, Number.NaN, Infinity, 9007199254740992)
      .map((d) => value('doubleValue', d)),
    weight: 3,
  },
  { arbitrary: text.map((s) => value('stringValue', s)), weight: 3 },
  fc.constant(value('nullValue', 'NULL_VALUE')),
  fc.boolean().map((b) => value('booleanValue', b)),
  fc.constantFrom('', 'a', 'é').map((s) => value('bytesValue', Buffer.from(s))),
  fc
    .record({ seconds: fc.constantFrom('0', '5', '-5'), nanos: fc.constantFrom(0, 1, 123_456_789) })
    .map((t) => value('timestampValue', t)),
  fc
    .record({ latitude: fc.constantFrom(0, 1.5), longitude: fc.constantFrom(0, -1) })
    .map((point) => value('geoPointValue', point)),
  path.map((p) => value('referenceValue', `projects/p/databases/(default)/documents/${p}`)),
);
const vector = fc.array(fc.constantFrom(0, 1, -2.5), { minLength: 1, maxLength: 3 }).map((numbers) =>
  value('mapValue', {
    fields: {
      __type__: value('stringValue', '__vector__'),
      value: value('arrayValue', { values: numbers.map((number) => value('doubleValue', number)) }),
    },
  }),
);
const fieldsOf = (item: fc.Arbitrary<Message>) =>
  fc.dictionary(fc.constantFrom('x', 'y', 'a.b'), item, { maxKeys: 2 });
const flatMap = fieldsOf(scalar).map((fields) => value('mapValue', { fields }));
const list = fc
  .array(fc.oneof(scalar, scalar, flatMap), { maxLength: 3 })
  .map((values) => value('arrayValue', { values }));
const anyValue = fc.oneof({ arbitrary: scalar, weight: 5 }, flatMap, list, vector);
const fields = fc.record({ f: anyValue, g: scalar, m: flatMap, l: list, v: vector }, { requiredKeys: [] });

const numeric = fc.constantFrom(
  value('integerValue', '1'),
  value('integerValue', '9223372036854775807'),
  value('doubleValue', 0.5),
  value('doubleValue', -0),
  value('doubleValue', Number.NaN),
);
const elements = fc.array(scalar, { maxLength: 3 }).map((values) => ({ values }));
const transform = fc
  .tuple(
    field,
    fc.oneof(
      numeric.map((increment) => ({ increment })),
      numeric.map((maximum) => ({ maximum })),
      numeric.map((minimum) => ({ minimum })),
      elements.map((appendMissingElements) => ({ appendMissingElements })),
      elements.map((removeAllFromArray) => ({ removeAllFromArray })),
      fc.constant({ setToServerValue: 'REQUEST_TIME' }),
    ),
  )
  .map(([fieldPath, operation]) => ({ fieldPath, ...operation }));
const transforms = fc.uniqueArray(transform, { maxLength: 2, selector: ({ fieldPath }) => fieldPath });
const mask = fc.option(
  fc.uniqueArray(fc.constantFrom('f', 'g', 'm', 'm.x', 'm.`a.b`', 'l', 'n.n'), { maxLength: 3 }),
  { nil: undefined, freq: 2 },
);
const precondition = fc.constantFrom(
  ...['none', 'none', 'none', 'none', 'exists', 'missing', 'current', 'stale', 'later'],
);

function preconditionOf(kind: string, updateTime: Message): object {
  if (kind === 'none') return {};
  if (kind === 'exists' || kind === 'missing') return { currentDocument: { exists: kind === 'exists' } };
  const stale = { seconds: '1000', nanos: 0 };
  const current = updateTime ?? stale;
  const times: Record<string, Message> = {
    stale,
    current,
    later: { ...current, seconds: String(Number(current.seconds) + 1) },
  };
  return { currentDocument: { updateTime: times[kind] } };
}

const write = fc
  .record({ path, fields, mask, transforms, precondition, isDelete: fc.nat(4).map((n) => n === 0) })
  .map(({ path, fields, mask, transforms, precondition, isDelete }) => (place: Place): Message => {
    const name = `${place.root}/${path}`;
    const currentDocument = preconditionOf(precondition, place.updateTime(path));
    if (isDelete) return { delete: name, ...currentDocument };
    const updateMask = mask && { fieldPaths: mask };
    return { update: { name, fields }, updateMask, updateTransforms: transforms, ...currentDocument };
  });

/** One to three writes. */
export const commit: fc.Arbitrary<Command> = fc
  .array(write, { minLength: 1, maxLength: 3 })
  .map((writes) => ({
    method: 'Commit',
    request: (place) => ({ database: databaseOf(place), writes: writes.map((each) => each(place)) }),
  }));

const databaseOf = ({ root }: Place) => root.replace(/\/documents$/, '');

const queryField = fc.constantFrom('f', 'f', 'f', 'g', 'm.x', 'l', 'm');
const filterValue = fc.oneof({ arbitrary: scalar, weight: 6 }, list, flatMap, vector);
const comparison = fc.constantFrom(
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'EQUAL',
  'NOT_EQUAL',
);
const listFilter = fc.constantFrom('IN', 'NOT_IN', 'ARRAY_CONTAINS_ANY');
const fieldFilter = (op: fc.Arbitrary<string>, value: fc.Arbitrary<Message>) =>
  fc
    .record({ field: queryField.map((fieldPath) => ({ fieldPath })), op, value })
    .map((fieldFilter) => ({ fieldFilter }));
const leaf: fc.Arbitrary<Message> = fc.oneof(
  { arbitrary: fieldFilter(comparison, filterValue), weight: 4 },
  fieldFilter(fc.constant('ARRAY_CONTAINS'), scalar),
  fieldFilter(
    listFilter,
    fc.array(scalar, { maxLength: 3 }).map((values) => value('arrayValue', { values })),
  ),
  fc
    .tuple(queryField, fc.constantFrom('IS_NAN', 'IS_NULL', 'IS_NOT_NAN', 'IS_NOT_NULL'))
    .map(([fieldPath, op]) => ({ unaryFilter: { field: { fieldPath }, op } })),
);
const where: fc.Arbitrary<Message> = fc.oneof(
  fc.constant(undefined),
  leaf,
  leaf,
  fc
    .tuple(fc.constantFrom('AND', 'OR'), fc.array(leaf, { minLength: 1, maxLength: 3 }))
    .map(([op, filters]) => ({ compositeFilter: { op, filters } })),
);
const orderBy = fc.uniqueArray(
  fc.record({
    field: queryField.map((fieldPath) => ({ fieldPath })),
    direction: fc.constantFrom('ASCENDING', 'DESCENDING'),
  }),
  { maxLength: 2, selector: ({ field }) => field.fieldPath },
);
const cursor = fc.option(
  fc.record({ values: fc.array(filterValue, { maxLength: 2 }), before: fc.boolean() }),
  {
    nil: undefined,
    freq: 3,
  },
);
const structuredQuery = fc.record({
  from: fc.constantFrom(
    [{ collectionId: 'c' }],
    [{ collectionId: 'c' }],
    [{ collectionId: 's', allDescendants: true }],
    [{ allDescendants: true }],
  ),
  where,
  orderBy,
  startAt: cursor,
  endAt: cursor,
  offset: fc.constantFrom(0, 0, 0, 1),
  limit: fc.constantFrom(undefined, undefined, { value: 2 }),
  select: fc.constantFrom(undefined, undefined, undefined, {
    fields: [{ fieldPath: 'm.x' }, { fieldPath: 'f' }],
  }),
});
const findNearest = fc
  .record({
    measure: fc.constantFrom('EUCLIDEAN', 'COSINE', 'DOT_PRODUCT'),
    vector,
    threshold: fc.constantFrom(undefined, { value: 1 }),
  })
  .map(({ measure, vector, threshold }) => ({
    from: [{ collectionId: 'c' }],
    findNearest: {
      vectorField: { fieldPath: 'v' },
      queryVector: vector,
      distanceMeasure: measure,
      limit: { value: 5 },
      distanceThreshold: threshold,
      distanceResultField: 'distance',
    },
  }));
const aggregation = fc.constantFrom(
  { alias: 'count', count: {} },
  { alias: 'upTo', count: { upTo: { value: '2' } } },
  { alias: 'sum', sum: { field: { fieldPath: 'f' } } },
  { alias: 'avg', avg: { field: { fieldPath: 'f' } } },
  { alias: 'sumG', sum: { field: { fieldPath: 'g' } } },
);

/** A query, an aggregation, or documents and collections by their names. */
export const read: fc.Arbitrary<Command> = fc.oneof(
  {
    arbitrary: structuredQuery.map(
      (query): Command => ({
        method: 'RunQuery',
        request: ({ root }) => ({ parent: root, structuredQuery: query }),
      }),
    ),
    weight: 8,
  },
  findNearest.map(
    (query): Command => ({
      method: 'RunQuery',
      request: ({ root }) => ({ parent: root, structuredQuery: query }),
    }),
  ),
  {
    arbitrary: fc
      .tuple(
        structuredQuery,
        fc.uniqueArray(aggregation, { minLength: 1, maxLength: 3, selector: ({ alias }) => alias }),
      )
      .map(
        ([query, aggregations]): Command => ({
          method: 'RunAggregationQuery',
          request: ({ root }) => ({
            parent: root,
            structuredAggregationQuery: { structuredQuery: { ...query, select: undefined }, aggregations },
          }),
        }),
      ),
    weight: 2,
  },
  fc.constant<Command>({
    method: 'BatchGetDocuments',
    request: (place) => ({
      database: databaseOf(place),
      documents: PATHS.map((each) => `${place.root}/${each}`),
    }),
  }),
  fc.constantFrom('c', 'd').map(
    (collectionId): Command => ({
      method: 'ListDocuments',
      request: ({ root }) => ({ parent: root, collectionId, showMissing: true }),
    }),
  ),
  fc.constant<Command>({ method: 'ListCollectionIds', request: ({ root }) => ({ parent: root }) }),
);
