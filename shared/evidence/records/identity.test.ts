import { expect, it } from 'vitest';
import { findReplicaSet, findSiblings, isRecordOfComponent, isWellSince } from './identity.ts';
import type { StateRecord } from './record.ts';

/** A record; `Pod shop/api-0 < ReplicaSet api-1` has that controller, `Pod shop/api-0 <` has none. */
function record(text: string, more: Partial<StateRecord> = {}): StateRecord {
  const [, kind = '', namespace = '-', name = '', isObject, owner = ''] =
    /^(\S+) ([^/]+)\/(\S+)( <)?(?: (.*))?$/.exec(text) ?? [];
  const [ownerKind = '', ownerName] = owner.split(' ');
  return {
    result: 'a.r1',
    kind,
    apiVersion: 'v1',
    identity: {
      name,
      ...(namespace !== '-' && { namespace }),
      owners: ownerName === undefined ? [] : [{ kind: ownerKind, name: ownerName }],
    },
    ...(isObject && { isObject: true }),
    fields: new Map(),
    ...more,
  };
}
const series = (labels: Record<string, string>, ...owners: { kind: string; name: string }[]): StateRecord => {
  const one = record('series shop/x');
  return { ...one, identity: { ...one.identity, owners }, series: { metric: 'up', labels, samples: [] } };
};

const POD = 'Pod shop/api-7d9c6bf8d4-x2kqp';
const SET = record('ReplicaSet shop/api-7d9c6bf8d4 < Deployment api');
const API = 'k8s:-/shop/Deployment/api';

it.each<[string, StateRecord, string, boolean, StateRecord[]?]>([
  ['the object itself', record('Deployment shop/api <'), API, true],
  ['another kind of the same name', record('Service shop/api <'), API, false],
  ['another namespace', record('Deployment other/api <'), API, false],
  ['a namespace that the record lacks', record('Deployment -/api'), API, false],
  ['a namespace that the component lacks', record('Deployment shop/api <'), 'k8s:-/-/Deployment/api', true],
  ['a longer name', record('Deployment shop/payments-api <'), API, false],
  ['a name that goes on', record('Deployment shop/api-v2 <'), API, false],
  ['a row by its name', record(POD), API, true],
  ['a row of a longer name', record('Pod shop/payments-api-7d9c6bf8d4-x2kqp'), API, false],
  ['a row whose ending is a word', record('Pod shop/api-frontend-x2kqp'), API, false],
  ['a row that another owner can have', record(POD), API, false, [record('DaemonSet shop/api-7d9c6bf8d4')]],
  ['the same where that is its replica set', record(POD), API, true, [SET]],
  ['an object by its owners', record(`${POD} < ReplicaSet api-7d9c6bf8d4`), API, true, [SET]],
  ['an owner that is not read, by its name', record(`${POD} < ReplicaSet api-7d9c6bf8d4`), API, true],
  ['an object without owners, whatever its name', record(`${POD} <`), API, false],
  [
    'a set of another deployment',
    record(`${POD} < ReplicaSet api-7d9c6bf8d4`),
    API,
    false,
    [record('ReplicaSet shop/api-7d9c6bf8d4 < Deployment other')],
  ],
  ['a stateful set', record('Pod shop/db-0'), 'k8s:-/shop/StatefulSet/db', true],
  ['a cron job', record('Pod shop/report-29387520-7hx2p'), 'k8s:-/shop/CronJob/report', true],
  [
    'a container of the pod',
    record(POD, { container: 'proxy', of: record(POD) }),
    'k8s:-/shop/Pod/api-7d9c6bf8d4-x2kqp',
    true,
  ],
  [
    'a pod on the node',
    { ...record(POD), identity: { ...record(POD).identity, node: 'n1' } },
    'k8s:-/-/Node/n1',
    true,
  ],
  [
    'another cluster',
    { ...record(POD), identity: { ...record(POD).identity, cluster: 'eu' } },
    'k8s:us/shop/Deployment/api',
    false,
  ],
  ['an unknown cluster', record(POD), 'k8s:us/shop/Deployment/api', true],
  [
    'the same cluster',
    { ...record(POD), identity: { ...record(POD).identity, cluster: 'eu' } },
    'k8s:eu/shop/Deployment/api',
    true,
  ],
  [
    'no cluster in the name',
    { ...record(POD), identity: { ...record(POD).identity, cluster: 'eu' } },
    API,
    true,
  ],
  [
    'a pod on another node',
    { ...record(POD), identity: { ...record(POD).identity, node: 'n2' } },
    'k8s:-/-/Node/n1',
    false,
  ],
  [
    'a pod on a node of the name of the workload',
    { ...record('Pod shop/web-0'), identity: { ...record('Pod shop/web-0').identity, node: 'api' } },
    API,
    false,
  ],
  ['a namespace alone', record('Deployment shop/api <'), 'k8s:-/shop', false],
  ['a kind without a name', record('Deployment shop/api <'), 'k8s:-/shop/Deployment', false],
  ['a product of the service', series({}, { kind: 'service', name: 'api' }), 'service(x):api', false],
  ['a host of the name of the service', series({}, { kind: 'host', name: 'api' }), 'service:api', false],
  [
    'a series of a pod and a service',
    series({}, { kind: 'Pod', name: 'web-0' }, { kind: 'service', name: 'api' }),
    'service:api',
    true,
  ],
  [
    'a series of a pod and a node',
    series({}, { kind: 'Node', name: 'n1' }, { kind: 'Pod', name: 'api-7d9c6bf8d4-x2kqp' }),
    API,
    true,
  ],
  [
    'a row that an owner of another namespace can have',
    record(POD),
    API,
    true,
    [record('DaemonSet other/api-7d9c6bf8d4')],
  ],
  [
    'owners that own each other',
    record('Pod shop/x < ReplicaSet a'),
    API,
    false,
    [record('ReplicaSet shop/a < ReplicaSet b'), record('ReplicaSet shop/b < ReplicaSet a')],
  ],
  ['a series of a pod', series({}, { kind: 'Pod', name: 'api-7d9c6bf8d4-x2kqp' }), API, true],
  ['a series of a service', series({}, { kind: 'service', name: 'api' }), 'service:api', true],
  ['a host with its port', series({}, { kind: 'host', name: 'db1:9100' }), 'host:db1', true],
  ['another host', series({}, { kind: 'host', name: 'db12:9100' }), 'host:db1', false],
  ['no canonical name', record('Deployment shop/api <'), 'api', false],
])('identity: %s', (_, one, component, expected, records = []) => {
  expect(isRecordOfComponent(one, component, [one, ...records])).toBe(expected);
});

