// The limits over the wire, in time that a test moves.

import { Firestore } from '@google-cloud/firestore';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../database/database.ts';
import { rawClient } from '../../localFirestore.fixture.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { status } from '../../protocol/status.ts';
import { startGrpcServer } from '../../server/grpcServer.ts';
import { createTestClock } from '../../testClock.fixture.ts';
import { createFirestoreService } from '../firestoreService.ts';
import type { IndexFile } from '../indexes/indexFile.ts';
import { integer } from '../values/value.ts';

const database = 'projects/p/databases/(default)';
const name = (path: string) => `${database}/documents/${path}`;
const write = (path: string, n = 1) => ({ update: { name: name(path), fields: { n: integer(n) } } });
const CONTENTION = /^Too much contention on these documents\. Please try again: /;

const LONG = ['a', 'b', 'c', 'd', 'e', 'f'];
const INDEXES: IndexFile = {
  indexes: [
    {
      collectionGroup: 'long',
      queryScope: 'COLLECTION',
      fields: LONG.map((fieldPath) => ({ fieldPath, order: 'ASCENDING' })),
    },
  ],
  fieldOverrides: [
    {
      collectionGroup: 'times',
      fieldPath: 'at',
      indexes: [{ queryScope: 'COLLECTION_GROUP', order: 'ASCENDING' }],
    },
  ],
};

async function openLimited(writesPerSecond = 1, indexes?: IndexFile) {
  const clock = createTestClock();
  const cloud = openDatabase();
  const service = createFirestoreService(cloud, indexes, { writesPerSecond, clock });
  const server = await startGrpcServer([service]);
  const client = rawClient(server.host);
  onTestFinished(async () => {
    service.close();
    client.close();
    await server.stop();
    cloud.close();
  });
  const commit = (...writes: object[]) => client.call('Commit', { database, writes });
  return {
    host: server.host,
    clock,
    client,
    commit,
    /** Writes a document until it takes no more at once. */
    async heat(path: string, count = 10) {
      for (let n = 1; n <= count; n++) expect((await commit(write(path, n))).code).toBe(status.OK);
    },
    /** A read of another document: what was sent before it has arrived when it is answered. */
    other: () => client.call('GetDocument', { name: name('other/one') }),
    report: async (): Promise<Message> => (await fetch(`http://${server.host}/limits`)).json(),
  };
}

/** Whether a call has ended, without waiting for it. */
async function hasEnded(call: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    call.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}

