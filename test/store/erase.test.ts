// `erase` deletes a session or tenant whole, and nothing else: a document in every collection.

import { describe, expect, it, onTestFinished } from 'vitest';
import { eraseSession, eraseTenant, PARENTS } from '../../cli/erase/erase.ts';
import type { EraseDeps } from '../../cli/erase/eraseDeps.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { putDocument } from '../../shared/core/contract/store.ts';
import type { InquestError } from '../../shared/core/errors.ts';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { askQuestion } from '../../shared/kits/questions/askQuestion.ts';
import { COLLECTIONS, paths } from '../../shared/lists/documents.ts';
import { sessionEntryKey } from '../../shared/search/sessionEntry.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createRawDocuments } from '../../shared/store/firestore/rawDocuments.ts';
import { callCommand } from '../support/callCommand.ts';
import { type BenchOptions, startBench } from '../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** The documents of a session in every collection, and their fields besides `schemaVersion`. */
function documentsOf(
  sessionId: string,
  tenantId: string,
  events: number,
): Record<string, [string, object][]> {
  const at = (path: string, fields: object = {}): [string, object][] => [[path, fields]];
  const listed = { sessionId, title: `alert of ${sessionId}` };
  const special = {
    sessions: at(paths.session(sessionId), { tenantId, status: 'completed', openStage: null }),
    timeline: Array.from({ length: events }, (_, n) => [paths.event(sessionId, '01-a', n + 1), {}]),
    messages: at(paths.message(sessionId, '01-a', 1)),
    parts: at(paths.messagePart(sessionId, '01-a', 1, 1)),
    knowledge: at(paths.knowledgeEntry(tenantId, sessionEntryKey(sessionId)), { tenantId }),
    requests: at(`requests/${tenantId}.${sessionId}`, {
      tenantId,
      answer: { status: 200, body: JSON.stringify({ sessionId }) },
    }),
    alertFates: at(`alertFates/${tenantId}.of-${sessionId}`, { sessionId, tenantId }),
    chatKeys: at(`chatKeys/${tenantId}.of-${sessionId}`, { sessionId, tenantId }),
    dayCounts: at(`dayCounts/${tenantId}.day.of-${tenantId}`, { tenantId }),
    correlations: at(`correlations/only-${sessionId}`, { tenantId, title: 'x', alerts: [listed] }),
    usage: [
      [`sessions/${sessionId}/usage/a`, {}],
      ['usage/tokens.2026-01-01', {}],
    ],
    rejectedMessages: [],
    // Their tenant stays unnamed, so that they are left.
    changes: at('changes/a'),
    changeCounts: at('changeCounts/a'),
    deliveryGroups: at('deliveryGroups/a'),
  } satisfies Partial<Record<keyof typeof COLLECTIONS, [string, object][]>>;
  const usual = ({ collection, erase, schema }: Collection): [string, object][] => {
    const { shape = {} } = schema as { shape?: object };
    const tenant = 'tenantId' in shape ? { tenantId } : {};
    if (erase === 'below') return at(`sessions/${sessionId}/${collection}/a`);
    if (erase === 'field') return at(`${collection}/of-${sessionId}`, { sessionId, ...tenant });
    return at(erase === 'tenant' ? `${collection}/of-${tenantId}` : `${collection}/a`, tenant);
  };
  const all = Object.values<Collection>(COLLECTIONS).map((one) => [one.collection, usual(one)]);
  return { ...Object.fromEntries(all), ...special };
}

async function database(more: Partial<BenchOptions> = {}) {
  const bench = await startBench({ script, inMemory: false, ...more });
  const { projectId } = bench;
  const store = createFirestoreStore({ projectId, timeoutMs: 60_000 });
  const raw = createRawDocuments({ projectId, timeoutMs: 60_000 });
  onTestFinished(async () => {
    await Promise.all([store.close(), raw.close()]);
  });
  const write = async (documents: Iterable<[string, object]>) => {
    const all = [...documents].map(([path, fields]) =>
      putDocument(path, rawDocumentType, { schemaVersion: 1, ...fields }),
    );
    for (let from = 0; from < all.length; from += 200) await store.commit(all.slice(from, from + 200));
  };
  const walk = async (parent?: string): Promise<string[]> => {
    const found: string[] = [];
    for (const id of await raw.collectionIds(parent)) {
      const collection = parent === undefined ? id : `${parent}/${id}`;
      const listed = await raw.list({ collection, limit: 1_000, fields: ['schemaVersion'] });
      for (const { path } of listed)
        found.push(path, ...(path.split('/').length < 6 ? await walk(path) : []));
    }
    return found.sort();
  };
  const deleted: Record<string, number> = {};
  const deps: EraseDeps = {
    store,
    raw,
    dryRun: false,
    onErased: (collection, count) => {
      deleted[collection] = (deleted[collection] ?? 0) + count;
    },
  };
  return { bench, projectId, store, write, walk, deps, deleted };
}