const field = (value: string) => ({ value, start: 0, end: 1 });
const pod = (name: string, ready: string, since: string, started: string): StateRecord[] => {
  const own = record(`Pod shop/${name} < ReplicaSet api-7d9c6bf8d4`, {
    fields: new Map([
      ['status.conditions[Ready].status', field(ready)],
      ['status.conditions[Ready].lastTransitionTime', field(since)],
    ]),
  });
  const container = { ...own, container: 'api', of: own };
  return [own, { ...container, fields: new Map([['state.running.startedAt', field(started)]]) }];
};

it('siblings have the same controller and container, and are well since before the time', () => {
  const records = [
    ...pod('api-7d9c6bf8d4-aaaaa', 'False', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z'),
    ...pod('api-7d9c6bf8d4-bbbbb', 'True', '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z'),
    ...pod('api-7d9c6bf8d4-ccccc', 'True', '2026-01-01T08:00:00Z', '2026-01-01T09:30:00Z'),
    ...pod('api-7d9c6bf8d4-ddddd', 'True', '2026-01-01T09:30:00Z', '2026-01-01T08:00:00Z'),
    record('Pod shop/web-7d9c6bf8d4-eeeee < ReplicaSet web-7d9c6bf8d4'),
    record('Pod other/api-7d9c6bf8d4-fffff'),
  ];
  const [, failed] = records;
  const siblings = findSiblings(failed as StateRecord, records);
  expect(siblings.map(({ identity, container }) => `${identity.name.slice(-5)} ${container}`)).toEqual([
    'bbbbb api',
    'ccccc api',
    'ddddd api',
  ]);
  const before = Date.parse('2026-01-01T09:10:00Z');
  const well = siblings.filter((one) => isWellSince(one, records, before));
  expect(well.map(({ identity }) => identity.name.slice(-5))).toEqual(['bbbbb']);
});

it.each<[string, StateRecord, StateRecord, boolean]>([
  ['another kind', record('Pod shop/a-0'), record('StatefulSet shop/a-1'), false],
  ['pods of a stateful set', record('Pod shop/a-0'), record('Pod shop/a-1'), true],
  ['pods without a controller', record('Pod shop/a'), record('Pod shop/b'), false],
  ['pods of which one has no controller', record('Pod shop/a-0'), record('Pod shop/b'), false],
  ['pods whose objects have none', record('Pod shop/a-0 <'), record('Pod shop/a-1 <'), false],
  [
    'pods of which a table lists the controller',
    record('Pod shop/x ReplicaSet a'),
    record('Pod shop/y ReplicaSet a'),
    true,
  ],
  [
    'pods of one owner, whatever their names',
    record('Pod shop/x < ReplicaSet a'),
    record('Pod shop/y < ReplicaSet a'),
    true,
  ],
  [
    'sets of one deployment',
    record('ReplicaSet shop/a-1 < Deployment a'),
    record('ReplicaSet shop/a-2 < Deployment a'),
    true,
  ],
  ['sets without an owner', record('ReplicaSet shop/a-1'), record('ReplicaSet shop/a-2'), false],
  ['nodes', record('Node -/a'), record('Node -/b'), true],
  [
    'nodes of two clusters',
    { ...record('Node -/a'), identity: { name: 'a', owners: [], cluster: 'eu' } },
    { ...record('Node -/b'), identity: { name: 'b', owners: [], cluster: 'us' } },
    false,
  ],
  ['pods of two namespaces', record('Pod shop/a-0'), record('Pod other/a-1'), false],
  [
    'series of two metrics',
    series({ job: 'a', instance: '1' }),
    { ...series({ job: 'a', instance: '2' }), series: { metric: 'x', labels: { job: 'a' }, samples: [] } },
    false,
  ],
  ['series of two paths', series({ job: 'a', path: '1' }), series({ job: 'a', path: '2' }), false],
  ['a series and a record of that kind', series({ instance: '1' }), record('series shop/x'), false],
])('siblings: %s', (_, one, other, expected) => {
  expect(findSiblings(one, [one, other])).toEqual(expected ? [other] : []);
});

const READY = pod('api-7d9c6bf8d4-aaaaa', 'True', '2026-01-01T08:00:00Z', '2026-01-01T08:30:00Z');
const withContainer = (...fields: [string, ReturnType<typeof field>][]): StateRecord[] => {
  const [own] = READY as [StateRecord];
  return [own, { ...own, container: 'api', of: own, fields: new Map(fields) }];
};
it.each<[string, StateRecord[], string, boolean]>([
  ['with containers from before', READY, '2026-01-01T08:31:00Z', true],
  ['with a container that started then', READY, '2026-01-01T08:30:00Z', false],
  ['that is ready since then', READY.slice(0, 1), '2026-01-01T08:00:00Z', false],
  ['that is ready since before, without containers', READY.slice(0, 1), '2026-01-01T08:01:00Z', true],
  ['without its status', [record(POD)], '2026-01-01T09:00:00Z', false],
  [
    'with a container that ended',
    withContainer(['state.terminated.reason', field('Completed')]),
    '2026-01-01T09:00:00Z',
    true,
  ],
  ['with a container in an unknown state', withContainer(), '2026-01-01T09:00:00Z', false],
  [
    'with a container that waits',
    withContainer(
      ['state.waiting.reason', field('CrashLoopBackOff')],
      ['state.terminated.reason', field('Error')],
    ),
    '2026-01-01T09:00:00Z',
    false,
  ],
  [
    'with one of two containers that waits',
    [...READY, ...withContainer(['state.waiting.reason', field('x')]).slice(1)].map((one, _, [own]) =>
      one.of === undefined || own === undefined ? one : { ...one, of: own },
    ),
    '2026-01-01T09:00:00Z',
    false,
  ],
  ['that is a series', [series({})], '2026-01-01T09:00:00Z', true],
])('an object %s is well', (_, records, at, expected) => {
  const [one] = records as [StateRecord];
  expect(isWellSince(one, records, Date.parse(at))).toBe(expected);
});

it('siblings of a row have a controller of the same name, those of a series another instance of its job', () => {
  const rows = [
    record(POD),
    record('Pod shop/api-7d9c6bf8d4-9wz4m'),
    record('Pod shop/api-5f6b7c8d9f-9wz4m'),
  ];
  expect(findSiblings(record(POD), rows)).toEqual([rows[1]]);
  const [a, b, c] = [
    series({ job: 'a', instance: '1' }),
    series({ job: 'a', instance: '2' }),
    series({ job: 'b', instance: '3' }),
  ];
  expect(findSiblings(a, [a, b, c])).toEqual([b]);
});

it.each<[StateRecord, string | undefined]>([
  [record('Pod shop/api-7d9c6bf8d4-9wz4m'), 'api-7d9c6bf8d4'],
  [record('Pod shop/api-1 < ReplicaSet web-5f6b7c8d9f'), 'web-5f6b7c8d9f'],
  [record('Pod shop/api-7d9c6bf8d4-9wz4m <'), undefined],
  [record('Pod shop/api-0'), undefined],
  [record('Deployment shop/api-7d9c6bf8d4-9wz4m'), undefined],
  [
    series({ job: 'a', pod: 'api-7d9c6bf8d4-9wz4m' }, { kind: 'Pod', name: 'api-7d9c6bf8d4-9wz4m' }),
    'api-7d9c6bf8d4',
  ],
  [series({ job: 'a' }), undefined],
])('the ReplicaSet of %j is %s', (one, expected) => {
  expect(findReplicaSet(one)).toBe(expected);
});
