// REST on the local cloud and on Google's emulators: both answer the same to the same requests. And gcloud,
// which speaks nothing else.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Firestore } from '@google-cloud/firestore';
import { v1 } from '@google-cloud/pubsub';
import { PassThroughClient } from 'google-auth-library';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { thisMachine } from '../../local/emulators/findEmulators.ts';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { describeSides } from './official.ts';

interface Hosts {
  firestore: string;
  pubsub: string;
  stop(): Promise<void>;
}

async function startLocal(): Promise<Hosts> {
  const database = openDatabase();
  const pubsub = createPubsubService(database);
  const servers = await Promise.all([
    startGrpcServer([createFirestoreService(database)]),
    startGrpcServer(pubsub.services),
  ]);
  return {
    firestore: servers[0].host,
    pubsub: servers[1].host,
    async stop() {
      pubsub.close();
      await Promise.all(servers.map((server) => server.stop()));
      database.close();
    },
  };
}

const SIDES = [
  { name: 'the local cloud', isOfficial: false, start: startLocal },
  {
    name: "Google's emulators",
    isOfficial: true,
    start: async (): Promise<Hosts> => ({
      firestore: process.env.FIRESTORE_EMULATOR_HOST ?? '',
      pubsub: process.env.PUBSUB_EMULATOR_HOST ?? '',
      stop: async () => {},
    }),
  },
];
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(?:\d{3}){1,3})?Z$/;
const TIME = expect.stringMatching(RFC_3339);

