// Which indexes answer a query, which query is refused, and how many entries each reads. The examples are
// those of Firestore's documentation (https://firebase.google.com/docs/firestore/query-data/index-overview).

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../database/database.ts';
import { rawClient } from '../../localFirestore.fixture.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { StatusError, status } from '../../protocol/status.ts';
import { startGrpcServer } from '../../server/grpcServer.ts';
import { createFirestoreService } from '../firestoreService.ts';
import type { FilterMessage } from '../query/filters.ts';
import { parseQuery, type StructuredQuery } from '../query/query.ts';
import { array, integer, type Value } from '../values/value.ts';
import { type IndexFile, readIndexes } from './indexFile.ts';
import { createPlanner } from './planner.ts';

const parent = 'projects/p/databases/d/documents';
const vector: Value = {
  valueType: 'mapValue',
  mapValue: {
    fields: {
      __type__: { valueType: 'stringValue', stringValue: '__vector__' },
      value: array([
        { valueType: 'doubleValue', doubleValue: 1 },
        { valueType: 'doubleValue', doubleValue: 2 },
      ]),
    },
  },
};

const compare = (fieldPath: string, op = 'EQUAL', value: Value = integer(1)): FilterMessage => ({
  fieldFilter: { field: { fieldPath }, op, value },
});
const all = (...filters: FilterMessage[]): FilterMessage => ({ compositeFilter: { op: 'AND', filters } });
const any = (...filters: FilterMessage[]): FilterMessage => ({ compositeFilter: { op: 'OR', filters } });
const by = (fieldPath: string, direction = 'ASCENDING') => ({ field: { fieldPath }, direction });
const some = array([integer(1), integer(2)]);

/** `a`, `-a` descending, `a[]` of a list, `a<2>` a vector with two dimensions. */
function composite(fields: string, queryScope: 'COLLECTION' | 'COLLECTION_GROUP' = 'COLLECTION') {
  return {
    collectionGroup: 'cities',
    queryScope,
    fields: fields.split(' ').map((field) => {
      const fieldPath = field.replace(/^-|\[\]$|<2>$/g, '');
      if (field.endsWith('[]')) return { fieldPath, arrayConfig: 'CONTAINS' as const };
      if (field.endsWith('<2>')) return { fieldPath, vectorConfig: { dimension: 2 } };
      return { fieldPath, order: field.startsWith('-') ? ('DESCENDING' as const) : ('ASCENDING' as const) };
    }),
  };
}
const override = (fieldPath: string, ...indexes: IndexFile['fieldOverrides'][number]['indexes']) => ({
  collectionGroup: 'cities',
  fieldPath,
  indexes,
});

/** The indexes of the plan, each as its fields; what is missing when the query is refused. */
function planFor(query: StructuredQuery, file: Partial<IndexFile> = {}, allDescendants = false): string[] {
  const planner = createPlanner(readIndexes({ indexes: [], fieldOverrides: [], ...file }));
  const parsed = parseQuery(parent, { from: [{ collectionId: 'cities', allDescendants }], ...query });
  try {
    const { lookups } = planner.plan(parsed);
    const texts = lookups.flatMap(({ indexes }) =>
      indexes.map((index) =>
        index
          .filter(({ key }) => key !== '__name__')
          .map(
            ({ key, mode }) => `${mode === 'DESCENDING' ? '-' : ''}${key}${mode === 'CONTAINS' ? '[]' : ''}`,
          )
          .join(' '),
      ),
    );
    return [...new Set(texts)];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.code).toBe(status.FAILED_PRECONDITION);
    return [`refused: ${error.details}`];
  }
}

