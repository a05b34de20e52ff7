import { describe, expect, it } from 'vitest';
import { changesText, distanceText, rateText } from './block.ts';
import type { Change } from './change.ts';
import { type RankedChange, rankChange, rankChanges } from './rank.ts';
import {
  alertScopes,
  findNearestRelation,
  listChangeScopes,
  type Relation,
  resourceId,
  scopesBetween,
  scopesOfName,
} from './scopes.ts';

const at = new Date('2026-11-05T10:00:00Z');
const minutes = (count: number) => new Date(at.getTime() + count * 60_000);

const change = (overrides: Partial<Change> = {}): Change => ({
  tenantId: 'default',
  title: 'Raise memory',
  key: 'k',
  source: 'github',
  resource: 'k8s:prod/shop/Deployment/cart',
  kind: 'deploy',
  status: 'done',
  actor: null,
  before: null,
  after: null,
  url: null,
  at,
  scopes: ['2026-11-05|k8s:prod/shop/Deployment/cart', '2026-11-05|namespace:shop'],
  rate: { count: 0, days: 14 },
  count: 1,
  receivedAt: at,
  expireAt: at,
  ...overrides,
});
const wanted = new Map<string, Relation>([
  ['namespace:shop', 'namespace'],
  ['k8s:prod/shop/Deployment/cart', 'same'],
]);
const rank = (overrides: Partial<Change> = {}, start = at): RankedChange =>
  rankChange('c', change(overrides), { start, wanted });

it('the lines of changes have all of them that people compare', () => {
  const shown = [
    rank({ count: 3, rate: { count: 1, days: 14 } }, minutes(25)),
    rank({
      ...{
        status: 'attempted',
        actor: 'ada',
        before: '1',
        after: '2',
        url: 'https://g.example/1',
        at: minutes(210),
      },
      ...{ rate: { count: 28, days: 14 }, resource: 'flag:cart', scopes: [] },
    }),
    rank({ status: 'running', at: minutes(119) }),
  ];
  const none = { shown: [], others: 0, isCut: false, sources: [], resource: null, isMapped: false };
  const sources = [{ source: 'github', lastAt: at } as never];
  const resource = 'k8s:prod/shop/Deployment/cart';
  const text = changesText({ shown, others: 2, isCut: true, sources, resource, isMapped: false });
  expect(text.split('\n').slice(0, 5)).toEqual([
    '1. 2026-11-05T10:00:00Z (25 min before); deploy of k8s:prod/shop/Deployment/cart (the same resource); "Raise memory"; 1 change of it in 14 days (0.1 a day); the last of 3 more of this hour; source github',
    '2. 2026-11-05T13:30:00Z (3.5 h after); deploy, failed of flag:cart (elsewhere); "Raise memory" by ada; 28 changes of it in 14 days (2.0 a day); before: 1; after: 2; https://g.example/1; source github',
    '3. 2026-11-05T11:59:00Z (119 min after); deploy, running of k8s:prod/shop/Deployment/cart (the same resource); "Raise memory"; 0 changes of it in 14 days (0.0 a day); source github',
    'At least 2 more changes are not shown.',
    'Resource of the alert: k8s:prod/shop/Deployment/cart, not mapped to a service.',
  ]);
  expect(text).toMatch(/Sources connected: github \(newest event 2026-11-05T10:00:00Z\)\. Not connected: /);
  expect(text).not.toMatch(/Not connected: .*GitHub/);
  expect(changesText(none)).toMatch(
    /^none in 24 h\nThe alert names no resource, so .*\nSources connected: none\. Not connected: .*GitHub/,
  );
  expect(changesText({ ...none, resource, isMapped: true })).toContain(
    `Resource of the alert: ${resource}.\n`,
  );
  expect([distanceText(0), distanceText(7_200_000), rateText({ count: 7, days: 14 })]).toEqual([
    '0 min before',
    '2.0 h before',
    '7 changes of it in 14 days (0.5 a day)',
  ]);
});

describe('a change is more relevant', () => {
  it.each<[string, RankedChange, RankedChange]>([
    ['near in time', rank({}, minutes(5)), rank({}, minutes(120))],
    ['of a rarely changed resource', rank(), rank({ rate: { count: 28, days: 14 } })],
    ['before the alert', rank({}, minutes(10)), rank({}, minutes(-10))],
    ['that took effect', rank(), rank({ status: 'attempted' })],
    ['of the same resource', rank(), rank({ scopes: ['2026-11-05|namespace:shop'] })],
    ['in a known place', rank({ scopes: ['namespace:shop'] }), rank({ scopes: ['namespace:x'] })],
  ])('%s', (_, more, less) => {
    expect(more.score).toBeGreaterThan(less.score);
    expect(less.score).toBeGreaterThan(0);
    expect(more.score).toBeLessThanOrEqual(1);
  });

  it('also a minute after the alert, because clocks differ', () => {
    expect(rank({}, minutes(-1)).score).toBe(rank({}, minutes(1)).score);
    expect(rank({}, minutes(-1.01)).score).toBeLessThan(rank({}, minutes(1.01)).score);
  });

  it('and at most three of a resource are shown, of equal ones by id', () => {
    const all = ['d', 'b', 'a', 'c'].map((id) => ({ ...rank(), id }));
    const other = { ...rank({ resource: 'flag:cart' }, minutes(60)), id: 'z' };
    const ids = (found: RankedChange[]) => found.map(({ id }) => id);
    expect(ids(rankChanges([other, ...all]))).toEqual(['a', 'b', 'c', 'z']);
    expect(ids(rankChanges([other, ...all], 2))).toEqual(['a', 'b']);
    expect(ids(rankChanges([other, ...all], 9, 1))).toEqual(['a', 'z']);
  });
});

