import { expect, it } from 'vitest';
import { SAMPLE_TIME } from '../../../test/support/samples.ts';
import type { ReadChange } from '../../changes/readChange.ts';
import { resourceId } from '../../changes/scopes.ts';
import { createDocument } from '../../core/contract/store.ts';
import { changeCountsType, changeType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { noteSource, sourcePrefix, storeChange } from './storeChange.ts';

const RESOURCE = 'k8s:prod/shop/Deployment/checkout';
const PREFIX = resourceId('default', RESOURCE);
const DAY_MS = 24 * 3_600_000;
const later = (ms: number) => new Date(SAMPLE_TIME.getTime() + ms);

const read = (changes: Partial<ReadChange> = {}): ReadChange => ({
  title: 'checkout 2',
  key: 'k1',
  source: 'argocd',
  kind: 'deploy',
  status: 'done',
  resource: RESOURCE,
  actor: null,
  before: null,
  after: null,
  url: null,
  at: SAMPLE_TIME,
  scopes: ['*', RESOURCE],
  joins: null,
  ...changes,
});

function start() {
  let now = SAMPLE_TIME;
  const store = createMemoryStore(() => now);
  const clock = { now: () => now, every: () => () => {}, after: () => () => {} };
  const deps = { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) };
  const changes = async () =>
    (await store.list({ collection: 'changes' }, changeType)).map(({ value }) => value);
  const counts = async (id = PREFIX) => (await store.get(paths.changeCounts(id), changeCountsType))?.value;
  const put = (changes: Partial<ReadChange>, tenant = 'default') => storeChange(read(changes), tenant, deps);
  return { deps, store, changes, counts, put, setTime: (time: Date) => (now = time) };
}

it('a change is stored once, with its scopes by day, its rate and its counts', async () => {
  const { put, changes, counts, setTime } = start();
  expect((await put({})).outcome).toBe('stored');
  setTime(later(5_000));
  expect((await put({})).outcome).toBe('known');
  const { joins: _, ...fields } = read();
  const expireAt = later(30 * DAY_MS);
  expect(await changes()).toEqual([
    {
      ...fields,
      tenantId: 'default',
      receivedAt: SAMPLE_TIME,
      scopes: ['2026-11-05|*', `2026-11-05|${RESOURCE}`],
      rate: { count: 1, days: 14 },
      count: 1,
      expireAt,
    },
  ]);
  expect(await counts()).toEqual({
    title: RESOURCE,
    tenantId: 'default',
    counts: { d20261105: 1, h2026110510: 1 },
    lastAt: SAMPLE_TIME,
    expireAt,
  });
});

it('the rate counts the changes of 14 days, the change itself included', async () => {
  const { put } = start();
  for (const days of [15, 14, 13, 13, 0])
    await put({ key: `before ${days} ${Math.random()}`, at: later(-days * DAY_MS) });
  expect((await put({ key: 'new' })).change.rate).toEqual({ count: 4, days: 14 });
});

it('of an hour 20 changes of a resource are stored, and the others counted', async () => {
  const { put, changes } = start();
  const outcomes: string[] = [];
  for (let index = 1; index <= 23; index++)
    outcomes.push((await put({ key: `k${index}`, title: `checkout ${index}`, at: later(index) })).outcome);
  expect(outcomes).toEqual([
    ...Array.from({ length: 20 }, () => 'stored'),
    ...Array.from({ length: 3 }, () => 'counted'),
  ]);
  const stored = await changes();
  expect(stored).toHaveLength(21);
  expect(stored.find(({ count }) => count > 1)).toMatchObject({ count: 3 });
  // Another resource and the next hour are not full.
  expect((await put({ key: 'x', resource: `${RESOURCE}-2` })).outcome).toBe('stored');
  expect((await put({ key: 'y', at: later(3_600_000) })).outcome).toBe('stored');
});

it.each<[string, Partial<ReadChange>, Partial<ReadChange>, object]>([
  [
    'the end of an operation replaces its start, and keeps what only the start has',
    { status: 'running', actor: 'ada', before: '1' },
    { status: 'done', title: 'checkout 3', after: '2', at: later(9) },
    { status: 'done', title: 'checkout 3', actor: 'ada', before: '1', after: '2', at: later(9) },
  ],
  [
    'a start that comes late adds only what is missing',
    { status: 'done', at: later(9) },
    { status: 'running', title: 'late', url: 'https://a.example', at: later(10) },
    { status: 'done', title: 'checkout 2', url: 'https://a.example', at: later(9) },
  ],
  [
    'an earlier message adds only what is missing',
    { status: 'done', actor: 'ada', at: later(9) },
    { status: 'attempted', actor: 'bob', url: 'https://a.example' },
    { status: 'done', actor: 'ada', url: 'https://a.example', at: later(9) },
  ],
])('%s', async (_, first, second, expected) => {
  const { put, changes } = start();
  await put(first);
  expect((await put(second)).outcome).toBe('updated');
  expect(await changes()).toMatchObject([expected]);
});

