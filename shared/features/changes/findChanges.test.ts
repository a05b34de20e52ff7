// Fifty constructed incidents, each with 200 changes in its window, of which 30 are nearer in time than the
// true one. The rules of shared/changes/rank.ts are older than these cases and were not adjusted to them.

import { expect, it, vi } from 'vitest';
import type { Services } from '../../alerts/resource.ts';
import type { Change } from '../../changes/change.ts';
import { listChangeScopes, resourceId, scopeOn, timeId } from '../../changes/scopes.ts';
import { createDocument } from '../../core/contract/store.ts';
import { changeCountsType, changeType, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { findChanges, listChangeSources, searchChanges } from './findChanges.ts';
import { sourcePrefix } from './storeChange.ts';

const START = new Date('2026-11-05T10:00:00Z');
const MINUTE_MS = 60_000;
const CHANGES = 200;
const NEARER = 30;

/** Numbers from 0 up to 1, the same at every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SERVICES: Services = {
  checkout: {
    workloads: ['k8s:prod/shop/Deployment/checkout'],
    repository: 'git:acme/checkout',
    flags: ['flag:new-cart'],
    dashboards: [],
    dependencies: ['ledger', 'gcp:sql:shop-prod/europe-west1/shop-prod:orders'],
  },
  ledger: {
    workloads: ['k8s:prod/money/Deployment/ledger'],
    repository: null,
    flags: [],
    dashboards: [],
    dependencies: [],
  },
};
const K8S = {
  source: 'alertmanager',
  labels: { cluster: 'prod', namespace: 'shop', deployment: 'checkout' },
};
const CLOUD = {
  source: 'cloud-monitoring',
  labels: {
    project_id: 'shop-prod',
    location: 'europe-west1',
    service_name: 'cart',
    resource_type: 'cloud_run_revision',
  },
};

interface Incident {
  name: string;
  alert: typeof K8S | typeof CLOUD;
  /** The true cause, and how often its resource changes in 14 days. */
  cause: { kind: string; resource: string; count: number; project?: string };
}

const INCIDENTS: Incident[] = [
  {
    name: 'a deployment of the workload',
    alert: K8S,
    cause: { kind: 'deploy', resource: 'k8s:prod/shop/Deployment/checkout', count: 20 },
  },
  {
    name: 'a service that is deployed 14 times a day',
    alert: K8S,
    cause: { kind: 'deploy', resource: 'k8s:prod/shop/Deployment/checkout', count: 196 },
  },
  {
    name: 'a push to the repository',
    alert: K8S,
    cause: { kind: 'config', resource: 'git:acme/checkout', count: 40 },
  },
  { name: 'a flag of the service', alert: K8S, cause: { kind: 'flag', resource: 'flag:new-cart', count: 2 } },
  {
    name: 'a database that it depends on',
    alert: K8S,
    cause: { kind: 'config', resource: 'gcp:sql:shop-prod/europe-west1/shop-prod:orders', count: 1 },
  },
  {
    name: 'a service that it depends on',
    alert: K8S,
    cause: { kind: 'deploy', resource: 'k8s:prod/money/Deployment/ledger', count: 12 },
  },
  {
    name: 'a configuration map of its name',
    alert: K8S,
    cause: { kind: 'config', resource: 'k8s:prod/shop/ConfigMap/checkout', count: 3 },
  },
  {
    name: 'a network policy of its namespace',
    alert: K8S,
    cause: { kind: 'config', resource: 'k8s:prod/shop/NetworkPolicy/deny-all', count: 1 },
  },
  {
    name: 'a new revision of a service of Cloud Run',
    alert: CLOUD,
    cause: { kind: 'deploy', resource: 'gcp:run:shop-prod/europe-west1/cart', count: 9 },
  },
  {
    name: 'rights in the project of a service of Cloud Run',
    alert: CLOUD,
    cause: { kind: 'iam', resource: 'gcp:cloudresourcemanager:shop-prod/-/shop-prod', count: 1 },
  },
];

/** A change that is no cause. Of ten: six elsewhere, two in the cluster, one each in project, namespace. */
function noise(
  draw: () => number,
  minutes: number,
): { minutes: number; resource: string; count: number; kind: string } {
  const place = draw();
  const name = `app-${Math.floor(draw() * 40)}`;
  const resource =
    place < 0.6
      ? `k8s:staging/ns-${Math.floor(draw() * 9)}/Deployment/${name}`
      : place < 0.8
        ? `k8s:prod/ns-${Math.floor(draw() * 9)}/Deployment/${name}`
        : place < 0.9
          ? `gcp:run:shop-prod/europe-west1/${name}`
          : `k8s:prod/shop/Deployment/${name}`;
  return {
    minutes,
    resource,
    kind: draw() < 0.7 ? 'deploy' : 'config',
    count: 1 + Math.floor(draw() ** 2 * 200),
  };
}

function changeOf(
  cause: { resource: string; kind: string; count: number; minutes: number },
  key: string,
): Change {
  const at = new Date(START.getTime() - cause.minutes * MINUTE_MS);
  const { resource, kind, count } = cause;
  return {
    title: key,
    tenantId: 'default',
    key,
    source: 'json',
    kind,
    status: 'done',
    resource,
    actor: null,
    before: null,
    after: null,
    url: null,
    at,
    receivedAt: at,
    count: 1,
    scopes: listChangeScopes(resource).map((scope) => scopeOn(at, scope)),
    rate: { count, days: 14 },
    expireAt: new Date('2026-12-05T10:00:00Z'),
  };
}

