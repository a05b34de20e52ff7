import { beforeEach, describe, expect, it } from 'vitest';
import { sampleKnowledge } from '../../test/support/samples.ts';
import { EMBEDDING_DIMENSIONS } from '../contract/embedder.ts';
import { createDocument } from '../core/contract/store.ts';
import { RetryableError } from '../core/errors.ts';
import { knowledgeType, paths } from '../lists/documents.ts';
import { createMemoryStore } from '../store/memory/memoryStore.ts';
import { describeResult } from './describeResult.ts';
import { entryTrigrams } from './entryText.ts';
import { type Knowledge, UNREVIEWED } from './knowledge.ts';
import { parseQuery } from './parseQuery.ts';
import { runQuery, type SearchDeps } from './runQuery.ts';

const NOW = new Date('2026-11-05T12:00:00Z');
const scope = { tenantId: 'default', userId: null as string | null };
let store = createMemoryStore();

/** A vector in the direction of one of the axes, leaning towards another. */
const vector = (axis: number, lean = 0) =>
  Array.from({ length: EMBEDDING_DIMENSIONS }, (_, index) => (index === axis ? 1 : index === 0 ? lean : 0));

async function add(key: string, overrides: Partial<Knowledge> = {}): Promise<void> {
  const entry = sampleKnowledge({ key, title: key, text: '', labels: {}, links: [], ...overrides });
  const full = { ...entry, trigrams: entryTrigrams(entry) };
  await store.commit([createDocument(paths.knowledgeEntry(full.tenantId, key), knowledgeType, full)]);
}

async function ask(text: string, deps: Partial<SearchDeps> = {}, user: string | null = null) {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return runQuery(parsed.query, { ...scope, userId: user }, { store, now: NOW, ...deps });
}

/** The keys of the hits, or of what was reached. */
async function keys(text: string, deps: Partial<SearchDeps> = {}, user: string | null = null) {
  const result = await ask(text, deps, user);
  if (result.verb === 'lookup') return result.found.map(({ key }) => key);
  if (result.verb === 'traverse') return result.reached.map(({ entry }) => entry.key);
  return result.hits.map(({ entry }) => entry.key);
}

beforeEach(() => {
  store = createMemoryStore();
});

it('finds the entry of a session by the reference that prompts contain, only with all its digits and its day', async () => {
  const session = { sessionId: 's1', identity: null, ...UNREVIEWED, shown: [] };
  await add('session-2026-11-22-delete-all-pods-3f2a1c', { kind: 'session', session });
  await add('session-2026-11-22-other-3f2a1d', { kind: 'session', session });
  const found = 'session-2026-11-22-delete-all-pods-3f2a1c';
  expect(await keys('LOOKUP session-2026-11-22-3f2a1c')).toEqual([found]);
  expect(await keys('TRAVERSE session-2026-11-22-3f2a1c')).toEqual([found]);
  expect(await keys('LOOKUP session-2026-11-23-3f2a1c')).toEqual([]);
  expect(await keys('LOOKUP session-2026-11-22-3f2a1')).toEqual([]);
  expect(describeResult(await ask('LOOKUP session-2026-11-22-3f2a1c'))).not.toContain('delete');
});

describe('whose entries are found', () => {
  beforeEach(async () => {
    await add('shared');
    await add('own', { userId: 'anna' });
    await add('other', { userId: 'bert' });
    await add('gone', { expireAt: NOW });
    await add('kept', { expireAt: new Date(NOW.getTime() + 1) });
    await add('foreign', { tenantId: 'acme' });
  });
  const all = 'LOOKUP shared, own, other, gone, kept, foreign';

  it('are those that all share, and the user’s own, only of the tenant', async () => {
    expect(await keys(all)).toEqual(['shared', 'kept']);
    expect(await keys(all, {}, 'anna')).toEqual(['shared', 'own', 'kept']);
    expect(await keys('FUZZY own THRESHOLD 1')).toEqual([]);
    expect(await keys('FUZZY own THRESHOLD 1', {}, 'anna')).toEqual(['own']);
    expect(await keys('FUZZY gone THRESHOLD 1')).toEqual([]);
    expect(await keys('FUZZY foreign THRESHOLD 1')).toEqual([]);
    expect(await keys('TRAVERSE other', {}, 'anna')).toEqual([]);
  });
});

describe('LOOKUP', () => {
  it('shows entries whole, and names the missing ones', async () => {
    await add('ledger', {
      text: 'A database.',
      labels: { team: 'core' },
      links: [{ key: 'vault', type: 'in' }],
    });
    const text = describeResult(await ask('LOOKUP Ledger, nothing'));
    expect(text).toBe(
      'ledger (resource): ledger\nlabels: team=core\nlinks: vault (in)\n\nA database.\n\nNot found: nothing.',
    );
  });

  it('of nothing that exists lists the queries', async () => {
    const text = describeResult(await ask('LOOKUP nothing'));
    expect(text).toContain('Not found: nothing. FUZZY finds entries by similar words. Queries: LOOKUP key');
  });
});