describe('a query is planned', () => {
  const stateAndOrder = {
    where: all(compare('state'), compare('kind')),
    orderBy: [by('size', 'DESCENDING')],
  };
  const merged = { indexes: [composite('state -size'), composite('kind -size')] };

  it.each<[string, StructuredQuery, Partial<IndexFile>, string[]]>([
    ['of no field: by names', {}, {}, ['']],
    ['of one field: automatic', { where: compare('state') }, {}, ['state']],
    ['in descending order: automatic', { orderBy: [by('size', 'DESCENDING')] }, {}, ['-size']],
    ['of a list: automatic', { where: compare('tags', 'ARRAY_CONTAINS') }, {}, ['tags[]']],
    [
      'of several equal fields: merged',
      { where: all(compare('a'), compare('b', 'IN', some)) },
      {},
      ['a', 'b'],
    ],
    ['of a name: by names', { where: all(compare('a'), nameIs('x')) }, {}, ['a']],
    [
      'of an equal field and a range',
      { where: all(compare('state'), compare('size', 'GREATER_THAN')) },
      { indexes: [composite('state size')] },
      ['state size'],
    ],
    ['of two equal fields and an order: merged', stateAndOrder, merged, ['state -size', 'kind -size']],
    [
      'of two equal fields and an order: one index is preferred',
      stateAndOrder,
      { indexes: [...merged.indexes, composite('kind state -size')] },
      ['kind state -size'],
    ],
    [
      'of an equal field that also orders',
      { where: compare('state'), orderBy: [by('state'), by('size')] },
      { indexes: [composite('state size')] },
      ['state size'],
    ],
    [
      'of alternatives, each with an index of its own',
      { where: any(compare('a'), compare('b')) },
      {},
      ['a', 'b'],
    ],
    [
      'of a list and equal fields: one index',
      { where: all(compare('state'), compare('tags', 'ARRAY_CONTAINS_ANY', some)) },
      { indexes: [composite('state tags[]')] },
      ['state tags[]'],
    ],
    [
      'of vectors and equal fields',
      { where: compare('state'), findNearest: nearest() },
      { indexes: [composite('state v<2>')] },
      ['state v'],
    ],
    ['of a field of a map: automatic', { where: compare('a.b') }, {}, ['a\0b']],
    [
      'of a field of an exempt map: its own override',
      { where: compare('a.b') },
      { fieldOverrides: [override('a'), override('a.b', { queryScope: 'COLLECTION', order: 'ASCENDING' })] },
      ['a\0b'],
    ],
    [
      'of a field that an override keeps beside *',
      { where: compare('state') },
      {
        fieldOverrides: [override('*'), override('state', { queryScope: 'COLLECTION', order: 'ASCENDING' })],
      },
      ['state'],
    ],
  ])('%s', (_, query, file, indexes) => {
    expect(planFor(query, file)).toEqual(indexes);
  });

  it.each<[string, StructuredQuery, Partial<IndexFile>, RegExp]>([
    [
      'without an index of the order',
      stateAndOrder,
      { indexes: [composite('state -size')] },
      /"kind".*"state".*"size"/,
    ],
    [
      'whose index has another order',
      stateAndOrder,
      { indexes: [composite('state kind size')] },
      /"DESCENDING"/,
    ],
    [
      'whose index has one field more',
      { where: compare('state'), orderBy: [by('size')] },
      { indexes: [composite('state kind size')] },
      /"fieldPath":"state".*"fieldPath":"size"/,
    ],
    [
      'of a list and an equal field, which are not merged',
      { where: all(compare('state'), compare('tags', 'ARRAY_CONTAINS')) },
      {},
      /"arrayConfig":"CONTAINS"/,
    ],
    [
      'one of whose alternatives has none',
      { where: any(compare('a'), all(compare('b'), compare('tags', 'ARRAY_CONTAINS'))) },
      {},
      /"fieldPath":"b"/,
    ],
    [
      'of an exempt field',
      { where: compare('state') },
      { fieldOverrides: [override('state')] },
      /COLLECTION_ASC .* cities and field state/,
    ],
    [
      'of a field of an exempt map',
      { where: compare('a.b') },
      { fieldOverrides: [override('a')] },
      /field a\.b/,
    ],
    [
      'where * exempts all fields',
      { where: compare('a.b') },
      { fieldOverrides: [override('*')] },
      /field a\.b/,
    ],
    [
      'of vectors of another size',
      { findNearest: nearest('w') },
      { indexes: [composite('v<2>')] },
      /"dimension":2/,
    ],
  ])('or refused: %s', (_, query, file, missing) => {
    expect(planFor(query, file)).toEqual([expect.stringMatching(missing)]);
  });

  it('a collection group has no automatic index, and none of its collections', () => {
    const due = { where: compare('due', 'LESS_THAN') };
    expect(planFor({}, {}, true)).toEqual(['']);
    expect(planFor(due, {}, true)).toEqual([
      expect.stringContaining('COLLECTION_GROUP_ASC index for collection cities'),
    ]);
    const ofGroup = [override('due', { queryScope: 'COLLECTION_GROUP', order: 'ASCENDING' })];
    expect(planFor(due, { fieldOverrides: ofGroup }, true)).toEqual(['due']);
    expect(planFor(due, { fieldOverrides: ofGroup })).toEqual([
      expect.stringContaining('COLLECTION_ASC index'),
    ]);
    const range = { where: all(compare('state'), compare('due', 'LESS_THAN')) };
    expect(planFor(range, { indexes: [composite('state due')] }, true)).toEqual([
      expect.stringContaining('refused'),
    ]);
  });
});