/** The place of the true cause in the order, from 1; 0 if it is not shown. */
async function placeOfCause({ alert, cause }: Incident, seed: number): Promise<number> {
  const draw = numbersFrom(seed);
  const minutes = 40 + Math.floor(draw() * 200);
  const others = Array.from({ length: CHANGES - 1 }, (_, index) =>
    noise(draw, index < NEARER ? 1 + draw() * (minutes - 2) : minutes + 1 + draw() * (1_440 - minutes - 2)),
  );
  const changes = [{ ...cause, minutes }, ...others].map((one, index) =>
    changeOf(one, index === 0 ? 'cause' : `noise ${index}`),
  );
  const store = createMemoryStore();
  for (const change of changes) {
    const id = `${resourceId('default', change.resource)}.${timeId(change.at)}.${change.key}`;
    await store.commit([createDocument(paths.change(id.replaceAll(' ', '-')), changeType, change)]);
  }
  const options = { services: SERVICES, now: START, limit: 10 };
  const { shown } = await findChanges({ tenantId: 'default', alert, start: START }, options, store);
  return shown.findIndex(({ change }) => change.key === 'cause') + 1;
}

it('the true change is among the first ten in at least 48 of 50 incidents', async () => {
  const found: string[] = [];
  for (const [number, incident] of INCIDENTS.entries())
    for (let seed = 1; seed <= 5; seed++) {
      const place = await placeOfCause(incident, number * 100 + seed);
      found.push(`${place === 0 ? 'missing' : 'found'}: ${incident.name} (${place})`);
    }
  expect(found).toHaveLength(50);
  const missing = found.filter((line) => line.startsWith('missing'));
  expect(missing.length, missing.join('\n')).toBeLessThanOrEqual(2);
});

const stored = (resource: string, minutes: number, key: string) =>
  createDocument(
    paths.change(
      `${resourceId('default', resource)}.${timeId(new Date(START.getTime() - minutes * MINUTE_MS))}.${key}`,
    ),
    changeType,
    changeOf({ resource, kind: 'deploy', count: 1, minutes }, key),
  );
const CHECKOUT = 'k8s:prod/shop/Deployment/checkout';

it('a search finds the changes of its period, its ends included, each once', async () => {
  const store = createMemoryStore();
  for (const minutes of [31, 30, 20, 10, 9]) await store.commit([stored(CHECKOUT, minutes, `at ${minutes}`)]);
  await store.commit([stored('k8s:prod/shop/Deployment/checkout-2', 20, 'at 20')]);
  const [since, until] = [30, 10].map((minutes) => new Date(START.getTime() - minutes * MINUTE_MS));
  const search = { tenantId: 'default', scopes: ['*'], since: since as Date, until: until as Date };
  const { changes, isCut } = await searchChanges(search, store);
  expect(changes.map(({ change }) => change.key).sort()).toEqual(['at 10', 'at 20', 'at 30']);
  expect(isCut).toBe(false);
  expect(await searchChanges({ ...search, tenantId: 'other' }, store)).toEqual({ changes: [], isCut: false });
});

it('a search states that it ended at its limit, and asks for at most 30 values', async () => {
  const found = Array.from({ length: 1_000 }, () => ({ id: 'a', value: { value: undefined } }));
  const find = vi.fn(async () => found as never);
  const scopes = Array.from({ length: 40 }, (_, index) => `name:${index}`);
  const search = { tenantId: 'default', scopes, since: START, until: START };
  expect(await searchChanges(search, { find })).toEqual({ changes: [], isCut: true });
  expect(find).toHaveBeenCalledWith(
    expect.objectContaining({
      limit: 1_000,
      anyOf: { field: 'scopes', values: expect.toSatisfy((values) => values.length === 30) },
    }),
    expect.anything(),
  );
});

it('the sources are those that have sent changes to the tenant, with the time of the last', async () => {
  const store = createMemoryStore();
  const counts = (tenantId: string, title: string) =>
    createDocument(paths.changeCounts(`${sourcePrefix(tenantId)}${title}`), changeCountsType, {
      title,
      tenantId,
      counts: {},
      lastAt: START,
      expireAt: START,
    });
  await store.commit([counts('default', 'argocd'), counts('other', 'github')]);
  expect(await listChangeSources('default', store)).toEqual([{ source: 'argocd', lastAt: START }]);
});

it.each([
  [30, 3],
  [2, 2],
])(
  'changes are found until now, also after the start; of a limit of %i are shown %i',
  async (limit, shown) => {
    const store = createMemoryStore();
    for (const minutes of [1, 2, 3, -10, -20, -40])
      await store.commit([stored(CHECKOUT, minutes, `at ${minutes}`)]);
    const now = new Date(START.getTime() + 20 * MINUTE_MS);
    const near = { tenantId: 'default', alert: K8S, start: START };
    const found = await findChanges(near, { services: SERVICES, now, limit }, store);
    expect({ ...found, shown: found.shown.length }).toEqual({
      shown,
      others: 5 - shown,
      isCut: false,
      sources: [],
      resource: CHECKOUT,
      isMapped: true,
      scopes: expect.arrayContaining([CHECKOUT, 'flag:new-cart', 'namespace:shop', 'name:ledger']),
    });
    expect(found.scopes.filter((scope) => /^(\*|provider|cluster:|project:)/.test(scope))).toEqual([]);
    expect((await findChanges(near, { now }, store)).isMapped).toBe(false);
  },
);
