// The local Firestore answers what the official emulator answers: the same random commits, queries and
// listeners go to both. Times are compared by their order, errors by their codes.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type RawClient,
  rawClient,
  startLocalFirestore,
} from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { RunningServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { openSide } from './comparedSide.ts';
import { openView } from './listenerView.ts';
import { describeOfficial } from './official.ts';
import { type Command, commit, read } from './randomCommands.ts';

let local: RunningServer;
let clients: RawClient[] = [];
/** The index of Google's emulator in `clients`. */
const OFFICIAL = 1;
beforeAll(async () => {
  local = await startLocalFirestore();
  clients = [local.host, process.env.FIRESTORE_EMULATOR_HOST ?? ''].map(rawClient);
});
afterAll(async () => {
  for (const client of clients) client.close();
  await local.stop();
});

/** The same commands at every run; other ones, and more, with `CLOUD_SEED` and `CLOUD_RUNS`. */
const RANDOM = { seed: Number(process.env.CLOUD_SEED ?? 1), numRuns: Number(process.env.CLOUD_RUNS ?? 40) };
const newProject = () => `demo-${randomUUID().slice(0, 12)}`;

const by = (fieldPath: string) => ({ field: { fieldPath }, direction: 'ASCENDING' });
const atLeast = (fieldPath: string, number: number) => ({
  fieldFilter: {
    field: { fieldPath },
    op: 'GREATER_THAN_OR_EQUAL',
    value: { integerValue: String(number), valueType: 'integerValue' },
  },
});

describeOfficial('the local Firestore, compared with the official emulator', () => {
  it('gives the same results and error codes for random commits and queries', async () => {
    const commands = fc.array(fc.oneof(commit, read, read), { minLength: 5, maxLength: 30 });
    const property = fc.asyncProperty(commands, async (sequence) => {
      const projectId = newProject();
      const sides = clients.map((client) => openSide(client, projectId));
      for (const command of sequence) {
        const [mine, theirs] = await Promise.all(sides.map((side) => side.run(command)));
        const asked = JSON.stringify(command.request({ root: '', updateTime: () => 'current' }));
        expect({ asked, ...mine }).toEqual({ asked, ...theirs, details: mine?.details });
      }
    });
    await fc.assert(property, RANDOM);
  });

  it.each([
    ['all of a collection', { from: [{ collectionId: 'c' }] }],
    ['a collection group', { from: [{ collectionId: 's', allDescendants: true }] }],
    ['some', { from: [{ collectionId: 'c' }], where: atLeast('f', 1) }],
    ['the first two of an order', { from: [{ collectionId: 'c' }], orderBy: [by('f')], limit: { value: 2 } }],
  ])(
    'shows a listener to %s the same after random commits, also to one that comes back',
    async (_, query) => {
      const commits = fc.array(commit, { minLength: 2, maxLength: 12 });
      const property = fc.asyncProperty(commits, fc.nat(12), async (sequence, interrupted) => {
        const projectId = newProject();
        const sides = clients.map((client, index) => ({
          ...openSide(client, projectId),
          view: openView(client, projectId, query, { retries: index === OFFICIAL }),
        }));
        const settle = async () => {
          const marker: Command = {
            method: 'Commit',
            request: ({ root }) => ({
              database: root.replace(/\/documents$/, ''),
              writes: [{ update: { name: `${root}/marker/${randomUUID()}` } }],
            }),
          };
          await Promise.all(sides.map((side) => side.run(marker)));
          await Promise.all(sides.map(({ view }) => view.settled()));
        };
        for (const [index, command] of sequence.entries()) {
          if (index === interrupted) for (const { view } of sides) view.disconnect();
          if (index === interrupted + 1) for (const { view } of sides) view.connect();
          await Promise.all(sides.map((side) => side.run(command)));
        }
        for (const { view } of sides) view.connect();
        await settle();
        const [mine, theirs] = sides.map(({ view, normalize }) => normalize(view.documents()));
        expect(mine).toEqual(theirs);
        for (const { view } of sides) view.disconnect();
      });
      await fc.assert(property, { ...RANDOM, numRuns: Math.ceil(RANDOM.numRuns / 4) });
    },
  );
});
