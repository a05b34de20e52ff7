// Requests of one kind on local Firestore and official emulator: equal acceptance.

import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type RawClient,
  rawClient,
  startLocalFirestore,
} from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import type { RunningServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { describeSides } from './official.ts';

const { OK, INVALID_ARGUMENT, FAILED_PRECONDITION } = status;

const integer = (number: number) => ({ integerValue: String(number), valueType: 'integerValue' });
const list = (length: number) => ({
  arrayValue: { values: Array.from({ length }, (_, index) => integer(index)) },
  valueType: 'arrayValue',
});
const filter = (fieldPath: string, op: string, value: Message = integer(1)) => ({
  fieldFilter: { field: { fieldPath }, op, value },
});
const combined = (op: 'AND' | 'OR', ...filters: Message[]) => ({ compositeFilter: { op, filters } });
const by = (fieldPath: string, descending = false) => ({
  field: { fieldPath },
  direction: descending ? 'DESCENDING' : 'ASCENDING',
});
const SIDES = [
  { name: 'the local Firestore', isOfficial: false },
  { name: 'the official emulator', isOfficial: true },
];
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describeSides('', SIDES, ({ isOfficial }) => {
  let local: RunningServer | undefined;
  let client: RawClient;
  const database = `projects/demo-${randomUUID().slice(0, 12)}/databases/(default)`;
  const root = `${database}/documents`;
  beforeAll(async () => {
    if (!isOfficial) local = await startLocalFirestore();
    client = rawClient(local?.host ?? process.env.FIRESTORE_EMULATOR_HOST ?? '');
  });
  afterAll(async () => {
    client.close();
    await local?.stop();
  });

  const set = (path: string, fields: Message = {}) => ({ update: { name: `${root}/${path}`, fields } });
  const query = (structuredQuery: Message, parent = root) =>
    client.call('RunQuery', {
      parent,
      structuredQuery: { from: [{ collectionId: 'c' }], ...structuredQuery },
    });

  it.each([
    ['__id7__', OK],
    ['__id-9223372036854775808__', OK],
    // The same number as __id7__, or none of 64 bits: two documents would have one place.
    ['__id007__', INVALID_ARGUMENT],
    ['__id0__', INVALID_ARGUMENT],
    ['__id18446744073709551623__', INVALID_ARGUMENT],
    [`__id${'9'.repeat(40)}__`, INVALID_ARGUMENT],
    ['____', OK],
    ['__a__', INVALID_ARGUMENT],
    ['..', INVALID_ARGUMENT],
    ['\u0000', OK],
  ])('takes or refuses the id %j', async (id, code) => {
    expect((await client.call('Commit', { database, writes: [set(`ids/${id}`)] })).code).toBe(code);
  });

  it.each<[string, Message, number]>([
    ['30 alternatives', combined('AND', filter('a', 'IN', list(10)), filter('b', 'IN', list(3))), OK],
    [
      '40 alternatives',
      combined('AND', filter('a', 'IN', list(10)), filter('b', 'IN', list(4))),
      INVALID_ARGUMENT,
    ],
    ['an OR of 31', combined('OR', ...times(31, (n) => filter('a', 'EQUAL', integer(n)))), INVALID_ARGUMENT],
    ['100 filters', combined('AND', ...times(100, (n) => filter(`a${n}`, 'EQUAL'))), OK],
    ['101 filters', combined('AND', ...times(101, (n) => filter(`a${n}`, 'EQUAL'))), INVALID_ARGUMENT],
    ['10 compared fields', combined('AND', ...times(10, (n) => filter(`a${n}`, 'LESS_THAN'))), OK],
    [
      '11 compared fields',
      combined('AND', ...times(11, (n) => filter(`a${n}`, 'LESS_THAN'))),
      INVALID_ARGUMENT,
    ],
  ])('takes or refuses a query with %s', async (_, where, code) => {
    expect((await query({ where })).code).toBe(code);
  });

  it.each<[string, string, (root: string) => Message, number]>([
    [
      'a parent that ends with /',
      'RunQuery',
      (root) => ({ parent: `${root}/`, structuredQuery: {} }),
      INVALID_ARGUMENT,
    ],
    [
      'a page of less than nothing',
      'ListDocuments',
      (parent) => ({ parent, collectionId: 'c', pageSize: -1 }),
      INVALID_ARGUMENT,
    ],
    [
      'a page that never was',
      'ListDocuments',
      (parent) => ({ parent, collectionId: 'c', pageToken: 'garbage' }),
      INVALID_ARGUMENT,
    ],
    [
      'an empty order',
      'ListDocuments',
      (parent) => ({ parent, collectionId: 'c', orderBy: ',,' }),
      INVALID_ARGUMENT,
    ],
    [
      'collections on a page of less than nothing',
      'ListCollectionIds',
      (parent) => ({ parent, pageSize: -1 }),
      INVALID_ARGUMENT,
    ],
    [
      'a count up to less than nothing',
      'RunAggregationQuery',
      (parent) => ({
        parent,
        structuredAggregationQuery: {
          structuredQuery: { from: [{ collectionId: 'c' }] },
          aggregations: [{ alias: 'a', count: { upTo: { value: -1 } } }],
        },
      }),
      INVALID_ARGUMENT,
    ],
    [
      'a time of 1970',
      'RunQuery',
      (parent) => ({ parent, structuredQuery: { from: [{ collectionId: 'c' }] }, readTime: { seconds: 1 } }),
      FAILED_PRECONDITION,
    ],
  ])('refuses %s', async (_, method, request, code) => {
    expect((await client.call(method, request(root))).code).toBe(code);
  });

  it.each<[string, Message, string]>([
    ['the order of the summed field', { limit: { value: 1 } }, '10'],
    ['that order with an offset', { offset: 1, limit: { value: 1 } }, '20'],
    ['the order that it asks for', { orderBy: [by('m')], limit: { value: 1 } }, '30'],
    ['that order, then the summed field', { orderBy: [by('even', true)], limit: { value: 1 } }, '30'],
  ])('sums within a limit in %s', async (_, structuredQuery, integerValue) => {
    // In the order of their ids the first has neither the smallest n nor the smallest m; one has no n.
    const numbers = { b: [20, 2], c: [10, 3], d: [30, 1] };
    const writes = Object.entries(numbers).map(([id, [n = 0, m = 0]]) =>
      set(`summed/${id}`, { n: integer(n), m: integer(m), even: integer(0) }),
    );
    writes.push(set('summed/a', { m: integer(0), even: integer(0) }));
    expect((await client.call('Commit', { database, writes })).code).toBe(OK);
    const { code, answers } = await client.call('RunAggregationQuery', {
      parent: root,
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId: 'summed' }], ...structuredQuery },
        aggregations: [
          { alias: 'sum', sum: { field: { fieldPath: 'n' } } },
          { alias: 'average', avg: { field: { fieldPath: 'n' } } },
          { alias: 'count', count: {} },
        ],
      },
    });
    expect(code).toBe(OK);
    expect(answers[0].result.aggregateFields).toMatchObject({
      sum: { integerValue },
      average: { doubleValue: Number(integerValue) },
      count: { integerValue: '1' },
    });
  });

  it.each<[string, Message, string]>([
    ['after names', { orderBy: [by('__name__')] }, 'n'],
    ['the name itself', {}, '__name__'],
  ])('refuses to sum %s', async (_, structuredQuery, fieldPath) => {
    const { code } = await client.call('RunAggregationQuery', {
      parent: root,
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId: 'summed' }], ...structuredQuery },
        aggregations: [{ alias: 'sum', sum: { field: { fieldPath } } }],
      },
    });
    expect(code).toBe(INVALID_ARGUMENT);
  });

  it('lists collections, and documents that are missing, as they were at a time', async () => {
    const before = await client.call('Commit', {
      database,
      writes: [set('then/1/below/1'), set('always/1/below/1')],
    });
    const later = [{ delete: `${root}/then/1/below/1` }, set('now/1/below/1'), set('always/1/below/2')];
    await client.call('Commit', { database, writes: later });
    const idsAt = async (id: string, time: Message) => {
      const { answers } = await client.call('ListCollectionIds', { parent: `${root}/${id}/1`, ...time });
      return answers[0].collectionIds ?? [];
    };
    const missingAt = async (collectionId: string, time: Message) => {
      const request = { parent: root, collectionId, showMissing: true, ...time };
      const { answers } = await client.call('ListDocuments', request);
      return (answers[0].documents ?? []).map(({ name }: Message) => name);
    };
    const readTime = before.answers[0].commitTime;
    const ids = ['then', 'always', 'now'];
    const both = (time: Message) => Promise.all(ids.flatMap((id) => [idsAt(id, time), missingAt(id, time)]));
    const there = (id: string) => [['below'], [`${root}/${id}/1`]];
    expect(await both({ readTime })).toEqual([...there('then'), ...there('always'), [], []]);
    expect(await both({})).toEqual([[], [], ...there('always'), ...there('now')]);
    const future = { readTime: { seconds: String(Number(readTime.seconds) + 3600) } };
    expect((await client.call('ListCollectionIds', { parent: root, ...future })).code).toBe(INVALID_ARGUMENT);
    const old = { readTime: { seconds: 1 } };
    expect((await client.call('ListCollectionIds', { parent: root, ...old })).code).toBe(FAILED_PRECONDITION);
  });

  describe('a precondition with an update time', () => {
    const ask = async (updateTime: Message, id = 'there') => {
      const name = `${root}/expected/${id}`;
      const currentDocument = { updateTime };
      const writes = [{ delete: name, currentDocument }];
      const update = [{ update: { name }, currentDocument }];
      const outcomes = await Promise.all([
        client.call('DeleteDocument', { name, currentDocument }),
        client.call('Commit', { database, writes }),
        client.call('Commit', { database, writes: update }),
        client.call('BatchWrite', { database, writes }),
      ]);
      return outcomes.map(({ code, answers }) => code || (answers[0]?.status?.[0]?.code ?? 0));
    };

    it('is INVALID_ARGUMENT when it is later than that of the document', async () => {
      await client.call('Commit', { database, writes: [set('expected/there')] });
      const { answers } = await client.call('GetDocument', { name: `${root}/expected/there` });
      const { seconds, nanos } = answers[0].updateTime;
      const hour = { seconds: String(Number(seconds) + 3600), nanos };
      expect(new Set(await ask(hour))).toEqual(new Set([INVALID_ARGUMENT]));
      const next = nanos + 1000 < 1e9 ? { seconds, nanos: nanos + 1000 } : hour;
      expect(new Set(await ask(next))).toEqual(new Set([INVALID_ARGUMENT]));
      expect(new Set(await ask({ seconds: 1000 }))).toEqual(new Set([FAILED_PRECONDITION]));
      expect((await client.call('GetDocument', { name: `${root}/expected/there` })).code).toBe(OK);
    });

    it('is FAILED_PRECONDITION when there is no document', async () => {
      expect(new Set(await ask({ seconds: 1000 }, 'missing'))).toEqual(new Set([FAILED_PRECONDITION]));
    });

    it.each([
      ['before 1970', { seconds: -1 }],
      ['finer than a microsecond', { seconds: 1000, nanos: 1 }],
    ])('is INVALID_ARGUMENT when it is %s', async (_, updateTime) => {
      expect(new Set(await ask(updateTime))).toEqual(new Set([INVALID_ARGUMENT]));
    });
  });

  it('refuses to try a transaction again that it never gave', async () => {
    const options = { readWrite: { retryTransaction: Buffer.from('zzz') } };
    expect((await client.call('BeginTransaction', { database, options })).code).toBe(INVALID_ARGUMENT);
  });

  it('takes commits one after another on a stream, and ends it with the error of one that fails', async () => {
    const { answers, send, end } = client.openWrites(database);
    send({ database });
    await expect.poll(() => answers.length).toBe(1);
    expect(answers[0].streamId).not.toBe('');
    send({
      writes: [set('streamed/1', { n: integer(1) }), set('streamed/2')],
      streamToken: answers[0].streamToken,
    });
    await expect.poll(() => answers.length).toBe(2);
    expect(answers[1].writeResults).toHaveLength(2);
    expect((await client.call('GetDocument', { name: `${root}/streamed/1` })).answers[0].fields.n).toEqual(
      integer(1),
    );
    send({
      writes: [{ ...set('streamed/3'), currentDocument: { exists: true } }],
      streamToken: answers[1].streamToken,
    });
    expect((await end).code).toBe(status.NOT_FOUND);
  });
});
