// The local Firestore: our store, races, limits, returning listeners, a reopened file.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firestore, type Timestamp } from '@google-cloud/firestore';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rawClient, startLocalFirestore } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import type { RunningServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { describeStore } from '../store/conformance.ts';
import { openView } from './listenerView.ts';

const folder = mkdtempSync(join(tmpdir(), 'inquest-cloud-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Points Google's client and all processes of a suite at a local Firestore. */
function describeOnLocal(name: string, file: string | undefined, suite: () => void): void {
  describe(name, () => {
    const before = process.env.FIRESTORE_EMULATOR_HOST;
    let server: RunningServer;
    beforeAll(async () => {
      server = await startLocalFirestore(file);
      process.env.FIRESTORE_EMULATOR_HOST = server.host;
    });
    afterAll(async () => {
      process.env.FIRESTORE_EMULATOR_HOST = before;
      await server.stop();
    });
    suite();
  });
}

// `npm test` runs the suite in memory.
describeOnLocal('the local cloud, in a file', join(folder, 'suite.db'), () => {
  describeStore('its Firestore', () => createFirestoreStore({ projectId: 'demo-local' }));
});

const database = 'projects/demo-local/databases/(default)';
const root = `${database}/documents`;
const integer = (number: number) => ({ integerValue: String(number), valueType: 'integerValue' });
const set = (path: string, fields: Message, rest: object = {}) => ({
  update: { name: `${root}/${path}`, fields },
  ...rest,
});

/** A server for one test, with a client of the bare protocol. */
async function open(file?: string) {
  const server = await startLocalFirestore(file);
  const client = rawClient(server.host);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    client.close();
    await server.stop();
  };
  onTestFinished(close);
  const commit = (...writes: Message[]) => client.call('Commit', { database, writes });
  return { client, commit, close };
}

describe('races', () => {
  it('of a hundred writers that expect the same version one succeeds, and the others get the conflict', async () => {
    const { client, commit } = await open();
    const created = await commit(set('raced/1', { by: integer(-1) }));
    const { updateTime } = created.answers[0].writeResults[0];
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, by) =>
        commit(set('raced/1', { by: integer(by) }, { currentDocument: { updateTime } })),
      ),
    );
    const winners = outcomes.flatMap(({ code }, by) => (code === status.OK ? [by] : []));
    expect(winners).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === status.FAILED_PRECONDITION)).toHaveLength(99);
    const read = await client.call('GetDocument', { name: `${root}/raced/1` });
    expect(read.answers[0].fields.by.integerValue).toBe(String(winners[0]));
  });

  it('a hundred creators of one document: one creates it', async () => {
    const { commit } = await open();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, by) =>
        commit(set('raced/1', { by: integer(by) }, { currentDocument: { exists: false } })),
      ),
    );
    expect(outcomes.filter(({ code }) => code === status.OK)).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === status.ALREADY_EXISTS)).toHaveLength(99);
  });

  it('a transaction whose documents or queries changed is ABORTED, and sees its own moment until then', async () => {
    const { client, commit } = await open();
    await commit(set('read/1', { n: integer(1) }));
    const structuredQuery = { from: [{ collectionId: 'read' }] };
    const reads: [string, Message][] = [
      ['BatchGetDocuments', { database, documents: [`${root}/read/1`] }],
      ['RunQuery', { parent: root, structuredQuery }],
    ];
    for (const [method, request] of reads) {
      const first = await client.call(method, { ...request, newTransaction: { readWrite: {} } });
      const { transaction } = first.answers[0];
      await commit(set('read/1', { n: { doubleValue: Math.random(), valueType: 'doubleValue' } }));
      const again = await client.call(method, { ...request, transaction });
      expect(again.answers.map(({ found, document }) => found ?? document)).toEqual(
        first.answers.slice(1).map(({ found, document }) => found ?? document),
      );
      const late = await client.call('Commit', { database, transaction, writes: [set('read/2', {})] });
      expect(late.code).toBe(status.ABORTED);
      const dead = await client.call('Commit', { database, transaction, writes: [] });
      expect(dead).toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringContaining('expired'),
      });
    }
    expect((await client.call('GetDocument', { name: `${root}/read/2` })).code).toBe(status.NOT_FOUND);
  });
});

