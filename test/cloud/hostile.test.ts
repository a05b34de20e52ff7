// Clients that break the rules: invalid requests and texts, abandoned streams.

import { randomBytes } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { type Engine, openEngine } from '../../packages/local-cloud/src/firestore/engine/engine.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { createPlanner } from '../../packages/local-cloud/src/firestore/indexes/planner.ts';
import { serveListen } from '../../packages/local-cloud/src/firestore/listen/listenCall.ts';
import { PROTOS } from '../../packages/local-cloud/src/firestore/values/protos.ts';
import { rawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { CloudService } from '../../packages/local-cloud/src/protocol/services.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';

const FIRESTORE = 'google.firestore.v1.Firestore';
const database = 'projects/demo-hostile/databases/(default)';
const query = { parent: `${database}/documents`, structuredQuery: { from: [{ collectionId: 'c' }] } };

function openRaw(host: string): Client {
  const client = new Client(host, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  onTestFinished(() => client.close());
  return client;
}

/** The status code of a unary call with these very bytes. */
function send(client: Client, path: string, bytes: Buffer): Promise<number> {
  const metadata = new Metadata();
  metadata.set('authorization', 'Bearer owner');
  const asIs = (each: Buffer) => each;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, (error: ServiceError | null) =>
      resolve(error?.code ?? status.OK),
    );
  });
}

async function startCloud() {
  const store = openDatabase();
  const pubsub = createPubsubService(store);
  const services: CloudService[] = [createFirestoreService(store), ...pubsub.services];
  const server = await startGrpcServer(services);
  onTestFinished(async () => {
    pubsub.close();
    await server.stop();
    store.close();
  });
  return { host: server.host, services };
}

it('bytes that are no request are refused by every RPC that answers once, and nothing breaks', async () => {
  const { host, services } = await startCloud();
  const client = openRaw(host);
  for (const { name, rpcs } of services) {
    for (const method of Object.keys(rpcs).filter((each) => 'unary' in (rpcs[each] ?? {}))) {
      for (const bytes of [Buffer.from([10, 200]), Buffer.alloc(200, 0xff)]) {
        const code = await send(client, `/${name}/${method}`, bytes);
        expect({ method, code }).toEqual({ method, code: status.INVALID_ARGUMENT });
      }
      expect(await send(client, `/${name}/${method}`, randomBytes(500))).not.toBe(status.OK);
    }
  }
});

/** A connection of bare HTTP/2, and calls on it. */
function openSession(host: string) {
  const session: ClientHttp2Session = connect(`http://${host}`);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  const headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  return {
    session,
    call(path: string) {
      const stream = session.request({ ...headers, ':path': path });
      stream.on('error', () => {});
      return stream;
    },
  };
}

it('calls that break off at any moment end no other', async () => {
  const { host } = await startCloud();
  const paths = ['Listen', 'Write', 'Commit', 'RunQuery', 'None'].map((rpc) => `/${FIRESTORE}/${rpc}`);
  paths.push('/google.pubsub.v1.Subscriber/StreamingPull', '/google.pubsub.v1.Subscriber/Pull', '/nothing');
  const request = Buffer.concat([
    Buffer.of(0, 0, 0, 0, database.length + 2, 10, database.length),
    Buffer.from(database),
  ]);
  const beginnings = [
    Buffer.of(),
    Buffer.of(0, 0, 0),
    Buffer.of(0, 0, 0, 0, 5),
    request,
    Buffer.of(0, 255, 255, 255, 255),
  ];
  for (const path of paths) {
    for (const beginning of beginnings) {
      const { session, call } = openSession(host);
      for (let count = 0; count < 20; count++) {
        const stream = call(path);
        if (beginning.length > 0) stream.write(beginning);
        if (count % 2 === 0) stream.end();
        if (count % 3 === 0) stream.close(count % 4 === 0 ? 8 : 0);
        if (count % 5 === 0) await new Promise(setImmediate);
      }
      session.destroy();
    }
  }
  const client = rawClient(host);
  onTestFinished(() => client.close());
  expect((await client.call('Commit', { database, writes: [] })).code).toBe(status.OK);
});

it.each(['Commit', 'RunQuery'])('a call of %s without a request is refused', async (rpc) => {
  const { call } = openSession((await startCloud()).host);
  const stream = call(`/${FIRESTORE}/${rpc}`);
  const answered = new Promise<unknown>((resolve) => {
    for (const event of ['response', 'trailers'] as const) {
      stream.on(event, (headers) => headers['grpc-status'] !== undefined && resolve(headers['grpc-status']));
    }
  });
  stream.resume();
  stream.end();
  expect(Number(await answered)).not.toBe(status.OK);
});