const listAll = (sessionId: string, tenantId: string, events = 3) =>
  Object.values(documentsOf(sessionId, tenantId, events)).flat();
/** More events than one commit deletes. */
const MANY = 250;

describe('erase', () => {
  it('has a rule for each field that names a session', () => {
    const fieldsOf = (name: string) =>
      Object.keys((COLLECTIONS[name as keyof typeof COLLECTIONS].schema as { shape?: object }).shape ?? {});
    const roots = Object.values(paths).flatMap((path) =>
      typeof path === 'string' ? [path.split('/')[0]] : [],
    );
    const topLevel = Object.entries<Collection>(COLLECTIONS).filter(([, { erase }]) => erase !== 'below');
    expect(roots.length).toBeGreaterThan(5);
    for (const [name, { erase }] of topLevel)
      if (fieldsOf(name).includes('sessionId') && name !== 'usage')
        expect([name, erase]).toEqual([name, 'field']);
    expect([...PARENTS]).toEqual(['messages']);
  });

  it('deletes everything of a session, in every collection, and nothing of others', async () => {
    const { write, walk, deps, deleted, store } = await database();
    await write([...listAll('s-1', 'acme', MANY), ...listAll('s-2', 'acme'), ...listAll('s-3', 'other')]);
    const sent = (key: string) => ({
      tenantId: 'acme',
      answer: { status: 202, body: JSON.stringify({ messageId: '1', alertKey: key, alert: { title: 'x' } }) },
    });
    await write([
      ['requests/acme.sent-s-1', sent('of-s-1')],
      ['requests/acme.sent-s-2', sent('of-s-2')],
    ]);
    const both = ['s-1', 's-2'].map((sessionId) => ({ sessionId, title: sessionId }));
    await write([['correlations/both', { tenantId: 'acme', title: 'x', alerts: both.toReversed() }]]);
    const samples = ['s-1', 's-2'].map((sessionId) => ({ attributes: { sessionId } }));
    await write([['rejectedMessages/both', { function: 'runIteration', samples }]]);
    const before = await walk();
    await eraseSession('s-1', { ...deps, dryRun: true });
    expect(await walk()).toEqual(before);
    const counted = { ...deleted };
    for (const name of Object.keys(deleted)) delete deleted[name];
    await eraseSession('s-1', deps);
    expect(deleted).toEqual(counted);
    const left = await walk();
    expect(left.filter((path) => path.includes('s-1'))).toEqual([]);
    expect(before.filter((path) => !path.includes('s-1'))).toEqual(left);
    expect((await store.get('correlations/both', rawDocumentType))?.value).toMatchObject({
      alerts: [{ sessionId: 's-2' }],
      title: expect.stringContaining('s-2'),
    });
    const rejected = (await store.get('rejectedMessages/both', rawDocumentType))?.value;
    expect(rejected?.samples).toEqual([samples[1]]);
    const erased = Object.entries<Collection>(COLLECTIONS).filter(
      ([, { erase }]) => typeof erase === 'string' && erase !== 'tenant',
    );
    expect(Object.keys(deleted).sort()).toEqual([...erased.map(([name]) => name), 'usage'].sort());
    expect(deleted).toMatchObject({ timeline: MANY, parts: 1, correlations: 2, sessions: 1 });
    await expect(eraseSession('s-1', deps)).rejects.toThrow('there is no session s-1');
  });

  it('continues after an interruption, and refuses running sessions before it deletes anything', async () => {
    const { write, walk, deps, store } = await database();
    await write([...listAll('s-1', 'acme'), ...listAll('s-2', 'acme')]);
    let commits = 0;
    const dying = {
      ...store,
      commit: (writes: Parameters<typeof store.commit>[0]) =>
        ++commits > 12 ? Promise.reject(new Error('died')) : store.commit(writes),
    };
    await expect(eraseSession('s-1', { ...deps, store: dying })).rejects.toThrow('died');
    expect(await walk()).toContain('sessions/s-1');
    await eraseSession('s-1', deps);
    expect((await walk()).filter((path) => path.includes('s-1'))).toEqual([]);
    await write([['sessions/s-3', { tenantId: 'acme', status: 'in_progress', openStage: null }]]);
    const before = await walk();
    await expect(eraseSession('s-3', deps)).rejects.toThrow('inquest cancel s-3');
    await expect(eraseTenant('acme', deps)).rejects.toThrow('cancel it first');
    expect(await walk()).toEqual(before);
  });

  it('keeps people from continuing the session meanwhile', async () => {
    const { bench, walk, deps, store } = await database();
    const sessionId = await bench.publishAlert({ title: 'Disk full' });
    await bench.drain();
    const ask = () => askQuestion(sessionId, { text: 'Since when?', by: 'ada' }, bench.deps);
    let asked: Promise<unknown> | undefined;
    const meanwhile = {
      ...store,
      commit: async (writes: Parameters<typeof store.commit>[0]) => {
        if (writes[0]?.op === 'delete') asked ??= ask().catch((error: InquestError) => error.code);
        await asked;
        return store.commit(writes);
      },
    };
    await eraseSession(sessionId, { ...deps, store: meanwhile });
    expect(await asked).toBe('SCHEMA_UNSUPPORTED');
    expect((await walk()).filter((path) => path.includes(sessionId))).toEqual([]);
  });

  it('deletes sessions of a tenant that alerts open meanwhile', async () => {
    const { write, walk, deps, store } = await database();
    await write(listAll('s-1', 'acme'));
    let isOpened = false;
    const meanwhile = {
      ...store,
      commit: async (writes: Parameters<typeof store.commit>[0]) => {
        if (writes[0]?.op === 'delete' && !isOpened) {
          isOpened = true;
          await write(listAll('s-2', 'acme'));
        }
        return store.commit(writes);
      },
    };
    await eraseTenant('acme', { ...deps, store: meanwhile });
    expect((await walk()).filter((path) => path.startsWith('sessions/'))).toEqual([]);
  });

  it('removes dropped and rejected alerts of a tenant, and samples that name its sessions', async () => {
    const triage = { timezone: 'UTC', rules: [{ name: 'noise', text: 'Noise', action: 'drop' }] };
    const { bench, deps, deleted, store } = await database({ triage });
    for (const tenant of ['acme', 'other', '']) {
      await bench.publishAlert({ title: `Noise of <${tenant}>` }, { tenant });
      await bench.publishAlert(`["Broken of <${tenant}>"`, { tenant });
    }
    const sessionId = await bench.publishAlert({ title: 'Disk full' }, { tenant: 'acme' });
    await bench.drain();
    await bench.deps.publisher.publish(TOPICS.iterations, Buffer.from('{}'), { sessionId });
    await bench.drain();
    const stored = async () => {
      const found = [];
      for (const collection of ['droppedAlerts', 'rejectedMessages'])
        found.push(...(await store.list({ collection }, rawDocumentType)));
      return JSON.stringify(found);
    };
    const before = await stored();
    for (const text of ['Noise of <acme>', 'Broken of <acme>', 'Broken of <other>', sessionId])
      expect(before).toContain(text);
    await eraseTenant('acme', deps);
    expect(deleted).toMatchObject({ droppedAlerts: 1, rejectedMessages: 2 });
    const after = await stored();
    for (const text of ['acme', sessionId]) expect(after).not.toContain(text);
    for (const text of ['Noise of <other>', 'Broken of <other>', 'Noise of <>', 'Broken of <>'])
      expect(after).toContain(text);
    await eraseTenant('default', deps);
    expect(await stored()).not.toContain('of <>');
    expect(await stored()).toContain('Broken of <other>');
  });

  it('deletes everything of a tenant by command, with its keys, and names the remaining documents', async () => {
    const { write, walk, projectId } = await database();
    await write([...listAll('s-1', 'acme'), ...listAll('s-2', 'other')]);
    await write([['knowledge/acme.wiki', { tenantId: 'acme' }]]);
    const others = (await walk()).filter((path) => path.includes('s-2'));
    const call = (...args: string[]) => callCommand(['erase', ...args], { GOOGLE_CLOUD_PROJECT: projectId });
    expect((await call('--tenant', 'acme', 's-1', '--yes')).stderr.join()).toContain('give either');
    expect(await call('--tenant', 'acme')).toMatchObject({ code: 2 });
    expect((await call('last', '--dry-run')).stderr.join()).toContain('there is no session in');
    expect((await call('last', '--url', 'http://127.0.0.1:1')).stderr.join()).toContain(
      'The API erases nothing, so that a stolen key cannot',
    );
    const { code, stdout, stderr } = await call('--tenant', 'acme', '--yes');
    expect(code).toBe(0);
    expect(stdout).toEqual(
      expect.arrayContaining(['deleted tenant acme:', '  apiKeys 1', '  knowledge 2', '  sessions 1']),
    );
    expect(stderr.join('\n')).toMatch(
      /^deleting everything of tenant acme in .*: 1 sessions with some 140 documents \(140 reads and 140 deletes of Firestore, below \$0\.01\)\n1 of 1 sessions$/,
    );
    expect(stdout.join('\n')).toMatch(/\d{4}-\d\d-\d\d {2}daily backups of the database \(14 days\)/);
    expect((await walk()).filter((path) => /acme|s-1/.test(path))).toEqual([]);
    expect((await walk()).filter((path) => path.includes('s-2'))).toEqual(others);
  });
});