describe('a time to read at', () => {
  it.each([
    ['long ago', 0, status.FAILED_PRECONDITION],
    ['to come', 250_000_000_000, status.INVALID_ARGUMENT],
  ])('that is %s is refused: %i s', async (_, seconds, code) => {
    const { client } = await open();
    const request = { database, documents: [`${root}/a/b`], readTime: { seconds: String(seconds) } };
    expect((await client.call('BatchGetDocuments', request)).code).toBe(code);
  });
});

describeOnLocal('transactions of the client', undefined, () => {
  it('transactions of the client: every increment counts', async () => {
    const db = new Firestore({
      projectId: 'demo-local',
      clientOptions: { universe_domain: 'googleapis.com' },
    });
    onTestFinished(() => db.terminate());
    const counter = db.doc('counters/1');
    await counter.set({ count: 0 });
    const increment = () =>
      db.runTransaction(async (transaction) => {
        const { count } = (await transaction.get(counter)).data() as { count: number };
        transaction.update(counter, { count: count + 1 });
      });
    await Promise.all([increment(), increment(), increment()]);
    expect((await counter.get()).data()).toEqual({ count: 3 });
  });

  it('a read-only transaction sees its moment, and the time it asks for', async () => {
    const db = new Firestore({
      projectId: 'demo-local',
      clientOptions: { universe_domain: 'googleapis.com' },
    });
    onTestFinished(() => db.terminate());
    const { writeTime } = await db.doc('past/1').set({ n: 1 });
    await db.doc('past/1').set({ n: 2 });
    await db.doc('past/2').create({ n: 3 });
    const readAt = (readTime: Timestamp) =>
      db.runTransaction(async (transaction) => (await transaction.get(db.collection('past'))).docs, {
        readOnly: true,
        readTime,
      });
    expect((await readAt(writeTime)).map((found) => found.data())).toEqual([{ n: 1 }]);
  });
});

describeOnLocal('a listener of the client', undefined, () => {
  it('to an invalid query gets the reason', async () => {
    const db = new Firestore({
      projectId: 'demo-local',
      clientOptions: { universe_domain: 'googleapis.com' },
    });
    onTestFinished(() => db.terminate());
    const refused = Promise.withResolvers<Error>();
    const tooMany = Array.from({ length: 31 }, (_, index) => index);
    db.collection('any')
      .where('n', 'in', tooMany)
      .onSnapshot(() => {}, refused.resolve);
    expect((await refused.promise).message).toContain("'IN' supports up to 30 comparison values.");
  });
});