describe('scopes', () => {
  const service = (change: object) => ({
    ...{ workloads: [], repository: null, flags: [], dashboards: [], dependencies: [], ...change },
  });
  const services = {
    shop: service({
      workloads: ['k8s:prod/shop/Deployment/shop'],
      ...{
        repository: 'git:acme/shop',
        flags: ['flag:new-cart'],
        dependencies: ['cart', 'Depot', 'host:db-7'],
      },
    }),
    cart: service({ workloads: ['k8s:prod/shop/Deployment/cart'], repository: 'git:acme/cart' }),
  };
  const nowhere = { workload: null, namespace: null, cluster: null, project: null };
  const located = (change: object) => ({
    ...{ place: nowhere, resource: null, service: null, candidates: [] },
    ...change,
  });

  it('of an alert are those near it, each with its nearest relation', () => {
    const place = { workload: 'Shop', namespace: 'shop', cluster: 'prod', project: 'p' };
    const resource = 'k8s:prod/shop/Deployment/shop';
    expect([...alertScopes(located({ resource, service: 'shop', place }), services)]).toEqual([
      [resource, 'same'],
      ['git:acme/shop', 'service'],
      ['flag:new-cart', 'service'],
      ['name:shop', 'name'],
      ['namespace:shop', 'namespace'],
      ['cluster:prod', 'cluster'],
      ['project:p', 'project'],
      ['provider', 'provider'],
      ['k8s:prod/shop/Deployment/cart', 'dependency'],
      ['git:acme/cart', 'dependency'],
      ['name:cart', 'dependency'],
      ['Depot', 'dependency'],
      ['name:depot', 'dependency'],
      ['host:db-7', 'dependency'],
    ]);
  });

  it('of an alert are all where nothing is known of its place', () => {
    const place = { ...nowhere, workload: 'Shop' };
    expect([...alertScopes(located({ place }), {})]).toEqual([
      ['name:shop', 'name'],
      ['provider', 'provider'],
      ['*', 'any'],
    ]);
    expect(alertScopes(located({ place: { ...nowhere, project: 'p' } }), {}).has('*')).toBe(false);
  });

  it('of an alert are at most 15', () => {
    const flags = Array.from({ length: 30 }, (_, n) => `flag:f${n}`);
    const many = { shop: service({ flags }) };
    expect(alertScopes(located({ service: 'shop' }), many).size).toBe(15);
  });

  it('of a change are those of its resource and of others that it affects', () => {
    expect(listChangeScopes('gcp:incident:p/eu/x', ['aws:rds:1/eu/db', 'odd'], 'q')).toEqual([
      ...['*', 'gcp:incident:p/eu/x', 'name:x', 'project:p', 'provider'],
      ...['aws:rds:1/eu/db', 'name:db', 'project:1', 'odd', 'project:q'],
    ]);
    expect(listChangeScopes('service:cart')).toEqual(['*', 'service:cart', 'name:cart']);
    const many = Array.from({ length: 60 }, (_, n) => `service:s${n}`);
    expect(listChangeScopes('service:cart', many)).toHaveLength(40);
  });

  it.each([
    [undefined, ['*']],
    [' ', ['*']],
    [' Cart ', ['name:cart']],
    ['k8s:prod/shop/Deployment/Cart', ['k8s:prod/shop/Deployment/Cart', 'name:cart']],
  ])('of a search for %j are %j', (name, scopes) => {
    expect(scopesOfName(name)).toEqual(scopes);
  });

  it('are stored by day, and of several relations the nearest counts', () => {
    expect(scopesBetween(['a', 'b'], minutes(-1_441), minutes(0))).toEqual(
      ['a', 'b'].flatMap((scope) => ['2026-11-05', '2026-11-04'].map((day) => `${day}|${scope}`)),
    );
    expect(scopesBetween(['a'], minutes(-660), minutes(0))).toHaveLength(2);
    expect(findNearestRelation(['x|namespace:shop', 'x|k8s:prod/shop/Deployment/cart'], wanted)).toBe('same');
    expect(findNearestRelation(['x|name:a'], wanted)).toBe('any');
  });

  it('ids start with the words of a resource', () => {
    expect(resourceId('t', 'k8s:prod/Shop/-/x')).toMatch(/^k8s-prod-shop-x-[0-9a-f]{6}$/);
    expect(resourceId('t', '磁盘')).toMatch(/^resource-[0-9a-f]{6}$/);
    expect(resourceId('t', 'a'.repeat(99))).toHaveLength(67);
    expect(resourceId('t', 'a')).not.toBe(resourceId('u', 'a'));
  });
});
