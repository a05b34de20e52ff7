import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  createDocument,
  type OutdatedDocuments,
  replaceDocument,
  type Store,
} from '../../shared/core/contract/store.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { documentType } from '../../shared/core/schema/documentType.ts';
import { leaseSchema } from '../../shared/core/schema/execution.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { MAX_FAILURES, type MigrateOptions, migrateDocuments, type Tally } from './migrate.ts';

const NOW = new Date('2026-11-05T12:00:00Z');

/** Version 1 called it `name`, version 2 calls it `title` and has a lease. */
const oldType = documentType('note', 1, z.strictObject({ name: z.string(), until: z.date().optional() }));
const noteType = documentType(
  'note',
  2,
  z.strictObject({ title: z.string(), lease: leaseSchema.nullable() }),
  {
    oldest: 1,
    upcast: ({ name, until }) => ({
      title: name,
      lease: until === undefined ? null : { holder: 'a', until, messageId: null },
    }),
  },
);
const newerType = documentType('note', 3, z.strictObject({}));

/** Every path once, two on a page, as a query over documents that do not change would give them. */
function listed(paths: string[]): OutdatedDocuments {
  return {
    count: async () => paths.length,
    async *pages() {
      for (let at = 0; at < paths.length; at += 2) yield paths.slice(at, at + 2);
    },
    close: async () => {},
  };
}

/** A store with notes of version 1 under these ids. */
async function notes(...ids: string[]) {
  const store = createMemoryStore();
  await store.commit(ids.map((id) => createDocument(`notes/${id}`, oldType, { name: id })));
  return { store, outdated: listed(ids.map((id) => `notes/${id}`)) };
}

async function talliesOf(options: Partial<MigrateOptions> & Pick<MigrateOptions, 'store' | 'outdated'>) {
  const all: Tally[] = [];
  const defaults = { dryRun: false, now: () => NOW, collections: { notes: noteType } };
  for await (const tally of migrateDocuments({ ...defaults, ...options })) all.push(tally);
  return all;
}

/** The store, with something happening between reading a document and writing it. */
const changedAfterGet = (store: Store, change: (path: string) => Promise<unknown>): Store => ({
  ...store,
  async get(path, type) {
    const stored = await store.get(path, type);
    await change(path);
    return stored;
  },
});