describeSides('REST of', SIDES, ({ start }) => {
  let hosts: Hosts;
  const project = `projects/demo-${randomUUID().slice(0, 8)}`;
  const root = `${project}/databases/(default)/documents`;
  beforeAll(async () => {
    hosts = await start();
  });
  afterAll(() => hosts.stop());

  const ask = async (host: string, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://${host}/v1/${path}`, {
      method,
      // An administrator for the official emulator, whose rules would refuse others.
      headers: {
        authorization: 'Bearer owner',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { code: answer.status, json: (await answer.json()) as Message };
  };
  const firestore = (method: string, path: string, body?: unknown) =>
    ask(hosts.firestore, method, path, body);
  const pubsub = (method: string, path: string, body?: unknown) => ask(hosts.pubsub, method, path, body);
  const failure = (code: number, status: string) => ({
    code,
    json: { error: { code, status, message: expect.any(String) } },
  });

  const fields = {
    null: { nullValue: null },
    no: { booleanValue: false },
    zero: { integerValue: '0' },
    large: { integerValue: '9007199254740993' },
    number: { doubleValue: 1.5 },
    nan: { doubleValue: 'NaN' },
    text: { stringValue: '' },
    bytes: { bytesValue: 'AP+/' },
    time: { timestampValue: '2026-11-23T18:00:00.123456Z' },
    place: { geoPointValue: { latitude: 1.5, longitude: -2 } },
    map: { mapValue: { fields: { a: { nullValue: null } } } },
    empty: { mapValue: {} },
    list: { arrayValue: { values: [{ stringValue: 'a' }] } },
    other: { referenceValue: `${root}/c/d` },
  };

  it('documents are created, read, changed, listed and deleted', async () => {
    const name = `${root}/c/a`;
    const document = { name, fields, createTime: TIME, updateTime: TIME };
    const created = await firestore('POST', `${root}/c?documentId=a`, { fields });
    expect(created).toEqual({ code: 200, json: document });
    expect(await firestore('GET', name)).toEqual(created);
    const masked = await firestore('GET', `${name}?mask.fieldPaths=no&mask.fieldPaths=zero`);
    expect(masked.json.fields).toEqual({ no: fields.no, zero: fields.zero });
    expect(await firestore('POST', `${root}/c?documentId=a`, { fields })).toEqual(
      failure(409, 'ALREADY_EXISTS'),
    );
    const changed = { fields: { zero: { integerValue: '1' }, text: { stringValue: 'b' } } };
    const paths = 'updateMask.fieldPaths=zero&updateMask.fieldPaths=no&mask.fieldPaths=zero';
    const patched = await firestore('PATCH', `${name}?${paths}&currentDocument.exists=true`, changed);
    expect(patched.json.fields).toEqual({ zero: { integerValue: '1' } });
    const read = await firestore('GET', name);
    const { no: _, ...rest } = fields;
    expect(read.json.fields).toEqual({ ...rest, zero: { integerValue: '1' } });
    expect((await firestore('GET', `${root}/c?pageSize=5`)).json).toEqual({ documents: [read.json] });
    const late = `currentDocument.updateTime=${created.json.updateTime}`;
    expect(await firestore('DELETE', `${name}?${late}`)).toEqual(failure(400, 'FAILED_PRECONDITION'));
    expect(await firestore('DELETE', name)).toEqual({ code: 200, json: {} });
    expect(await firestore('GET', name)).toEqual(failure(404, 'NOT_FOUND'));
  });

  it('commits, transactions and queries answer as over gRPC, streams as lists', async () => {
    const place = root.replace(/\/documents$/, '');
    const writes = ['1', '2', '3'].map((id) => ({
      update: { name: `${root}/q/${id}`, fields: { n: { integerValue: id } } },
    }));
    expect(await firestore('POST', `${place}/documents:commit`, { writes })).toMatchObject({
      code: 200,
      json: { writeResults: writes.map(() => ({ updateTime: TIME })), commitTime: TIME },
    });
    const structuredQuery = {
      from: [{ collectionId: 'q' }],
      where: { fieldFilter: { field: { fieldPath: 'n' }, op: 'GREATER_THAN', value: { integerValue: 1 } } },
      orderBy: [{ field: { fieldPath: 'n' }, direction: 'DESCENDING' }],
      limit: 5,
    };
    const found = await firestore('POST', `${root}:runQuery`, { structuredQuery });
    expect(found.json.map(({ document }: Message) => document.fields.n.integerValue)).toEqual(['3', '2']);
    const none = { structuredQuery: { from: [{ collectionId: 'nothing' }] } };
    expect((await firestore('POST', `${root}:runQuery`, none)).json).toMatchObject([{ readTime: TIME }]);
    const aggregations = [{ alias: 'sum', sum: { field: { fieldPath: 'n' } } }];
    const sum = {
      structuredAggregationQuery: { structuredQuery: { from: [{ collectionId: 'q' }] }, aggregations },
    };
    expect((await firestore('POST', `${root}:runAggregationQuery`, sum)).json).toMatchObject([
      { result: { aggregateFields: { sum: { integerValue: '6' } } } },
    ]);
    const begun = await firestore('POST', `${place}/documents:beginTransaction`, {
      options: { readWrite: {} },
    });
    const { transaction } = begun.json;
    const documents = ['1', 'none'].map((id) => `${root}/q/${id}`);
    const got = await firestore('POST', `${place}/documents:batchGet`, { documents, transaction });
    expect(got.json.map(({ found, missing }: Message) => found?.name ?? missing).sort()).toEqual(documents);
    expect((await firestore('POST', `${place}/documents:commit`, { transaction })).code).toBe(200);
    expect((await firestore('POST', `${root}:listCollectionIds`, {})).json.collectionIds).toContain('q');
  });

  it('topics and subscriptions: publish, pull, acknowledge, change, delete', async () => {
    const [topic, subscription] = [`${project}/topics/alerts`, `${project}/subscriptions/mine`];
    expect(await pubsub('PUT', topic)).toEqual({ code: 200, json: { name: topic } });
    expect(await pubsub('PUT', topic)).toEqual(failure(409, 'ALREADY_EXISTS'));
    const made = await pubsub('PUT', subscription, { topic, ackDeadlineSeconds: 20 });
    expect(made).toMatchObject({ code: 200, json: { name: subscription, topic, ackDeadlineSeconds: 20 } });
    expect((await pubsub('GET', subscription)).json).toEqual(made.json);
    const messages = [
      { data: Buffer.from('{"alert": 1}').toString('base64'), attributes: { source: 'test' } },
    ];
    const { json } = await pubsub('POST', `${topic}:publish`, { messages });
    expect(json).toEqual({ messageIds: [expect.stringMatching(/^\d+$/)] });
    const pulled = await pubsub('POST', `${subscription}:pull`, { maxMessages: 1 });
    expect(pulled.json).toMatchObject({
      receivedMessages: [
        {
          ackId: expect.any(String),
          message: { ...messages[0], messageId: json.messageIds[0], publishTime: TIME },
        },
      ],
    });
    const ackIds = pulled.json.receivedMessages.map(({ ackId }: Message) => ackId);
    expect(await pubsub('POST', `${subscription}:acknowledge`, { ackIds })).toEqual({ code: 200, json: {} });
    const changed = await pubsub('PATCH', subscription, {
      subscription: { name: subscription, ackDeadlineSeconds: 30 },
      updateMask: 'ack_deadline_seconds',
    });
    expect(changed.json.ackDeadlineSeconds).toBe(30);
    expect((await pubsub('GET', `${topic}/subscriptions`)).json).toEqual({ subscriptions: [subscription] });
    expect((await pubsub('GET', `${project}/topics?pageSize=10`)).json.topics).toEqual([{ name: topic }]);
    for (const name of [subscription, topic]) {
      expect(await pubsub('DELETE', name)).toEqual({ code: 200, json: {} });
      expect(await pubsub('GET', name)).toEqual(failure(404, 'NOT_FOUND'));
    }
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an unknown field', () => pubsub('POST', `${project}/topics/t:publish`, { nothing: 1 })],
    ['a text for a number', () => pubsub('PUT', `${project}/subscriptions/sub`, { ackDeadlineSeconds: 'x' })],
    [
      'an unknown field of a query',
      () => firestore('POST', `${root}:runQuery`, { structuredQuery: { nothing: 1 } }),
    ],
    ['a time that is none', () => firestore('POST', `${root}:runQuery`, { readTime: 'yesterday' })],
    [
      'a name of nothing',
      () => firestore('POST', `${root}:runQuery`, { structuredQuery: { from: [{ collectionId: '__a__' }] } }),
    ],
  ])('refuses %s', async (_, request) => expect(await request()).toEqual(failure(400, 'INVALID_ARGUMENT')));
});

describe("Google's own clients over REST", () => {
  let hosts: Hosts;
  beforeAll(async () => {
    hosts = await startLocal();
    vi.stubEnv('FIRESTORE_EMULATOR_HOST', hosts.firestore);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await hosts.stop();
  });
  const authClient = new PassThroughClient();

  it('Firestore: writes, reads, queries, counts, transactions, errors', async () => {
    const settings = { projectId: 'demo-rest', preferRest: true, authClient };
    const firestore = new Firestore(settings);
    onTestFinished(() => firestore.terminate());
    const document = firestore.doc('c/a');
    const data = { n: 1, nothing: null, list: [1.5, 'a'], bytes: Buffer.from([0, 255]) };
    await document.set(data);
    expect((await document.get()).data()).toEqual(data);
    const query = firestore.collection('c').where('n', '>=', 1).orderBy('n', 'desc');
    expect((await query.get()).docs.map(({ id }) => id)).toEqual(['a']);
    expect((await query.count().get()).data()).toEqual({ count: 1 });
    await firestore.runTransaction(async (transaction) => {
      const read = await transaction.get(document);
      transaction.update(document, { n: read.get('n') + 1 });
    });
    expect((await document.get()).get('n')).toBe(2);
    await expect(firestore.doc('c/none').update({ n: 1 })).rejects.toMatchObject({ code: 5 });
  });

  it('Pub/Sub: topics, subscriptions with their enums, messages, errors', async () => {
    const [servicePath = '', port] = hosts.pubsub.split(':');
    const options = { fallback: true, protocol: 'http', servicePath, port: Number(port), authClient };
    const [publisher, subscriber] = [new v1.PublisherClient(options), new v1.SubscriberClient(options)];
    const schemas = new v1.SchemaServiceClient(options);
    onTestFinished(async () => {
      await Promise.all([publisher.close(), subscriber.close(), schemas.close()]);
    });
    const [topic, subscription] = ['projects/demo-rest/topics/one', 'projects/demo-rest/subscriptions/one'];
    const definition = '{"type": "record", "name": "A", "fields": [{"name": "a", "type": "string"}]}';
    const schema = { type: 'AVRO' as const, definition };
    const parent = 'projects/demo-rest';
    const [made] = await schemas.createSchema({ parent, schemaId: 'one', schema });
    expect(made).toMatchObject({ type: 'AVRO', definition });
    await publisher.createTopic({ name: topic });
    const retention = { seconds: '700', nanos: 0 };
    const [created] = await subscriber.createSubscription({
      name: subscription,
      topic,
      messageRetentionDuration: retention,
    });
    expect(created).toMatchObject({ topic, messageRetentionDuration: retention });
    await publisher.publish({ topic, messages: [{ data: Buffer.from('hello') }] });
    const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 1 });
    expect(String(receivedMessages?.[0]?.message?.data)).toBe('hello');
    const update = { name: subscription, ackDeadlineSeconds: 30 };
    const updateMask = { paths: ['ack_deadline_seconds'] };
    const [changed] = await subscriber.updateSubscription({ subscription: update, updateMask });
    expect(changed.ackDeadlineSeconds).toBe(30);
    await expect(publisher.getTopic({ topic: `${topic}-none` })).rejects.toMatchObject({ code: 5 });
  });
});