it.each<[string, Partial<ReadChange>, string, number]>([
  ['two minutes later', { at: later(120_000) }, 'updated', 1],
  ['two minutes earlier', { at: later(-120_000) }, 'updated', 1],
  ['later than that', { at: later(120_001) }, 'stored', 2],
  ['of a source that it does not join', { joins: 'github' }, 'stored', 2],
  ['of another resource', { resource: `${RESOURCE}-2` }, 'stored', 2],
  ['that joins none', { joins: null }, 'stored', 2],
])('a message of another source %s', async (_, changes, outcome, count) => {
  const { put, changes: stored } = start();
  await put({});
  const joined = await put({
    key: 'k2',
    source: 'audit',
    joins: 'argocd',
    title: 'patch',
    kind: 'config',
    actor: 'ada',
    ...changes,
  });
  expect(joined.outcome).toBe(outcome);
  const all = await stored();
  expect(all).toHaveLength(count);
  // The first source keeps its words.
  if (count === 1) expect(all).toMatchObject([{ title: 'checkout 2', kind: 'deploy', actor: 'ada' }]);
});

it('a message joins the nearest change, and replaces the words of the asset feed', async () => {
  const { put, changes } = start();
  await put({ key: 'far', source: 'asset-feed', title: 'asset' });
  await put({ key: 'near', source: 'asset-feed', title: 'asset', at: later(60_000) });
  await put({ key: 'k2', source: 'audit', joins: 'asset-feed', title: 'patch', at: later(65_000) });
  expect((await changes()).map(({ key, title }) => [key, title])).toEqual([
    ['far', 'asset'],
    ['near', 'patch'],
  ]);
  await put({ key: 'k3', source: 'audit', joins: 'asset-feed', at: later(50_000) }, 'other');
  expect(await changes()).toHaveLength(3);
});

it('old counts are removed with the first change of an hour, above 120 of them', async () => {
  const { store, put, counts } = start();
  const day = (days: number) =>
    later(-days * DAY_MS)
      .toISOString()
      .slice(0, 10)
      .replaceAll('-', '');
  const old = Object.fromEntries(
    Array.from({ length: 118 }, (_, index) => [`h2026100${1 + (index % 9)}${index}`, 1]),
  );
  const value = { title: RESOURCE, tenantId: 'default', lastAt: SAMPLE_TIME, expireAt: later(DAY_MS) };
  const kept = { [`d${day(15)}`]: 1, [`h${day(0)}09`]: 1 };
  const gone = { [`d${day(16)}`]: 1, [`h${day(1)}09`]: 1 };
  const all = { ...old, ...kept, ...gone };
  await store.commit([
    createDocument(paths.changeCounts(PREFIX), changeCountsType, { ...value, counts: all }),
  ]);
  await put({});
  expect((await counts())?.counts).toEqual({ ...kept, d20261105: 1, h2026110510: 1 });
});

it('120 counts are kept', async () => {
  const { store, put, counts } = start();
  const old = Object.fromEntries(Array.from({ length: 118 }, (_, index) => [`h20261001${index}`, 1]));
  const value = { title: RESOURCE, tenantId: 'default', lastAt: SAMPLE_TIME, expireAt: later(DAY_MS) };
  await store.commit([
    createDocument(paths.changeCounts(PREFIX), changeCountsType, { ...value, counts: old }),
  ]);
  await put({});
  expect(Object.keys((await counts())?.counts ?? {})).toHaveLength(120);
});

it('a source is noted once a minute', async () => {
  const { deps, counts, setTime } = start();
  const id = `${sourcePrefix('default')}argocd`;
  const noted: [number, number][] = [];
  for (const ms of [0, 59_999, 60_000]) {
    setTime(later(ms));
    await noteSource('argocd', 'default', deps);
    const { lastAt, counts: all } = (await counts(id)) ?? {
      lastAt: later(0),
      counts: {} as Record<string, number>,
    };
    noted.push([lastAt.getTime() - SAMPLE_TIME.getTime(), all.all ?? 0]);
  }
  expect(noted).toEqual([
    [0, 1],
    [0, 1],
    [60_000, 2],
  ]);
  expect(await counts(id)).toMatchObject({
    title: 'argocd',
    tenantId: 'default',
    expireAt: later(60_000 + 30 * DAY_MS),
  });
});