describe('a commit above the rate of a document', () => {
  it('is done late, and other calls are not', async () => {
    const { clock, commit, heat, other, client } = await openLimited();
    await heat('hot/one');
    const late = commit(write('hot/one', 11));
    expect((await other()).code).toBe(status.NOT_FOUND);
    expect((await commit(write('hot/two'))).code).toBe(status.OK);
    clock.advance(999);
    expect((await client.call('GetDocument', { name: name('hot/one') })).answers[0].fields.n).toEqual(
      expect.objectContaining({ integerValue: '10' }),
    );
    expect(await hasEnded(late)).toBe(false);
    clock.advance(1);
    expect((await late).code).toBe(status.OK);
    expect((await client.call('GetDocument', { name: name('hot/one') })).answers[0].fields.n).toEqual(
      expect.objectContaining({ integerValue: '11' }),
    );
  });

  it('is ABORTED when it would wait for more than 5 s, and Google’s client tries again', async () => {
    const { host, clock, commit, heat, other, report } = await openLimited();
    await heat('hot/one');
    const late = Array.from({ length: 5 }, () => commit(write('hot/one')));
    await other();
    const refused = await commit(write('hot/one'));
    expect(refused).toMatchObject({ code: status.ABORTED, details: expect.stringMatching(CONTENTION) });
    vi.stubEnv('FIRESTORE_EMULATOR_HOST', host);
    const google = new Firestore({ projectId: 'p', clientOptions: { universe_domain: 'googleapis.com' } });
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await google.terminate();
    });
    const retried = google.doc('hot/one').set({ n: 12 });
    await expect.poll(async () => (await report()).documents.exceeded[0].aborted).toBeGreaterThan(1);
    clock.advance(60_000);
    expect(await Promise.all(late)).toMatchObject(late.map(() => ({ code: status.OK })));
    await retried;
    const row = (await report()).documents.exceeded[0];
    expect(row).toMatchObject({ database, name: 'hot/one', lateSeconds: 15 });
    expect(row.operations).toBe(16 + row.aborted);
  });

  it.each([
    ['a delete', { delete: name('hot/one') }],
    [
      'a transform',
      {
        transform: {
          document: name('hot/one'),
          fieldTransforms: [{ fieldPath: 'n', increment: integer(1) }],
        },
      },
    ],
    ['a batch with it', [write('hot/two'), write('hot/one')]],
  ])('is late as %s', async (_, writes) => {
    const { clock, commit, heat, other } = await openLimited();
    await heat('hot/one');
    const late = commit(...[writes].flat());
    await other();
    expect(await hasEnded(late)).toBe(false);
    clock.advance(1000);
    expect((await late).code).toBe(status.OK);
  });

  it('in BatchWrite is decided for each write', async () => {
    const { clock, client, commit, heat, other } = await openLimited();
    await heat('hot/one');
    await heat('hot/two');
    const late = Array.from({ length: 5 }, () => commit(write('hot/one')));
    await other();
    const batch = client.call('BatchWrite', {
      database,
      writes: [write('hot/one'), write('hot/two'), write('hot/three')],
    });
    await other();
    clock.advance(5000);
    const [answer] = (await batch).answers;
    expect(answer.status.map(({ code }: Message) => code)).toEqual([status.ABORTED, status.OK, status.OK]);
    await Promise.all(late);
  });

  it('on a stream of writes is late, and answered in order', async () => {
    const { clock, client, heat, other } = await openLimited();
    await heat('hot/one');
    const stream = client.openWrites(database);
    stream.send({ database });
    stream.send({ writes: [write('hot/one')] });
    stream.send({ writes: [write('hot/two')] });
    await expect.poll(() => stream.answers.length).toBe(1);
    await other();
    clock.advance(1000);
    await expect.poll(() => stream.answers.length).toBe(3);
    expect(stream.answers.map(({ streamToken }) => String(streamToken))).toEqual(['0', '1', '2']);
  });

  it('depends on the rate that was asked for', async () => {
    const { heat, report } = await openLimited(100);
    await heat('hot/one', 40);
    const { writesPerSecond, documents } = await report();
    expect({ writesPerSecond, exceeded: documents.exceeded }).toEqual({ writesPerSecond: 100, exceeded: [] });
    expect(documents.hottest).toEqual([
      { database, name: 'hot/one', greatestRate: 4, operations: 40, lateSeconds: 0, aborted: 0 },
    ]);
  });
});

describe('above the rate of many documents', () => {
  const many = (place: string, count: number) =>
    Array.from({ length: count }, (_, n) => write(`${place}${n % 7}/x/${n}`, 0));

  it('a new collection and all below it take 500 operations a second', async () => {
    const { clock, commit, other, report } = await openLimited();
    expect((await commit(...many('new/a', 500))).code).toBe(status.OK);
    const late = commit(...many('new/b', 500));
    await other();
    expect(await hasEnded(late)).toBe(false);
    clock.advance(2);
    expect((await late).code).toBe(status.OK);
    const { collections } = await report();
    expect(collections.exceeded).toMatchObject([{ name: 'new', operations: 1000, lateSeconds: 0.002 }]);
  });

  it('an index that grows takes 500 writes a second, and what is refused changes nothing', async () => {
    const { clock, client, commit, other, report } = await openLimited(1, INDEXES);
    const at = { timestampValue: { seconds: String(Math.ceil(clock.now().getTime() / 1000)) } };
    // Each in a collection of its own, which has room for them.
    const grow = (root: number) =>
      commit(
        ...Array.from({ length: 400 }, (_, n) => ({
          update: { name: name(`c${root}/p/times/${n}`), fields: { at } },
        })),
      );
    const late = Array.from({ length: 8 }, (_, root) => grow(root));
    await other();
    expect(await Promise.all(late.map(hasEnded))).toEqual([true, true, ...Array(6).fill(false)]);
    expect((await client.call('GetDocument', { name: name('c7/p/times/0') })).code).toBe(status.OK);
    const refused = await grow(8);
    expect(refused).toMatchObject({ code: status.ABORTED, details: expect.stringMatching(CONTENTION) });
    expect((await client.call('GetDocument', { name: name('c8/p/times/0') })).code).toBe(status.NOT_FOUND);
    expect((await commit({ update: { name: name('c0/p/times/0'), fields: { at } } })).code).toBe(status.OK);
    clock.advance(5000);
    expect(await Promise.all(late)).toMatchObject(late.map(() => ({ code: status.OK })));
    const { indexes, collections } = await report();
    expect(collections.exceeded).toEqual([]);
    expect(indexes.exceeded).toMatchObject([{ name: 'all times (at)', greatestRate: 360, aborted: 400 }]);
  });
});