describe('migrate', () => {
  it('yields its progress: at the start, after each page, at the end', async () => {
    const tallies = await talliesOf(await notes('a', 'b', 'c'));
    expect(tallies.map(({ migrated, complete }) => [migrated, complete])).toEqual([
      [0, false],
      [2, false],
      [3, false],
      [3, true],
    ]);
    expect(tallies.at(-1)).toEqual({
      collection: 'notes',
      version: 2,
      total: 3,
      migrated: 3,
      inWork: 0,
      changed: 0,
      failed: 0,
      failures: [],
      complete: true,
    });
  });

  it('stores the result of the upcaster, and changes nothing else in the document', async () => {
    const { store, outdated } = await notes('a');
    await talliesOf({ store, outdated });
    const raw = documentType('raw', 2, z.record(z.string(), z.unknown()));
    expect((await store.get('notes/a', raw))?.value).toEqual({ title: 'a', lease: null });
  });

  it('in a dry run writes nothing, and yields the changes it would make', async () => {
    const { store, outdated } = await notes('a', 'b');
    const commits: unknown[] = [];
    const watched: Store = {
      ...store,
      async commit(writes) {
        commits.push(writes);
        return await store.commit(writes);
      },
    };
    const tallies = await talliesOf({ store: watched, outdated, dryRun: true });
    expect(tallies.at(-1)).toMatchObject({ migrated: 2, complete: true });
    expect(commits).toEqual([]);
  });

  it('stops with its caller, after the page under way', async () => {
    const { store, outdated } = await notes('a', 'b', 'c');
    for await (const { migrated } of migrateDocuments({
      store,
      outdated,
      dryRun: false,
      now: () => NOW,
      collections: { notes: noteType },
    })) {
      if (migrated > 0) break;
    }
    await expect(store.get('notes/b', oldType)).rejects.toThrow('newer');
    expect((await store.get('notes/c', oldType))?.value).toEqual({ name: 'c' });
  });

  it.each([
    ['still runs', 1, { inWork: 1, migrated: 0 }],
    ['runs out now', 0, { inWork: 0, migrated: 1 }],
  ])('of a document whose lease %s', async (_, ms, expected) => {
    const store = createMemoryStore();
    const until = new Date(NOW.getTime() + ms);
    await store.commit([createDocument('notes/a', oldType, { name: 'a', until })]);
    for (const dryRun of [true, false]) {
      const tallies = await talliesOf({ store, outdated: listed(['notes/a']), dryRun });
      expect(tallies.at(-1)).toMatchObject(expected);
    }
  });

  it('leaves documents that changed between reading and writing', async () => {
    const { store, outdated } = await notes('a', 'b');
    const changing = changedAfterGet(store, async (path) => {
      const found = await store.get(path, oldType);
      if (found === undefined || path !== 'notes/a') return;
      await store.commit([replaceDocument(path, oldType, { name: 'changed' }, found.version)]);
    });
    const tallies = await talliesOf({ store: changing, outdated });
    expect(tallies.at(-1)).toMatchObject({ migrated: 1, changed: 1, failed: 0 });
    expect((await store.get('notes/a', oldType))?.value).toEqual({ name: 'changed' });
  });

  it('leaves documents that are gone, are newer by now, or lose every race', async () => {
    const { store } = await notes('contended');
    await store.commit([createDocument('notes/newer', newerType, {})]);
    const contended: Store = {
      ...store,
      commit: () => Promise.reject(new RetryableError('STORE_CONFLICT', 'too much contention')),
    };
    const outdated = listed(['notes/gone', 'notes/newer', 'notes/contended']);
    const tallies = await talliesOf({ store: contended, outdated });
    expect(tallies.at(-1)).toMatchObject({ migrated: 0, changed: 3, failed: 0 });
    expect(await store.get('notes/newer', newerType)).toBeDefined();
  });

  it.each([true, false])(
    'names documents that cannot be migrated, with the reason, and continues (dry run: %s)',
    async (dryRun) => {
      const { store } = await notes('fine');
      const brokenType = documentType('note', 1, z.record(z.string(), z.unknown()));
      await store.commit([
        createDocument('notes/invalid', brokenType, { name: 7 }),
        createDocument('notes/large', brokenType, { name: 'x'.repeat(899_900) }),
        createDocument('notes/fault', brokenType, { name: 'x', until: 'never' }),
      ]);
      const growing = documentType('note', 2, z.strictObject({ title: z.string(), copy: z.string() }), {
        oldest: 1,
        upcast: ({ name, until }) => {
          if (until !== undefined) throw new RangeError('no such day');
          return { title: name, copy: name };
        },
      });
      const gapType = documentType('gap', 2, z.strictObject({}));
      const paths = ['notes/invalid', 'notes/large', 'notes/fault', 'notes/fine'];
      const tallies = await talliesOf({
        store,
        outdated: listed(paths),
        dryRun,
        collections: { notes: growing },
      });
      const tally = tallies.at(-1);
      expect(tally).toMatchObject({ migrated: 1, failed: 3, complete: true });
      expect(tally?.failures).toEqual([
        { path: 'notes/invalid', reason: expect.stringContaining('not a valid note: title: ') },
        { path: 'notes/large', reason: expect.stringMatching(/\d+ bytes are over the limit of 900000/) },
        { path: 'notes/fault', reason: expect.stringMatching(/of version 1: no such day$/) },
      ]);
      const [gap] = (
        await talliesOf({ store, outdated: listed(['notes/large']), dryRun, collections: { notes: gapType } })
      ).slice(-1);
      expect(gap?.failures[0]?.reason).toContain('run migrate of release 0.2.0 first');
      expect((await store.get('notes/invalid', brokenType))?.value).toEqual({ name: 7 });
    },
  );

  it('names the first 20 only', async () => {
    const ids = Array.from({ length: MAX_FAILURES + 5 }, (_, index) => String(index));
    const { store, outdated } = await notes(...ids);
    const type = documentType('note', 2, z.strictObject({}));
    const tally = (await talliesOf({ store, outdated, collections: { notes: type } })).at(-1);
    expect(tally?.failed).toBe(25);
    expect(tally?.failures.map(({ path }) => path)).toEqual(
      ids.slice(0, MAX_FAILURES).map((id) => `notes/${id}`),
    );
  });

  it('ends when the store does not answer, after it yielded the finished part', async () => {
    const { store, outdated } = await notes('a', 'b', 'c', 'd');
    const failing: Store = {
      ...store,
      commit: async (writes) =>
        writes[0]?.path === 'notes/c'
          ? Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'no answer'))
          : store.commit(writes),
    };
    const yielded: Tally[] = [];
    const run = async () => {
      const collections = { notes: noteType, others: noteType };
      const options = { store: failing, outdated, dryRun: false, now: () => NOW, collections };
      for await (const tally of migrateDocuments(options)) yielded.push(tally);
    };
    await expect(run()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(yielded.at(-1)).toMatchObject({ collection: 'notes', migrated: 3, failed: 0, complete: false });
  });
});
