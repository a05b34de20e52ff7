import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDocument, deleteDocument, putDocument, replaceDocument } from '../../core/contract/store.ts';
import type { Collection } from '../../core/schema/defineCollection.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { COLLECTIONS, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { findPathOwner, tenantIn } from './ownership.ts';
import { createTenantGuard } from './tenantGuard.ts';
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
const OF_OTHER = { ...DOCUMENT, tenantId: 'other', sessionId: 'of-other', text: 'of other' };

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
const openOther = (store: Seen) =>
  store.commit([createDocument(paths.session('of-other'), rawDocumentType, OF_OTHER)]);
type Seen = Awaited<ReturnType<typeof storeOfAcme>>['store'] | ReturnType<typeof tenantStore>;

/** In memory a watch is a matter of turns, not of time. */
async function settleWatches() {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

/** What each reading verb finds at a path: paths alone. */
async function found(store: Seen, path: string) {
  const collection = collectionOf(path);
  const watched: string[] = [];
  const errors: unknown[] = [];
  const stop = store.watch(
    { collection },
    rawDocumentType,
    (documents) => {
      expect(documents).not.toEqual([]);
      watched.push(...documents.map((document) => document.path));
    },
    (error) => void errors.push(error),
  );
  const late: string[] = [];
  const query = { collectionId: collectionIdOf(path), field: 'at', from: AT, limit: 1 };
  for await (const page of store.findByTime(query)) {
    expect(page).not.toEqual([]);
    late.push(...page);
  }
  await settleWatches();
  stop();
  expect(errors).toEqual([]);
  return {
    get: [(await store.get(path, rawDocumentType))?.path].filter((one) => one !== undefined),
    list: (await store.list({ collection }, rawDocumentType)).map((stored) => stored.path),
    listIds: (await store.listIds({ collection, field: 'text', oneOf: ['of acme'], limit: 10 })).map(
      (id) => `${collection}/${id}`,
    ),
    count: await store.count({ collection, equal: { text: 'of acme', sessionId: SESSION } }),
    find: (await store.find({ collection, equal: { text: 'of acme' }, limit: 10 }, rawDocumentType)).map(
      (stored) => stored.path,
    ),
    findNearest: (
      await store.findNearest(
        { collection, equal: {}, field: 'direction', vector: [0, 1], maxDistance: 2, limit: 10 },
        rawDocumentType,
      )
    ).map(({ document, distance }) => [document.path, distance]),
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
  // In the name of the tenant that asks, and for a session of its own.
  const own = { ...value, tenantId: 'other', sessionId: 'of-other' };
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

const NOTHING = {
  get: [],
  list: [],
  count: 0,
  listIds: [],
  find: [],
  findNearest: [],
  findByTime: [],
  watch: [],
};
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
    await openOther(store);
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
      createDocument(paths.execution('new', '01-a'), rawDocumentType, { schemaVersion: 1, text: 'below' }),
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
    expect(await page(3)).toEqual(['s0', 's3', 's6']);
    expect(await page(1, 's2')).toEqual(['s3']);
  });

  it('reads no page behind a full one, and keeps the limit where the last page has too many', async () => {
    const store = createMemoryStore();
    const tenants = ['acme', 'other', 'acme', 'acme', 'acme'];
    await store.commit(
      tenants.map((tenantId, index) => {
        return createDocument(paths.session(`s${index}`), rawDocumentType, session(tenantId, `s${index}`));
      }),
    );
    const { listIds } = store;
    let pages = 0;
    store.listIds = (query) => {
      pages++;
      return listIds(query);
    };
    const query = { collection: paths.sessions, field: 'text', oneOf: ['of acme'], limit: 2 };
    expect(await tenantStore(store, 'acme').listIds(query)).toEqual(['s0', 's2']);
    expect(pages).toBe(2);
    expect(await tenantStore(store, 'acme').listIds({ ...query, limit: 3 })).toEqual(['s0', 's2', 's3']);
    expect(pages).toBe(4);
    expect(await tenantStore(store, 'acme').listIds({ ...query, limit: 1 })).toEqual(['s0']);
    expect(pages).toBe(5);
  });

  it('does not even query what another tenant has below its session', async () => {
    const { store, other } = await storeOfAcme();
    const refuse = () => {
      throw new Error('queried');
    };
    Object.assign(store, { list: refuse, listIds: refuse, find: refuse, watch: refuse });
    const collection = paths.timeline(SESSION);
    expect(await other.list({ collection }, rawDocumentType)).toEqual([]);
    expect(await other.find({ collection, equal: {}, limit: 1 }, rawDocumentType)).toEqual([]);
    expect(await other.listIds({ collection, field: 'text', oneOf: ['of acme'], limit: 1 })).toEqual([]);
    const errors: unknown[] = [];
    other.watch({ collection }, rawDocumentType, refuse, (error) => void errors.push(error), refuse);
    await settleWatches();
    expect(errors).toEqual([]);
  });

  it('has no document where there is none', async () => {
    const { acme } = await storeOfAcme();
    expect(await acme.get(paths.session('missing'), rawDocumentType)).toBeUndefined();
  });

  it('closes the store below it', async () => {
    const { store, acme } = await storeOfAcme();
    let closed = 0;
    store.close = async () => void closed++;
    await acme.close();
    expect(closed).toBe(1);
  });
});

