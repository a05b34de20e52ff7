import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDocument, deleteDocument, putDocument, replaceDocument } from '../../core/contract/store.ts';
import type { Collection } from '../../core/schema/defineCollection.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { COLLECTIONS, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { tenantStore } from './tenantStore.ts';

const owners = Object.values<Collection>(COLLECTIONS);
/** Every tenant reads them; no tenant writes them. */
const SHARED = owners.filter(({ owner }) => owner === 'shared').map(({ collection }) => collection);
/** No tenant reads them. All tenants count in `usage`. */
const OPERATORS = owners
  .filter(({ owner }) => owner === 'operators' || owner === 'counted')
  .map(({ collection }) => collection);

const SESSION = 'of-acme';
const AT = new Date('2026-11-05T10:00:00Z');
const DOCUMENT = {
  schemaVersion: 1,
  tenantId: 'acme',
  sessionId: SESSION,
  text: 'of acme',
  count: 1,
  at: AT,
  direction: [1, 0],
};

/** A path of a document for every way that leads to one. */
const documentPaths = Object.values(paths)
  .map((path) =>
    typeof path === 'string' ? path : (path as (...parts: unknown[]) => string)(SESSION, 'b', 1, 1),
  )
  .filter((path) => path.split('/').length % 2 === 0);
const collectionOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
const collectionIdOf = (path: string) => path.split('/').at(-2) ?? '';

async function storeOfAcme() {
  const store = createMemoryStore();
  await store.commit(documentPaths.map((path) => createDocument(path, rawDocumentType, DOCUMENT)));
  return { store, acme: tenantStore(store, 'acme'), other: tenantStore(store, 'other') };
}
type Seen = Awaited<ReturnType<typeof storeOfAcme>>['store'] | ReturnType<typeof tenantStore>;

/** What each reading verb finds at a path: paths alone. */
async function found(store: Seen, path: string) {
  const collection = collectionOf(path);
  const watched: string[] = [];
  const errors: unknown[] = [];
  const stop = store.watch(
    { collection },
    rawDocumentType,
    (documents) => void watched.push(...documents.map((document) => document.path)),
    (error) => void errors.push(error),
  );
  const late: string[] = [];
  const query = { collectionId: collectionIdOf(path), field: 'at', from: AT, limit: 1 };
  for await (const page of store.findByTime(query)) late.push(...page);
  // In memory a watch is a matter of turns, not of time.
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  stop();
  expect(errors).toEqual([]);
  return {
    get: [(await store.get(path, rawDocumentType))?.path].filter((one) => one !== undefined),
    list: (await store.list({ collection }, rawDocumentType)).map((stored) => stored.path),
    listIds: (await store.listIds({ collection, field: 'text', oneOf: ['of acme'], limit: 10 })).map(
      (id) => `${collection}/${id}`,
    ),
    find: (await store.find({ collection, equal: { text: 'of acme' }, limit: 10 }, rawDocumentType)).map(
      (stored) => stored.path,
    ),
    findNearest: (
      await store.findNearest(
        { collection, equal: {}, field: 'direction', vector: [1, 0], maxDistance: 2, limit: 10 },
        rawDocumentType,
      )
    ).map(({ document }) => document.path),
    findByTime: late.filter((one) => one === path),
    watch: watched,
  };
}

/** The result of each writing verb. */
async function written(store: Seen, from: Seen, path: string) {
  const stored = await from.get(path, rawDocumentType);
  if (stored === undefined) throw new Error(`${path} is not stored`);
  const outcome = (work: Promise<unknown>) =>
    work.then(
      (result) => result,
      (error: unknown) => (error instanceof RangeError ? 'refused' : error),
    );
  const value = { ...DOCUMENT, text: 'changed' };
  // In the name of the tenant that asks, as far as the document can say so.
  const own = { ...value, tenantId: 'other' };
  return {
    replace: await outcome(store.commit([replaceDocument(path, rawDocumentType, value, stored.version)])),
    takeOver: await outcome(store.commit([replaceDocument(path, rawDocumentType, own, stored.version)])),
    put: await outcome(store.commit([putDocument(path, rawDocumentType, value)])),
    putOwn: await outcome(store.commit([putDocument(path, rawDocumentType, own)])),
    delete: await outcome(store.commit([deleteDocument(path, rawDocumentType)])),
    createBeside: await outcome(store.commit([createDocument(`${path}-2`, rawDocumentType, value)])),
    increment: await outcome(store.increment(path, rawDocumentType, DOCUMENT, 'count')),
    incrementAll: await outcome(store.incrementAll(path, rawDocumentType, DOCUMENT, ['count'])),
    incrementOwn: await outcome(store.increment(path, rawDocumentType, own, 'count')),
  };
}

const NOTHING = { get: [], list: [], listIds: [], find: [], findNearest: [], findByTime: [], watch: [] };
const isRefused = (outcome: unknown) =>
  outcome === 'refused' || JSON.stringify(outcome) === JSON.stringify({ ok: false, reason: 'missing' });

it('tenants read these collections of the installation, and none with secrets or data of several tenants', () => {
  expect(SHARED).toEqual(['agents', 'enrichments', 'runbooks', 'system']);
  expect(OPERATORS).toEqual(expect.arrayContaining(['apiKeys', 'inbox', 'rejectedMessages', 'tokenLeases']));
});

