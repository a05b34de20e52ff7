// Timed calls of the local cloud's bench, through Google's clients and plain gRPC.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FieldPath, Firestore } from '@google-cloud/firestore';
import { PubSub, type Topic } from '@google-cloud/pubsub';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { PROTOS } from '../../packages/local-cloud/src/firestore/values/protos.ts';
import { encode, loadProtos, resolveRpcTypes } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import type { Contestant } from './contestants.ts';
import { benchDocument, benchFields, DATABASE, documentName, idOf, PROJECT } from './documents.ts';

const LARGE_COLLECTION = 5000;
const BATCH = 500;
const BULK_MESSAGES = 5000;
const SERVICE = 'google.firestore.v1.Firestore';

/** One operation, again and again. */
export type Call = () => Promise<unknown>;

export interface Calls {
  /** By what they do. */
  google: Record<string, Call>;
  /** The same requests as bytes, their answers not decoded. */
  bare: Record<string, Call>;
  close(): Promise<void>;
}

/** Calls of Firestore on existing documents; none are needed on an instant server. */
export async function firestoreCalls({ firestore: host }: Contestant, isFloor: boolean): Promise<Calls> {
  const [name = '', port] = host.split(':');
  const db = new Firestore({ projectId: PROJECT, host: name, port: Number(port), ssl: false });
  const messages = db.collection('messages');
  const large = db.collection('large');
  if (!isFloor) {
    for (const collection of [messages, large]) {
      const count = collection === messages ? 100 : LARGE_COLLECTION;
      for (let first = 0; first < count; first += BATCH) {
        const batch = db.batch();
        for (let index = first; index < Math.min(count, first + BATCH); index++) {
          batch.set(collection.doc(idOf(index)), benchDocument(index));
        }
        await batch.commit();
      }
    }
  }
  const ten = Array.from({ length: 10 }, (_, index) => messages.doc(idOf(index * 7)));
  let written = 0;

  const google: Record<string, Call> = {
    get: () => messages.doc(idOf(7)).get(),
    'getAll of 10': () => db.getAll(...ten),
    'commit of 1': () =>
      db
        .collection('written')
        .doc(idOf(written % 1000))
        .set(benchDocument(written++)),
    'commit of 5, preconditions': () => {
      const batch = db.batch();
      const fresh = db.collection(`written-${written++}`);
      for (let index = 0; index < 5; index++) batch.create(fresh.doc(idOf(index)), benchDocument(index));
      return batch.commit();
    },
    'query of 100': () => messages.get(),
  };
  if (!isFloor) {
    const id = FieldPath.documentId();
    google['prefix: 10 of 5000'] = () => large.where(id, '>=', '00123').where(id, '<', '00124').get();
    google['equality: 100 of 5000'] = () => large.where('group', '==', 'group-7').get();
    google['first 10 of 5000'] = () => large.orderBy(id).limit(10).get();
  }
  const listener = listening(db);
  if (!isFloor) google['write until a listener has it'] = listener.call;
  const bare = bareCalls(host);
  return {
    google,
    bare: bare.calls,
    async close() {
      bare.close();
      listener.stop();
      await db.terminate();
    },
  };
}

/** Writes a document, and waits until a listener has it. The listener runs from the first call on. */
function listening(db: Firestore): { call: Call; stop(): void } {
  const document = db.collection('listened').doc('one');
  let count = 0;
  let seen = () => {};
  let started: Promise<void> | undefined;
  let stop = () => {};
  const listen = () =>
    new Promise<void>((resolve) => {
      stop = document.onSnapshot((snapshot) => {
        resolve();
        if (snapshot.get('sequence') === count) seen();
      });
    });
  const call = async () => {
    started ??= listen();
    await started;
    count += 1;
    const arrived = new Promise<void>((resolve) => {
      seen = resolve;
    });
    await Promise.all([document.set(benchDocument(count)), arrived]);
  };
  return { call, stop: () => stop() };
}