describe('the guard of a tenant', () => {
  const EVENT = paths.event(SESSION, 'b', 1);
  const KEY = paths.alertKey('key');

  async function guardOf(tenantId: string) {
    const { store } = await storeOfAcme();
    await openOther(store);
    const { get } = store;
    const reads: string[] = [];
    store.get = (path, type) => {
      reads.push(path);
      return get(path, type);
    };
    return { store, reads, guard: createTenantGuard(store, tenantId) };
  }

  it.each([
    ['tenant', true, true, false],
    ['session', true, true, false],
    ['shared', true, true, true],
    ['operators', false, false, false],
    ['counted', false, false, false],
  ] as const)('with a document of the kind %s', async (kind, canRead, ofAcme, ofOther) => {
    const { guard } = await guardOf('acme');
    expect(await guard.canRead({ kind })).toBe(canRead);
    expect(await guard.isOwnData({ kind }, DOCUMENT)).toBe(ofAcme);
    expect(await guard.isOwnData({ kind }, OF_OTHER)).toBe(ofOther);
    // Neither is a name.
    expect(await guard.isOwnData({ kind }, { tenantId: ['acme'], sessionId: [SESSION] })).toBe(ofOther);
  });

  it.each([
    ['acme', true],
    ['other', false],
  ])('gives documents below a session to its tenant alone (%s)', async (tenantId, isOwn) => {
    const { guard } = await guardOf(tenantId);
    const owner = { kind: 'below', sessionId: SESSION } as const;
    expect(await guard.canRead(owner)).toBe(isOwn);
    expect(await guard.isOwnData(owner, {})).toBe(isOwn);
  });

  it('reads a session once for all documents below it, and nothing where the path decides', async () => {
    const { guard, reads } = await guardOf('acme');
    const found = [EVENT, paths.event(SESSION, 'b', 2), paths.apiKey('a'), paths.usage('a', 'day', '1')];
    const isOwn: boolean[] = [];
    for (const path of found) isOwn.push(await guard.isOwnDocument(path));
    expect(isOwn).toEqual([true, true, false, false]);
    expect(await guard.canCommit([createDocument(paths.session('new'), rawDocumentType, DOCUMENT)])).toBe(
      true,
    );
    expect(reads).toEqual([paths.session(SESSION)]);
  });

  it('owns no document that does not exist', async () => {
    const { guard } = await guardOf('acme');
    expect(await guard.isOwnDocument(paths.session('missing'))).toBe(false);
  });

  it('reads a session again after a read that failed', async () => {
    const { store, guard } = await guardOf('acme');
    const { get } = store;
    store.get = () => Promise.reject(new Error('unavailable'));
    await expect(guard.isOwnDocument(EVENT)).rejects.toThrow('unavailable');
    store.get = get;
    expect(await guard.isOwnDocument(EVENT)).toBe(true);
  });

  it('refuses a batch for one document of another tenant', async () => {
    const { guard } = await guardOf('other');
    const own = createDocument(paths.alertKey('new'), rawDocumentType, OF_OTHER);
    expect(await guard.canCommit([own])).toBe(true);
    expect(await guard.canCommit([own, deleteDocument(KEY, rawDocumentType)])).toBe(false);
  });

  it.each([...SHARED, ...OPERATORS])(
    'refuses to write to %s as a fault of the caller',
    async (collection) => {
      const { guard } = await guardOf('other');
      const write = createDocument(`${collection}/new`, rawDocumentType, OF_OTHER);
      await expect(guard.canCommit([write])).rejects.toThrow('no tenant can write this document');
    },
  );

  it.each([
    ['in usage', paths.usage('new', 'day', '1'), OF_OTHER, true],
    ['in a new document of its own', paths.correlation('new'), OF_OTHER, true],
    ['in a new document for another tenant', paths.correlation('new'), DOCUMENT, false],
    ['in a new document without a tenant', paths.correlation('new'), { count: 1 }, false],
    ['below its session', paths.event('of-other', 'b', 1), OF_OTHER, true],
    ['below a session of another tenant', EVENT, OF_OTHER, false],
    ['in a new document of a session', paths.alertKey('new'), OF_OTHER, false],
    ['in a new document of the operators', paths.apiKey('new'), OF_OTHER, false],
  ])('counts %s (%s)', async (_, path, value, isCountable) => {
    const { guard } = await guardOf('other');
    const counting = guard.requireCountable(path, value);
    if (isCountable) await counting;
    else await expect(counting).rejects.toThrow(`${path}: the tenant cannot count in this document`);
  });
});