describe('queries of every kind', () => {
  const group = { from: [{ collectionId: 'split', allDescendants: true }] };
  const orderBy = [{ field: { fieldPath: '__name__' }, direction: 'ASCENDING' }];

  it('are explained: their effect, and when they are run their duration', async () => {
    const { client, commit } = await open();
    await commit(set('seen/1', { n: integer(1) }), set('seen/2', { n: integer(2) }));
    const where = { fieldFilter: { field: { fieldPath: 'n' }, op: 'EQUAL', value: integer(1) } };
    const structuredQuery = { from: [{ collectionId: 'seen' }], where };
    const planned = await client.call('RunQuery', { parent: root, structuredQuery, explainOptions: {} });
    expect(planned.answers).toHaveLength(1);
    expect(planned.answers[0]).not.toHaveProperty('document');
    expect(planned.answers[0].explainMetrics.planSummary.indexesUsed).toHaveLength(1);
    const explainOptions = { analyze: true };
    const run = await client.call('RunQuery', { parent: root, structuredQuery, explainOptions });
    expect(run.answers).toHaveLength(1);
    expect(run.answers[0].document.fields.n).toEqual(integer(1));
    const count = { structuredQuery, aggregations: [{ alias: 'all', count: {} }] };
    const counted = await client.call('RunAggregationQuery', {
      parent: root,
      structuredAggregationQuery: count,
      explainOptions,
    });
    expect(counted.answers[0].result.aggregateFields.all).toEqual(integer(1));
    for (const [{ answers }, documents] of [
      [run, '1'],
      [counted, '0'],
    ] as const) {
      expect(answers[0].explainMetrics.executionStats).toMatchObject({
        resultsReturned: '1',
        debugStats: {
          fields: {
            documents_scanned: { stringValue: documents },
            index_entries_scanned: { stringValue: '1' },
          },
        },
      });
    }
  });

  it('a collection group is split into parts that hold every document once', async () => {
    const { client, commit } = await open();
    const paths = Array.from({ length: 100 }, (_, id) => `in/${id % 7}/split/${id}`);
    await commit(...paths.map((path) => set(path, {})));
    const points: Message[] = [];
    let pageToken = '';
    do {
      const structuredQuery = { ...group, orderBy };
      const request = { parent: root, structuredQuery, partitionCount: 4, pageSize: 3, pageToken };
      const { answers } = await client.call('PartitionQuery', request);
      points.push(...answers[0].partitions);
      pageToken = answers[0].nextPageToken ?? '';
    } while (pageToken !== '');
    expect(points).toHaveLength(4);
    const parts = await Promise.all(
      [...points, undefined].map((endAt, index) =>
        client.call('RunQuery', {
          parent: root,
          structuredQuery: { ...group, orderBy, startAt: points[index - 1], endAt },
        }),
      ),
    );
    const names = parts.map(({ answers }) => answers.map(({ document }) => document.name));
    expect(names.map((part) => part.length)).toEqual([20, 20, 20, 20, 20]);
    expect(new Set(names.flat()).size).toBe(100);
  });

  it.each([
    ['one collection', { from: [{ collectionId: 'split' }], orderBy }, 4],
    ['no order', group, 4],
    ['a limit', { ...group, orderBy, limit: { value: 3 } }, 4],
    ['no parts', { ...group, orderBy }, 0],
  ])('cannot be split with %s', async (_, structuredQuery, partitionCount) => {
    const { client } = await open();
    const { code } = await client.call('PartitionQuery', { parent: root, structuredQuery, partitionCount });
    expect(code).toBe(status.INVALID_ARGUMENT);
  });
});

