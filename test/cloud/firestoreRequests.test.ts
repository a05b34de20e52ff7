// Requests of one kind each, on the local Firestore and on the official emulator: both take or refuse the same.

import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Message, RunningServer } from '../../local/cloud/grpcServer.ts';
import { type RawClient, rawClient, startLocalFirestore } from './localFirestore.ts';
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