function bareCalls(host: string): { calls: Record<string, Call>; close(): void } {
  const { methods } = loadProtos(PROTOS).lookupService(SERVICE);
  const client = new Client(host, credentials.createInsecure());
  const bytesOf = (method: string, request: object): Buffer =>
    Buffer.from(encode(resolveRpcTypes(methods[method]).request, request));
  // The official emulator evaluates its rules for all others.
  const metadata = new Metadata();
  metadata.set('authorization', 'Bearer owner');
  const asIs = (bytes: Buffer): Buffer => bytes;
  const unary = (method: string, request: Buffer): Promise<unknown> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(`/${SERVICE}/${method}`, asIs, asIs, request, metadata, (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
  const stream = (method: string, request: Buffer): Promise<unknown> =>
    new Promise<void>((resolve, reject) => {
      const call = client.makeServerStreamRequest(`/${SERVICE}/${method}`, asIs, asIs, request, metadata);
      call
        .on('data', () => {})
        .on('error', reject)
        .on('end', resolve);
    });
  const get = bytesOf('BatchGetDocuments', { database: DATABASE, documents: [documentName('messages', 7)] });
  const commit = (index: number) =>
    bytesOf('Commit', {
      database: DATABASE,
      writes: [{ update: { name: documentName('written', index % 1000), fields: benchFields(index) } }],
    });
  const query = bytesOf('RunQuery', {
    parent: `${DATABASE}/documents`,
    structuredQuery: { from: [{ collectionId: 'messages' }] },
  });
  const commits = Array.from({ length: 1000 }, (_, index) => commit(index));
  let written = 0;
  return {
    calls: {
      get: () => stream('BatchGetDocuments', get),
      'commit of 1': () => unary('Commit', commits[written++ % commits.length] as Buffer),
      'query of 100': () => stream('RunQuery', query),
    },
    close: () => client.close(),
  };
}

export interface PubsubCalls {
  /** Publishes a message, and waits until it is pushed to an endpoint. */
  publishToPush: Call;
  /** Many messages at once on a new topic with a subscription; each gives messages a second. */
  bulk: Record<string, () => Promise<number>>;
  close(): Promise<void>;
}

export async function pubsubCalls({ pubsub: host }: Contestant): Promise<PubsubCalls> {
  let pushed = () => {};
  const endpoint = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end();
      pushed();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const pushEndpoint = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`;
  const pubsub = new PubSub({ projectId: PROJECT, apiEndpoint: host, emulatorMode: true });
  const [pushTopic] = await pubsub.createTopic('pushed');
  await pushTopic.createSubscription('pushed', { pushEndpoint });
  // Each message in a request of its own, at once.
  pushTopic.setPublishOptions({ batching: { maxMessages: 1 } });
  const data = Buffer.from('x'.repeat(90));

  let topics = 0;
  /** Publishes to a new topic, and waits for what `subscribe` returns. */
  const bulk = async (
    subscribe: (topic: Topic, id: string) => Promise<{ all: Promise<unknown>; stop?(): Promise<void> }>,
  ) => {
    const id = `bulk-${++topics}`;
    const [topic] = await pubsub.createTopic(id);
    const { all, stop } = await subscribe(topic, id);
    const begin = performance.now();
    await Promise.all(Array.from({ length: BULK_MESSAGES }, () => topic.publishMessage({ data })));
    await all;
    const perSecond = (BULK_MESSAGES / (performance.now() - begin)) * 1000;
    await stop?.();
    await pubsub.subscription(id).delete();
    return perSecond;
  };

  return {
    async publishToPush() {
      const arrived = new Promise<void>((resolve) => {
        pushed = resolve;
      });
      await Promise.all([pushTopic.publishMessage({ data: Buffer.from('{"iteration":1}') }), arrived]);
    },
    bulk: {
      [`publish of ${BULK_MESSAGES}`]: () =>
        bulk(async (topic, id) => {
          await topic.createSubscription(id);
          return { all: Promise.resolve() };
        }),
      [`publish of ${BULK_MESSAGES} until all are pushed`]: () =>
        bulk(async (topic, id) => {
          const { all, count } = countdown(BULK_MESSAGES);
          pushed = count;
          await topic.createSubscription(id, { pushEndpoint });
          return { all };
        }),
      [`publish of ${BULK_MESSAGES} until all are pulled`]: () =>
        bulk(async (topic, id) => {
          const { all, count } = countdown(BULK_MESSAGES);
          const [subscription] = await topic.createSubscription(id);
          subscription.on('message', (message) => {
            message.ack();
            count();
          });
          return { all, stop: () => subscription.close() };
        }),
    },
    async close() {
      endpoint.closeAllConnections();
      endpoint.close();
      await pubsub.close();
    },
  };
}

function countdown(from: number): { all: Promise<void>; count(): void } {
  let left = from;
  let finish = () => {};
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return {
    all,
    count() {
      left -= 1;
      if (left === 0) finish();
    },
  };
}