function nameIs(id: string): FilterMessage {
  return compare('__name__', 'EQUAL', {
    valueType: 'referenceValue',
    referenceValue: `${parent}/cities/${id}`,
  });
}

function nearest(fieldPath = 'v'): NonNullable<StructuredQuery['findNearest']> {
  const limit = { value: 1 };
  return { vectorField: { fieldPath }, queryVector: vector, distanceMeasure: 'EUCLIDEAN', limit };
}

describe('the service with indexes', () => {
  async function openService(file: Partial<IndexFile>) {
    const database = openDatabase();
    const service = createFirestoreService(database, { indexes: [], fieldOverrides: [], ...file });
    const server = await startGrpcServer([service]);
    const client = rawClient(server.host);
    return {
      client,
      async [Symbol.asyncDispose]() {
        client.close();
        await server.stop();
        database.close();
      },
    };
  }
  const structuredQuery = {
    from: [{ collectionId: 'cities' }],
    where: all(compare('state'), compare('kind')),
    orderBy: [by('size', 'DESCENDING')],
  };

  it('refuses queries, aggregations, listeners and ordered lists that have none', async () => {
    await using service = await openService({ fieldOverrides: [override('*')] });
    const { client } = service;
    const query = { parent, structuredQuery };
    const aggregations = [{ alias: 'n', count: {} }];
    const refused = [
      await client.call('RunQuery', query),
      await client.call('RunQuery', { ...query, explainOptions: {} }),
      await client.call('RunAggregationQuery', {
        parent,
        structuredAggregationQuery: { structuredQuery, aggregations },
      }),
      await client.call('ListDocuments', { parent, collectionId: 'cities', orderBy: 'size' }),
    ];
    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => status.FAILED_PRECONDITION));
    const removed = Promise.withResolvers<number>();
    const listening = client.listen(
      'projects/p/databases/d',
      ({ targetChange }) => targetChange?.cause && removed.resolve(targetChange.cause.code),
      removed.reject,
    );
    listening.send({ addTarget: { query, targetId: 1 } });
    expect(await removed.promise).toBe(status.FAILED_PRECONDITION);
    listening.end();
    expect((await client.call('ListDocuments', { parent, collectionId: 'cities' })).code).toBe(status.OK);
  });

  it('counts documents and entries: a merge reads more entries than one index', async () => {
    const documents = Array.from({ length: 20 }, (_, size) => ({ state: size % 2, kind: size % 4, size }));
    const writes = documents.map(({ state, kind, size }) => ({
      update: {
        name: `${parent}/cities/${size}`,
        fields: { state: integer(state), kind: integer(kind), size: integer(size), v: vector },
      },
    }));
    const explain = async (indexes: IndexFile['indexes'], changes: StructuredQuery = {}) => {
      await using service = await openService({ indexes });
      const { client } = service;
      await client.call('Commit', { database: 'projects/p/databases/d', writes });
      const query = { ...structuredQuery, ...changes };
      const request = { parent, structuredQuery: query, explainOptions: { analyze: true } };
      const { answers } = await client.call('RunQuery', request);
      const { planSummary, executionStats } = answers.at(-1).explainMetrics;
      const stats = executionStats.debugStats.fields;
      return {
        indexes: planSummary.indexesUsed.map(({ fields }: Message) => fields.properties.stringValue),
        reads: [stats.documents_scanned.stringValue, stats.index_entries_scanned.stringValue],
        billed: executionStats.readOperations,
      };
    };
    expect(await explain([composite('state kind -size')])).toEqual({
      indexes: ['(state ASC, kind ASC, size DESC, __name__ DESC)'],
      reads: ['5', '5'],
      billed: '5',
    });
    const merge = [composite('state -size'), composite('kind -size')];
    expect(await explain(merge)).toEqual({
      indexes: ['(state ASC, size DESC, __name__ DESC)', '(kind ASC, size DESC, __name__ DESC)'],
      reads: ['5', '11'],
      billed: '5',
    });
    expect((await explain(merge, { limit: { value: 1 } })).reads).toEqual(['1', '3']);
    expect((await explain(merge, { offset: 1, limit: { value: 1 } })).reads).toEqual(['2', '5']);
    const both = all(compare('state', 'IN', some), compare('kind', 'IN', some));
    // One of the four alternatives has results.
    expect((await explain([composite('state kind -size')], { where: both })).reads).toEqual(['5', '5']);
    const near = { where: compare('state'), orderBy: [], findNearest: nearest() };
    expect(await explain([composite('state v<2>')], near)).toMatchObject({ reads: ['1', '10'], billed: '2' });
  });
});