it.each([
  ['sessions/a', { kind: 'tenant' }],
  ['sessions/a/timeline/b', { kind: 'below', sessionId: 'a' }],
  ['sessions/a/timeline', { kind: 'below', sessionId: 'a' }],
  ['knowledge/a/timeline/b', { kind: 'operators' }],
  ['timeline/b', { kind: 'operators' }],
  ['unknown/b', { kind: 'operators' }],
  ['', { kind: 'operators' }],
])('the owner of %j is %j', (path, owner) => {
  expect(findPathOwner(path)).toEqual(owner);
});

it.each([
  [{}, 'default'],
  [{ tenantId: 'acme' }, 'acme'],
  [{ tenantId: ['acme'] }, undefined],
  [{ tenantId: null }, undefined],
])('the tenant in %j is %s', (data, tenant) => {
  expect(tenantIn(data)).toBe(tenant);
});

describe('a watch of a tenant', () => {
  type Watch = ReturnType<typeof createMemoryStore>['watch'];

  /** A watch of `acme`, whose store below is driven by hand. */
  async function watch(collection: string, hasDeletions = true) {
    const { store, acme } = await storeOfAcme();
    const below: { args?: Parameters<Watch>; ended: number } = { ended: 0 };
    store.watch = ((...args: Parameters<Watch>) => {
      below.args = args;
      return () => void below.ended++;
    }) as Watch;
    const seen: unknown[] = [];
    const stop = acme.watch(
      { collection },
      rawDocumentType,
      (documents) => void seen.push(documents.map(({ path }) => path)),
      (error) => void seen.push(error),
      hasDeletions ? (ids) => void seen.push({ deleted: ids }) : undefined,
    );
    const find = async (path: string) => {
      const [, type] = below.args ?? [];
      const stored = await store.get(path, type ?? rawDocumentType);
      return stored === undefined ? [] : [stored];
    };
    return { store, below, seen, stop, find };
  }
  const EVENT = paths.event(SESSION, 'b', 1);

  it('has the deletions below a session of its own, in order with the changes before them', async () => {
    const { below, seen, find } = await watch(paths.timeline(SESSION));
    await settleWatches();
    const [, , onDocuments, , onDeleted] = below.args ?? [];
    onDocuments?.(await find(EVENT));
    onDeleted?.(['a']);
    await settleWatches();
    expect(seen).toEqual([[EVENT], { deleted: ['a'] }]);
  });

  it('is not disturbed by deletions that its caller does not follow', async () => {
    const { below, seen } = await watch(paths.timeline(SESSION), false);
    await settleWatches();
    below.args?.[4]?.(['a']);
    await settleWatches();
    expect(seen).toEqual([]);
  });

  it('has no deletions of a collection in which others have documents', async () => {
    const { below } = await watch(paths.sessions);
    await settleWatches();
    expect(below.args).toHaveLength(5);
    expect(below.args?.[4]).toBeUndefined();
  });

  it('that has ended delivers nothing, also of what arrived before', async () => {
    const { below, seen, stop, find } = await watch(paths.timeline(SESSION));
    await settleWatches();
    const [, , onDocuments, onError, onDeleted] = below.args ?? [];
    const found = await find(EVENT);
    onDocuments?.(found);
    onDeleted?.(['a']);
    stop();
    onDocuments?.(found);
    onError?.(new Error('late'));
    await settleWatches();
    expect([seen, below.ended]).toEqual([[], 1]);
  });

  it('that ends before its owner is known does not start', async () => {
    const { below, stop } = await watch(paths.timeline(SESSION));
    stop();
    await settleWatches();
    expect(below.args).toBeUndefined();
  });

  it('ends with its first error, which it reports once', async () => {
    const { below, seen, find } = await watch(paths.timeline(SESSION));
    await settleWatches();
    const [, , onDocuments, onError] = below.args ?? [];
    const error = new Error('lost');
    onError?.(error);
    onError?.(new Error('again'));
    onDocuments?.(await find(EVENT));
    await settleWatches();
    expect([seen, below.ended]).toEqual([[error], 1]);
  });
});
