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