it('the size of index entries, and the transforms of a document in all writes of a commit, are limited', async () => {
  const { commit } = await openLimited(1, INDEXES);
  const fields = Object.fromEntries(LONG.map((each) => [each, { stringValue: 'x'.repeat(2000) }]));
  expect(await commit({ update: { name: name('long/one'), fields } })).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('an index entry of long/one is larger than 7680 bytes'),
  });
  const transform = (count: number) => ({
    transform: {
      document: name('big/two'),
      fieldTransforms: Array.from({ length: count }, (_, n) => ({
        fieldPath: `f${n}`,
        increment: integer(1),
      })),
    },
  });
  expect((await commit(transform(250), transform(250))).code).toBe(status.OK);
  expect(await commit(transform(250), transform(251))).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: 'A document cannot have more than 500 field transforms in one commit.',
  });
});

describe('a transaction', () => {
  const begin = async (client: ReturnType<typeof rawClient>) =>
    (await client.call('BeginTransaction', { database })).answers[0].transaction;
  const EXPIRED = {
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('transaction has expired'),
  };

  it('expires after 60 s without a request', async () => {
    const { clock, client } = await openLimited();
    const transaction = await begin(client);
    const read = () => client.call('BatchGetDocuments', { database, documents: [name('a/b')], transaction });
    for (let step = 0; step < 3; step++) {
      clock.advance(60_000);
      expect((await read()).code).toBe(status.OK);
    }
    clock.advance(60_001);
    expect(await client.call('Commit', { database, writes: [write('a/b')], transaction })).toMatchObject(
      EXPIRED,
    );
  });

  it('expires after 270 s', async () => {
    const { clock, client } = await openLimited();
    const transaction = await begin(client);
    const read = () => client.call('BatchGetDocuments', { database, documents: [name('a/b')], transaction });
    for (let step = 0; step < 9; step++) {
      clock.advance(30_000);
      expect((await read()).code).toBe(status.OK);
    }
    clock.advance(1);
    expect(await read()).toMatchObject(EXPIRED);
  });
});

it('queries are listed by their shapes, with the documents and index entries that they read', async () => {
  const { client, commit, report } = await openLimited();
  await commit(...Array.from({ length: 20 }, (_, n) => write(`cities/${n}`, n % 4)));
  const find = (n: number, limit: number) => ({
    from: [{ collectionId: 'cities' }],
    where: { fieldFilter: { field: { fieldPath: 'n' }, op: 'EQUAL', value: integer(n) } },
    limit: { value: limit },
  });
  for (const [n, limit] of [
    [1, 2],
    [3, 4],
  ] as const)
    await client.call('RunQuery', { parent: `${database}/documents`, structuredQuery: find(n, limit) });
  const structuredQuery = { from: [{ collectionId: 'cities' }] };
  const structuredAggregationQuery = { structuredQuery, aggregations: [{ alias: 'n', count: {} }] };
  await client.call('RunAggregationQuery', { parent: `${database}/documents`, structuredAggregationQuery });
  await client.call('GetDocument', { name: `${database}/documents/cities/1` });
  const equal = { documents: 6, greatestDocuments: 4, indexEntries: 6, greatestIndexEntries: 4 };
  const counted = { documents: 0, greatestDocuments: 0, indexEntries: 20, greatestIndexEntries: 20 };
  expect((await report()).queries).toEqual([
    { query: 'cities: ; __name__', count: 1, ...counted },
    { query: 'cities: n EQUAL; __name__; limited', count: 2, ...equal },
    {
      query: 'cities: by name',
      count: 1,
      documents: 1,
      greatestDocuments: 1,
      indexEntries: 0,
      greatestIndexEntries: 0,
    },
  ]);
});
