// Races and sizes: what a hundred writers of one document and the largest requests come to, here and on the
// official emulator.

import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type RawClient,
  rawClient,
  startLocalFirestore,
} from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import type { RunningServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { describeSides } from './official.ts';

const RACERS = 100;
const MIB = 1024 * 1024;

/** The emulator of the global setup. */
const official = async (): Promise<RunningServer> => ({
  host: process.env.FIRESTORE_EMULATOR_HOST ?? '',
  stop: async () => {},
});

const SIDES = [
  { name: 'the local cloud', isOfficial: false, start: () => startLocalFirestore() },
  { name: 'the official emulator', isOfficial: true, start: official },
];

describeSides('', SIDES, ({ isOfficial, start }) => {
  const database = `projects/demo-${randomUUID().slice(0, 8)}/databases/(default)`;
  const root = `${database}/documents`;
  let server: RunningServer;
  let clients: RawClient[] = [];
  beforeAll(async () => {
    server = await start();
    clients = Array.from({ length: RACERS }, () => rawClient(server.host));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await server.stop();
  });

  const integer = (number: number) => ({ integerValue: String(number) });
  const text = (bytes: number) => ({ stringValue: 'x'.repeat(bytes) });
  const set = (path: string, fields: Message, rest: object = {}) => ({
    update: { name: `${root}/${path}`, fields },
    ...rest,
  });
  const commit = async (...writes: Message[]) => {
    const [client] = clients;
    if (client === undefined) throw new Error('there is no client');
    return client.call('Commit', { database, writes });
  };
  const read = async (...paths: string[]): Promise<Message[]> => {
    const documents = paths.map((path) => `${root}/${path}`);
    const outcome = await clients[0]?.call('BatchGetDocuments', { database, documents });
    return (outcome?.answers ?? []).flatMap(({ found }) => (found ? [found] : []));
  };

  /** Racers write their number into two documents. Returns losers' codes; checks the winner. */
  async function race(id: string, precondition: object): Promise<number[]> {
    const outcomes = await Promise.all(
      clients.map((client, by) => {
        const fields = { by: integer(by) };
        const writes = [
          set(`raced/${id}`, fields, { currentDocument: precondition }),
          set(`beside/${id}`, fields),
        ];
        return client.call('Commit', { database, writes });
      }),
    );
    const winners = outcomes.flatMap(({ code }, by) => (code === status.OK ? [String(by)] : []));
    expect(winners).toHaveLength(1);
    const documents = await read(`raced/${id}`, `beside/${id}`);
    expect(documents.map(({ fields }) => fields.by.integerValue)).toEqual([...winners, ...winners]);
    return outcomes.flatMap(({ code }) => (code === status.OK ? [] : [code]));
  }

  it('of a hundred clients that expect the same version, one wins; of the others nothing is written', async () => {
    const created = await commit(set('raced/version', { by: integer(-1) }));
    const { updateTime } = created.answers[0].writeResults[0];
    expect(await race('version', { updateTime })).toEqual(Array(RACERS - 1).fill(status.FAILED_PRECONDITION));
  });

  it('of a hundred clients that create the same document, one does', async () => {
    expect(await race('created', { exists: false })).toEqual(Array(RACERS - 1).fill(status.ALREADY_EXISTS));
  });

  it.each<[string, Message, Message]>([
    ['a document of 1 MiB', { a: text(500_000), b: text(548_000) }, { a: text(500_000), b: text(549_000) }],
    ['a value of 1 MiB less 89 bytes', { a: text(MIB - 89) }, { a: text(MIB - 88) }],
  ])('has a limit: %s', async (_, allowed, refused) => {
    expect((await commit(set('limits/1', allowed))).code).toBe(status.OK);
    const outcome = await commit(set('limits/2', {}), set('limits/3', refused));
    expect(outcome.code).toBe(status.INVALID_ARGUMENT);
    expect(await read('limits/2', 'limits/3')).toEqual([]);
  });

  // The official emulator takes 4 MiB; Firestore takes 10.
  if (!isOfficial) {
    it('has a limit: a request of 10 MiB', async () => {
      const writes = (count: number) =>
        Array.from({ length: count }, (_, id) => set(`big${count}/${id}`, { a: text(MIB - 3000) }));
      expect((await commit(...writes(10))).code).toBe(status.OK);
      expect((await commit(...writes(11))).code).toBe(status.INVALID_ARGUMENT);
      expect(await read('big11/0')).toEqual([]);
      expect(await read('big10/0', 'big10/9')).toHaveLength(2);
    });
  }
});