describe.each(Object.keys(COLLECTIONS))('documents of %s', (collection) => {
  const own = documentPaths.filter((path) => collectionIdOf(path) === collection);

  it('have a path that this test knows', () => {
    expect(own).not.toEqual([]);
  });

  it.each(own)(
    '%s: another tenant finds nothing of it with any verb, and its own tenant all',
    async (path) => {
      const { store, acme, other } = await storeOfAcme();
      const all = await found(store, path);
      expect(all.get).toEqual([path]);
      const isBelow = path.startsWith(`${paths.sessions}/${SESSION}/`);
      const forAcme = OPERATORS.includes(collection) && !isBelow ? NOTHING : all;
      expect(await found(acme, path)).toEqual(forAcme);
      expect(await found(other, path)).toEqual(SHARED.includes(collection) ? all : NOTHING);
    },
  );

  it.each(own)('%s: another tenant changes nothing of it with any verb', async (path) => {
    const { store, other } = await storeOfAcme();
    const before = structuredClone(store.documents());
    const { increment, incrementAll, incrementOwn, ...outcomes } = await written(other, store, path);
    expect(Object.entries(outcomes).filter(([, outcome]) => !isRefused(outcome))).toEqual([]);
    if (path.startsWith('usage/')) {
      expect([increment, incrementAll, incrementOwn]).toEqual([2, [3], 4]);
      return;
    }
    expect([increment, incrementAll, incrementOwn]).toEqual(['refused', 'refused', 'refused']);
    expect(store.documents()).toEqual(before);
  });
});

describe('the store of a tenant', () => {
  const session = (tenantId: string, sessionId = SESSION) => ({ ...DOCUMENT, tenantId, sessionId });

  it('opens sessions of its tenant with the documents below them, in one batch, and of no other', async () => {
    const store = createMemoryStore();
    const acme = tenantStore(store, 'acme');
    const writes = (tenantId: string) => [
      createDocument(paths.session('new'), rawDocumentType, session(tenantId, 'new')),
      createDocument(paths.execution('new', '01-a'), rawDocumentType, session(tenantId, 'new')),
      createDocument(paths.alertKey('key'), rawDocumentType, session(tenantId, 'new')),
    ];
    const executions = () => acme.list({ collection: paths.executions('new') }, rawDocumentType);
    expect(await executions()).toEqual([]);
    await expect(acme.commit(writes('other'))).rejects.toThrow('another tenant');
    expect(await acme.commit(writes('acme'))).toMatchObject({ ok: true });
    expect(await executions()).toHaveLength(1);
  });

  it('counts in documents of its tenant, and creates them', async () => {
    const { acme } = await storeOfAcme();
    const path = paths.correlation('new');
    expect(await acme.increment(path, rawDocumentType, DOCUMENT, 'count')).toBe(1);
    expect(await acme.increment(path, rawDocumentType, DOCUMENT, 'count')).toBe(2);
  });

  it('has sessions of code that knew no tenants in the default one', async () => {
    const { store } = await storeOfAcme();
    const { tenantId: _, ...untold } = DOCUMENT;
    await store.commit([
      createDocument(paths.session('old'), rawDocumentType, { ...untold, sessionId: 'old' }),
    ]);
    const read = (tenant: string) => tenantStore(store, tenant).get(paths.session('old'), rawDocumentType);
    expect((await read('default'))?.id).toBe('old');
    expect(await read('acme')).toBeUndefined();
  });

  it('reveals nothing of a broken session of another tenant, not even that it is broken', async () => {
    const { store, acme, other } = await storeOfAcme();
    await store.commit([
      createDocument(paths.session('broken'), rawDocumentType, { tenantId: 'acme', schemaVersion: 99 }),
    ]);
    expect(await other.get(paths.session('broken'), COLLECTIONS.sessions)).toBeUndefined();
    await expect(acme.get(paths.session('broken'), COLLECTIONS.sessions)).rejects.toThrow(
      'newer than this code',
    );
  });

  it('puts a document of its own, whether there is one or not, and searches no other tenant’s', async () => {
    const store = createMemoryStore();
    const acme = tenantStore(store, 'acme');
    const path = paths.knowledgeEntry('acme', 'a');
    const writing = () => acme.commit([putDocument(path, rawDocumentType, session('acme'))]);
    expect(await writing()).toMatchObject({ ok: true });
    expect(await writing()).toMatchObject({ ok: true });
    await store.commit([
      putDocument(paths.knowledgeEntry('a-other', 'a'), rawDocumentType, session('other')),
    ]);
    const query = { collection: paths.knowledge, equal: {}, limit: 1 };
    expect((await acme.find(query, rawDocumentType)).map((found) => found.path)).toEqual([path]);
  });

  it('fills its pages with its own documents', async () => {
    const store = createMemoryStore();
    const writes = Array.from({ length: 9 }, (_, index) => {
      const value = session(index % 3 === 0 ? 'acme' : 'other', `s${index}`);
      return createDocument(paths.session(`s${index}`), rawDocumentType, value);
    });
    await store.commit(writes);
    const acme = tenantStore(store, 'acme');
    const page = (limit: number, afterId?: string) =>
      acme.listIds({
        collection: paths.sessions,
        field: 'text',
        oneOf: ['of acme'],
        limit,
        ...(afterId !== undefined && { afterId }),
      });
    expect(await page(2)).toEqual(['s0', 's3']);
    expect(await page(2, 's3')).toEqual(['s6']);
  });
});