describe('limits', () => {
  const text = (bytes: number) => ({ stringValue: 'x'.repeat(bytes), valueType: 'stringValue' });
  const nested = (depth: number): Message =>
    depth === 0 ? integer(1) : { mapValue: { fields: { a: nested(depth - 1) } }, valueType: 'mapValue' };
  const list = (length: number) => ({
    arrayValue: { values: Array.from({ length }, (_, index) => integer(index)) },
    valueType: 'arrayValue',
  });

  it.each<[string, Message, Message]>([
    ['a document of 1 MiB', { a: text(500_000), b: text(500_000) }, { a: text(600_000), b: text(600_000) }],
    ['a value of 1 MiB less 89 bytes', { a: text(1_048_487) }, { a: text(1_048_488) }],
    ['maps 20 deep', { a: nested(20) }, { a: nested(21) }],
    ['20,000 indexed values', { a: list(20_000) }, { a: list(20_001) }],
    ['names of 1500 bytes', { ['n'.repeat(1500)]: integer(1) }, { ['n'.repeat(1501)]: integer(1) }],
    [
      'lists that hold no lists',
      { a: list(1) },
      { a: { arrayValue: { values: [list(1)] }, valueType: 'arrayValue' } },
    ],
  ])('are kept: %s', async (_, allowed, refused) => {
    const { commit } = await open();
    expect(await commit(set('limits/1', allowed))).toMatchObject({ code: status.OK });
    expect(await commit(set('limits/2', {}), set('limits/1', refused))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  it('a request has 10 MiB', async () => {
    const { client, commit } = await open();
    const writes = (count: number) =>
      Array.from({ length: count }, (_, id) => set(`big/${id}`, { a: text(1_000_000) }));
    expect((await commit(...writes(10))).code).toBe(status.OK);
    expect(await commit(...writes(11))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('10485760 bytes'),
    });
    const documents = Array.from({ length: 11_000 }, (_, id) => `${root}/big/${id}-${'x'.repeat(1000)}`);
    expect((await client.call('BatchGetDocuments', { database, documents })).code).toBe(
      status.INVALID_ARGUMENT,
    );
  });

  it('a missing document is reported as missing', async () => {
    const { client } = await open();
    const { code, details } = await client.call('ExecutePipeline', {});
    expect({ code, details }).toEqual({
      code: status.UNIMPLEMENTED,
      details: 'the local cloud does not have google.firestore.v1.Firestore.ExecutePipeline',
    });
  });
});

describe('listeners', () => {
  const query = { from: [{ collectionId: 'seen' }] };
  const fill = (count: number) =>
    Array.from({ length: count }, (_, id) => set(`seen/${id}`, { n: integer(id) }));
  const marker = (id: number) => set(`marker/${id}`, {});
  const remove = (path: string) => ({ delete: `${root}/${path}` });

  it('a hundred at once see every commit', async () => {
    const { client, commit } = await open();
    const views = Array.from({ length: 100 }, () => openView(client, 'demo-local', query));
    await commit(...fill(20), marker(1));
    await Promise.all(views.map((view) => view.settled()));
    for (const view of views) {
      expect(view.documents()).toHaveLength(20);
      view.disconnect();
    }
  });

  it('a resumed one gets the changes since then, and nothing else', async () => {
    const { client, commit } = await open();
    await commit(...fill(50), marker(1));
    const view = openView(client, 'demo-local', query);
    await view.settled(1);
    expect(view.sent()).toBe(50);
    view.disconnect();
    await commit(set('seen/7', { n: integer(-1) }), remove('seen/8'), set('seen/new', {}), marker(2));
    view.connect();
    await view.settled(2);
    expect(view.sent()).toBe(52);
    expect(view.documents()).toHaveLength(50);
    view.disconnect();
  });

  it('one that comes back to a server that was started again too, unless something was deleted', async () => {
    const file = join(folder, 'resumed.db');
    const first = await open(file);
    await first.commit(...fill(50), marker(1));
    const view = openView(first.client, 'demo-local', query);
    await view.settled(1);
    view.disconnect();
    await first.commit(set('seen/7', { n: integer(-1) }), marker(2));
    await first.close();

    const second = await open(file);
    view.connect(second.client);
    await view.settled(2);
    expect(view.sent()).toBe(51);
    view.disconnect();
    await second.commit(remove('seen/8'));
    await second.close();

    const third = await open(file);
    view.connect(third.client);
    await expect.poll(() => view.documents().length).toBe(49);
    view.disconnect();
  });
});

describe('a file', () => {
  it('that is opened again holds everything, and update times continue', async () => {
    const file = join(folder, 'reopened.db');
    const first = await open(file);
    const written = await first.commit(
      set('kept/1', { n: integer(1) }),
      set('kept/2/below/3', { n: integer(2) }),
    );
    const names = ['kept/1', 'kept/2/below/3'].map((path) => `${root}/${path}`);
    const read = async ({ client }: Awaited<ReturnType<typeof open>>) =>
      (await client.call('BatchGetDocuments', { database, documents: names })).answers.map(
        ({ found }) => found,
      );
    const before = await read(first);
    await first.close();

    const second = await open(file);
    expect(await read(second)).toEqual(before);
    const changed = await second.commit(set('kept/1', { n: integer(9) }));
    const nanos = ({ seconds, nanos = 0 }: Message) => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
    const [old, later] = [written, changed].map(({ answers }) =>
      nanos(answers[0].writeResults[0].updateTime),
    );
    expect(later).toBeGreaterThan(old ?? 0n);
  });
});