it.each(['the local cloud', 'the official emulator'])(
  'a text that is no UTF-8 is refused by %s',
  async (name) => {
    const official = process.env.FIRESTORE_EMULATOR_HOST ?? '';
    const host = name === 'the local cloud' ? (await startCloud()).host : official;
    const bytesOf = (text: string): Buffer =>
      Buffer.concat([Buffer.of(10, text.length), Buffer.from(text, 'latin1')]);
    const commit = (text: string) => send(openRaw(host), `/${FIRESTORE}/Commit`, bytesOf(text));
    expect(await commit(database)).toBe(status.OK);
    expect(await commit(`${database}\xff\xfe`)).not.toBe(status.OK);
  },
);

it('a text can hold the sign for an unreadable value', async () => {
  const client = rawClient((await startCloud()).host);
  onTestFinished(() => client.close());
  const fields = { a: { stringValue: '\ufffd', valueType: 'stringValue' } };
  const name = `${database}/documents/c/\ufffd`;
  const { code } = await client.call('Commit', { database, writes: [{ update: { name, fields } }] });
  expect(code).toBe(status.OK);
  expect((await client.call('GetDocument', { name })).answers[0]).toMatchObject({ name, fields });
});

it('a listener that does not read is sent the difference when it reads again, not every state in between', async () => {
  const client = rawClient((await startCloud()).host);
  const texts: string[] = [];
  const view = client.listen(
    database,
    ({ documentChange }) => documentChange && texts.push(documentChange.document.fields.a.stringValue),
    () => {},
  );
  onTestFinished(() => {
    view.end();
    client.close();
  });
  const write = (n: number) => {
    const fields = { a: { stringValue: `${n} ${'x'.repeat(100_000)}`, valueType: 'stringValue' } };
    return client.call('Commit', {
      database,
      writes: [{ update: { name: `${database}/documents/c/1`, fields } }],
    });
  };
  view.send({ addTarget: { targetId: 1, query } });
  await write(0);
  await expect.poll(() => texts.length).toBe(1);
  view.pause();
  for (let n = 1; n <= 200; n++) await write(n);
  view.resume();
  await expect.poll(() => texts.at(-1)?.startsWith('200 ')).toBe(true);
  expect(texts.length).toBeLessThan(100);
  await write(201);
  await expect.poll(() => texts.at(-1)?.startsWith('201 ')).toBe(true);
});

it('listeners that are left behind are forgotten, however they end', async () => {
  const store = openDatabase();
  let listening = 0;
  const engine: Engine = openEngine(store);
  const counted: Engine = {
    ...engine,
    subscribe(listener) {
      const unsubscribe = engine.subscribe(listener);
      let isOpen = true;
      listening += 1;
      return () => {
        if (isOpen) listening -= 1;
        isOpen = false;
        unsubscribe();
      };
    },
  };
  const rpcs = {
    Listen: { bidiStream: (call) => serveListen(counted, createPlanner(), call) },
  } satisfies CloudService['rpcs'];
  const server = await startGrpcServer([{ protos: PROTOS, name: FIRESTORE, rpcs }]);
  onTestFinished(async () => {
    await server.stop();
    store.close();
  });
  const open = (client: Client) =>
    Array.from({ length: 100 }, () => {
      const asIs = (each: Buffer) => each;
      const stream = client.makeBidiStreamRequest(`/${FIRESTORE}/Listen`, asIs, asIs, new Metadata());
      stream.on('error', () => {});
      stream.on('data', () => {});
      return stream;
    });
  for (const leave of ['cancel', 'end'] as const) {
    const streams = open(openRaw(server.host));
    for (const stream of streams) stream.write(Buffer.from([10, 1]));
    await expect.poll(() => listening).toBe(0);
    const idle = open(openRaw(server.host));
    await expect.poll(() => listening).toBe(100);
    for (const stream of idle) stream[leave]();
    await expect.poll(() => listening).toBe(0);
  }
  const client = rawClient(server.host);
  const views = Array.from({ length: 100 }, () =>
    client.listen(
      database,
      () => {},
      () => {},
    ),
  );
  for (const view of views) view.send({ addTarget: { targetId: 1, query } });
  await expect.poll(() => listening).toBe(100);
  client.close();
  for (const view of views) view.end();
  await expect.poll(() => listening).toBe(0);
});