describe('FUZZY', () => {
  it('finds by title, label and line of the text, the most alike first, above the threshold', async () => {
    await add('oom', { title: 'Out of memory' });
    await add('memory-leak', { title: 'Leaks', text: 'x\nOut of memory errors\ny' });
    await add('disk', { title: 'Disk', labels: { symptom: 'out of memory' } });
    await add('network');
    expect(await keys('FUZZY out of memory')).toEqual(['oom', 'memory-leak', 'disk']);
    expect(await keys('FUZZY out of memory THRESHOLD 0.9')).toEqual(['oom']);
    expect(await keys('FUZZY out of memory LIMIT 1')).toEqual(['oom']);
    expect(await keys('FUZZY memory lake THRESHOLD 0.45')).toEqual(['memory-leak']);
    expect(await keys('FUZZY --')).toEqual([]);
  });

  it('shows the found entries with their distance, and without any lists the queries', async () => {
    await add('oom', { title: 'Out of memory', text: `a\n${'b'.repeat(400)}` });
    const text = describeResult(await ask('FUZZY out of memory'));
    expect(text).toContain('1 entry, the nearest first');
    expect(text).toContain(`- oom (resource): Out of memory, 1.00\n  a ${'b'.repeat(298)}…`);
    expect(describeResult(await ask('FUZZY zebra'))).toContain('Nothing was found. Queries: LOOKUP');
  });
});

describe('SEARCH', () => {
  beforeEach(async () => {
    await add('near', { embedding: vector(1) });
    await add('nearer', { embedding: vector(1, 0.1), userId: 'anna' });
    await add('far', { embedding: vector(2) });
    await add('runbook', { kind: 'runbook', embedding: vector(1) });
    await add('slow-checkout');
  });
  const model = 'gemini-embedding-001';
  const embed = async () => ({ model, vector: vector(1, 0.1) });

  it('compares entries that another model has embedded by spelling only', async () => {
    const other = async () => ({ model: 'gemini-embedding-2', vector: vector(1, 0.1) });
    expect(await keys('SEARCH zebra', { embed: other }, 'anna')).toEqual([]);
    expect(await keys('SEARCH slow checkout', { embed: other })).toEqual(['slow-checkout']);
  });

  it('finds by meaning within a table, and by spelling where a text has no vector', async () => {
    expect(await keys('SEARCH slow checkout', { embed })).toEqual(['slow-checkout', 'near']);
    expect(await keys('SEARCH zebra', { embed }, 'anna')).toEqual(['nearer', 'near']);
    expect(await keys('SEARCH zebra IN runbooks', { embed })).toEqual(['runbook']);
    expect(await keys('SEARCH zebra MIN_SIMILARITY 0.999', { embed })).toEqual([]);
    expect(await keys('SEARCH zebra LIMIT 1', { embed }, 'anna')).toEqual(['nearer']);
  });

  it.each([
    ['there is no model', undefined, 'no model for embeddings'],
    [
      'the model does not answer',
      () => Promise.reject(new RetryableError('MODEL_QUOTA', 'none left')),
      'none left',
    ],
  ])('compares by spelling when %s, and reports that', async (_, embed, why) => {
    const result = await ask('SEARCH checkout is slow', { embed });
    expect(result).toMatchObject({ spelling: expect.stringContaining(why) });
    expect(describeResult(result)).toMatch(/^\(Compared by spelling: .*\)\n1 entry/);
  });
});

describe('TRAVERSE', () => {
  const to = (...found: string[]) => found.map((key) => ({ key, type: null }));
  beforeEach(async () => {
    await add('a', { links: [{ key: 'b', type: 'needs' }, { key: 'c', type: 'owns' }, ...to('a')] });
    await add('b', { links: [...to('c', 'd'), { key: 'a', type: 'needs' }] });
    await add('c', { links: to('b', 'missing') });
    await add('d', { links: to('e') });
    await add('e', { links: to('f') });
    await add('f', { links: to('g') });
    await add('g');
  });

  it.each([
    ['TRAVERSE a', ['a', 'b', 'c']],
    ['TRAVERSE a DEPTH 2', ['a', 'b', 'c', 'd']],
    ['TRAVERSE a DEPTH 4', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['TRAVERSE a DEPTH 4 TYPE needs', ['a', 'b']],
    ['TRAVERSE a DEPTH 0', ['a']],
    ['TRAVERSE nothing', []],
  ])('%s reaches each entry once', async (query, expected) => {
    expect(await keys(query)).toEqual(expected);
  });

  it('states which parts are missing or were not followed, and which a plan would have', async () => {
    const text = describeResult(await ask('TRAVERSE a DEPTH 2'));
    expect(text).toContain('From a, depth 2:\n- a (resource): a\n  - b (resource): b <- a (needs)');
    expect(text).toContain('Links that were not followed: d -> e.');
    expect(text).toContain('Named by links and not there: missing.');
    expect(describeResult(await ask('TRAVERSE a DEPTH 0'))).toContain(
      'Plan: DEPTH 1 would follow 2 links of a.',
    );
    expect(describeResult(await ask('TRAVERSE nothing'))).toContain('Not found: nothing.');
  });

  it('reads a hundred entries at most', async () => {
    await add('hub', { links: to(...Array.from({ length: 100 }, (_, index) => `n${index}`)) });
    for (let index = 0; index < 100; index++) await add(`n${index}`);
    const result = await ask('TRAVERSE hub');
    expect(result).toMatchObject({ isCut: true, reached: { length: 100 } });
  });
});