const machine = thisMachine(process.env);
const onPath = (command: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(machine.isExecutable);
const [gcloud, curl] = ['gcloud', 'curl'].map(onPath);
const [curlExample = '', gcloudExample = ''] = [
  ...readFileSync(new URL('../../docs/local-cloud.md', import.meta.url), 'utf8').matchAll(
    /```sh\n(.*?)```/gs,
  ),
].map(([, text]) => text);

/** What a script of the documentation prints, with the hosts of a test in the place of its own. */
async function example(text: string, hosts: Hosts, env: NodeJS.ProcessEnv): Promise<string> {
  const script = text
    .replaceAll('127.0.0.1:8082', hosts.pubsub)
    .replaceAll('127.0.0.1:8081', hosts.firestore);
  return (await promisify(execFile)('sh', ['-ec', script], { env })).stdout;
}

const describeCurl = curl === undefined ? describe.skip : describe;

describeCurl(curl === undefined ? 'curl (skipped: it is not on PATH)' : 'curl', () => {
  it('behaves as the documentation describes', async () => {
    const hosts = await startLocal();
    onTestFinished(hosts.stop);
    const printed = await example(curlExample, hosts, process.env);
    expect(printed).toContain('"data": "aGVsbG8="');
    expect(printed.match(/"stringValue": "hello"/g)).toHaveLength(2);
  });
});

const describeGcloud = gcloud === undefined ? describe.skip : describe;

describeGcloud(gcloud === undefined ? 'gcloud (skipped: it is not on PATH)' : 'gcloud', () => {
  let hosts: Hosts;
  const folder = mkdtempSync(join(tmpdir(), 'inquest-gcloud-'));
  beforeAll(async () => {
    hosts = await startLocal();
  });
  afterAll(async () => {
    await hosts.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const plain = { ...process.env, CLOUDSDK_CONFIG: folder, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
  const run = (...args: string[]) =>
    promisify(execFile)(gcloud ?? '', [...args, '--format=json'], {
      env: {
        ...plain,
        CLOUDSDK_CORE_PROJECT: 'demo-inquest',
        CLOUDSDK_AUTH_DISABLE_CREDENTIALS: 'true',
        CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB: `http://${hosts.pubsub}/`,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_FIRESTORE: `http://${hosts.firestore}/`,
      },
    });

  it('behaves as the documentation describes', async () => {
    expect(await example(gcloudExample, hosts, plain)).toMatch(/hello.*source=test/s);
  });

  it('pulls its published messages, and detaches', async () => {
    await run('pubsub', 'topics', 'create', 'alerts');
    await run('pubsub', 'subscriptions', 'create', 'mine', '--topic=alerts');
    await run('pubsub', 'topics', 'publish', 'alerts', '--message={"alert": 1}', '--attribute=source=test');
    const { stdout } = await run('pubsub', 'subscriptions', 'pull', 'mine', '--auto-ack');
    const data = Buffer.from('{"alert": 1}').toString('base64');
    expect(JSON.parse(stdout)).toMatchObject([
      { ackStatus: 'SUCCESS', message: { data, attributes: { source: 'test' } } },
    ]);
    await run('pubsub', 'topics', 'detach-subscription', 'mine');
    const described = await run('pubsub', 'subscriptions', 'describe', 'mine');
    expect(JSON.parse(described.stdout)).toMatchObject({ detached: true });
  });

  it('names in one line a feature that the local cloud lacks, and does not crash', async () => {
    for (const args of [
      ['firestore', 'databases', 'list'],
      ['pubsub', 'topics', 'get-iam-policy', 'alerts'],
    ]) {
      const failed = await run(...args).then(
        () => ({ stderr: 'no error' }),
        (error: { stderr: string }) => error,
      );
      expect(failed.stderr).toContain(
        'The local cloud does not have the method GET /v1/projects/demo-inquest/',
      );
      expect(failed.stderr).not.toContain('crash');
    }
  });
});
