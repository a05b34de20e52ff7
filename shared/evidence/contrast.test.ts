// Whether a state differs elsewhere or before, and the calls that can show it (kubernetes-mcp-server).

import { describe, expect, it } from 'vitest';
import type { ContrastCall } from '../schema/contrast.ts';
import { type ContrastAnswer, type ContrastScope, contrastCalls, decideContrast } from './contrast.ts';
import { fieldList } from './records/fieldList.ts';
import { readRecords } from './records/readRecords.ts';
import type { StateRecord } from './records/record.ts';
import { findBestChange, findMatchingStates, otherStates } from './supports.ts';

const ALERT = Date.parse('2026-11-17T09:40:00Z');
const minutes = (before: number) => new Date(ALERT - before * 60_000).toISOString().replace('.000', '');
const LIST = fieldList('kubernetes');

interface PodState {
  killed?: string;
  started?: string;
  ready?: string;
  waiting?: string;
}

/** A pod of the deployment checkout as `pods_get` answers. */
const pod = (
  name: string,
  { killed, started = minutes(900), ready = minutes(900), waiting }: PodState = {},
) =>
  `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  ownerReferences:
  - apiVersion: apps/v1
    controller: true
    kind: ReplicaSet
    name: ${name.replace(/-\w+$/, '')}
status:
  conditions:
  - lastTransitionTime: "${ready}"
    status: "${waiting === undefined && killed === undefined ? 'True' : 'False'}"
    type: Ready
  containerStatuses:
  - name: app
    restartCount: ${killed === undefined ? 0 : 4}
${killed === undefined ? '' : `    lastState:\n      terminated:\n        exitCode: 137\n        finishedAt: "${killed}"\n        reason: OOMKilled\n`}    state:
${waiting === undefined ? `      running:\n        startedAt: "${started}"` : `      waiting:\n        reason: ${waiting}`}
`;

const NAMES = ['checkout-7d9c6bf8d4-x2kqp', 'checkout-7d9c6bf8d4-abcde'] as const;
const EARLIER = 'checkout-5f6b7c8d9f-9wz4m';
const SUSPECT = { component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'memory' } as const;

function recordsOf(id: string, text: string): StateRecord[] {
  if (LIST === undefined) throw new Error('there is no list');
  return [...readRecords({ id, tool: 'k.pods_get', arguments: '{}', text, isCut: false }, LIST).records];
}

function scopeOf(...texts: string[]): ContrastScope {
  const sources = texts.map((text, index) => {
    const name = /name: (\S+)/.exec(text)?.[1];
    const id = `a.r${index}`;
    const args = JSON.stringify({ name, namespace: 'shop' });
    return { id, tool: 'k.pods_get', arguments: args, fields: 'kubernetes', records: recordsOf(id, text) };
  });
  return { sources, answers: [], alertAt: ALERT, now: ALERT + 300_000 };
}

function judged(scope: ContrastScope, answers: ContrastAnswer[] = []) {
  const [state] = findMatchingStates(SUSPECT, scope);
  return state && decideContrast(state, { ...scope, answers });
}

describe('a state', () => {
  it.each<[string, string[], object | undefined]>([
    ['that is not there', [pod(NAMES[0])], undefined],
    ['minutes before the alert', [pod(NAMES[0], { killed: minutes(4) })], { state: 'shown', by: 'moment' }],
    ['after the check', [pod(NAMES[0], { killed: minutes(-60) })], { state: 'open', why: 'no_sibling' }],
    [
      'hours before the alert',
      [pod(NAMES[0], { killed: minutes(300) })],
      { state: 'open', why: 'no_sibling' },
    ],
    [
      'hours before, beside a healthy sibling',
      [pod(NAMES[0], { killed: minutes(300) }), pod(NAMES[1])],
      { state: 'shown', by: 'sibling', siblings: 1 },
    ],
    [
      'hours before, beside a sibling that started after the alert',
      [pod(NAMES[0], { killed: minutes(300) }), pod(NAMES[1], { started: minutes(-1) })],
      { state: 'open', why: 'not_asked' },
    ],
  ])('%s', (_, texts, expected) => {
    expect(judged(scopeOf(...texts))).toEqual(expected);
  });

  const old = scopeOf(pod(NAMES[0], { killed: minutes(300) }), pod(NAMES[1], { started: minutes(-1) }));
  const call: ContrastCall = { tool: 'k.pods_get', arguments: '{}', supports: ['e1'], by: 'sibling' };
  it.each<[string, ContrastAnswer, object]>([
    [
      'a healthy sibling shows it not',
      { call, records: recordsOf('c', pod(NAMES[1])) },
      { state: 'shown', by: 'sibling', siblings: 1 },
    ],
    [
      'the sibling is not well',
      { call, records: recordsOf('c', pod(NAMES[1], { started: minutes(-1) })) },
      { state: 'open', why: 'no_answer' },
    ],
    ['the answer is of another kind', { call, records: [] }, { state: 'open', why: 'no_answer' }],
    ['there was no answer', { call }, { state: 'open', why: 'no_answer' }],
  ])('hours before, and of the call %s', (_, answer, expected) => {
    expect(judged(old, [answer])).toEqual(expected);
  });

  it('that nothing shows to be new has a call for a sibling, and one that is new has none', () => {
    const supports = findMatchingStates(SUSPECT, old).map((one) => ({ ...one, id: 'x:e1' }));
    const args = JSON.stringify({ name: NAMES[1], namespace: 'shop' });
    expect(contrastCalls(supports, old)).toEqual([
      { tool: 'k.pods_get', arguments: args, supports: ['x:e1'], by: 'sibling' },
    ]);
    const twice = ['x:e1', 'x:e2'].flatMap((id) => supports.map((one) => ({ ...one, id })));
    expect(contrastCalls(twice, old).map((one) => one.supports)).toEqual([['x:e1', 'x:e2']]);
    const fresh = scopeOf(pod(NAMES[0], { killed: minutes(4) }), pod(NAMES[1], { started: minutes(-1) }));
    expect(
      contrastCalls(
        findMatchingStates(SUSPECT, fresh).map((one) => ({ ...one, id: 'e1' })),
        fresh,
      ),
    ).toEqual([]);
  });
});

it.each([
  ['2026-11-17T09:10:00Z', '2026-11-17T09:45:00Z', '2026-11-17T08:35:00Z', '2026-11-17T09:10:00Z'],
  [
    '2026-11-17T09:10:00.500Z',
    '2026-11-17T09:45:00.5Z',
    '2026-11-17T08:35:00.500Z',
    '2026-11-17T09:10:00.500Z',
  ],
])('a call for an earlier range writes its times as the first one did: %s', (start, end, from, to) => {
  const list = fieldList('prometheus');
  if (list === undefined) throw new Error('there is no list');
  const query = 'kube_pod_status_unschedulable{namespace="shop"}';
  const values = [0, 60, 120].map((seconds) => [ALERT / 1_000 - 300 + seconds, '1']);
  const metric = { __name__: 'kube_pod_status_unschedulable', namespace: 'shop', pod: NAMES[0] };
  const args = JSON.stringify({ query, start, end });
  const own = { id: 'a.r1', tool: 'p.prometheus_query_range', arguments: args, fields: 'prometheus' };
  const text = JSON.stringify({ resultType: 'matrix', result: [{ metric, values }] });
  const records = readRecords({ ...own, text, isCut: false }, list).records;
  const scope = { sources: [{ ...own, records }], answers: [], alertAt: ALERT, now: ALERT + 300_000 };
  const supports = findMatchingStates({ ...SUSPECT, mechanism: 'scheduling' }, scope).map((one) => ({
    ...one,
    id: 'e1',
  }));
  const [call] = contrastCalls(supports, scope);
  expect(JSON.parse(call?.arguments ?? '{}')).toEqual({ query, start: from, end: to });
});

describe('another mechanism on the component', () => {
  const both = scopeOf(
    pod(NAMES[0], { killed: minutes(4) }),
    pod(NAMES[1], { waiting: 'CreateContainerConfigError', ready: minutes(5) }),
  );
  const shown = (mechanism: 'lock' | 'dependency_down') => {
    const { against, upstream } = otherStates({ ...SUSPECT, mechanism }, [], both);
    return [against, upstream].map((states) => [...new Set(states.map(({ row }) => row.mechanism))].sort());
  };
  it('contradicts, unless the table leads from one to the other', () => {
    expect(shown('lock')).toEqual([['config', 'memory'], []]);
    expect(shown('dependency_down')).toEqual([[], ['config', 'memory']]);
  });
  it('is that of its own container, where both name one', () => {
    const own = findMatchingStates(SUSPECT, both);
    const others = own.map((one) => ({ ...one, record: { ...one.record, container: 'proxy' } }));
    expect(otherStates({ ...SUSPECT, mechanism: 'lock' }, others, both).against).toEqual([]);
  });
  it('is not that of another workload', () => {
    const stranger = { component: 'k8s:eu/shop/Deployment/cart', mechanism: 'lock' } as const;
    expect(otherStates(stranger, [], both)).toEqual({ against: [], upstream: [] });
  });
});

describe('a change', () => {
  const set = (created: string) => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  creationTimestamp: "${created}"
  name: checkout-7d9c6bf8d4
  namespace: shop
  ownerReferences:
  - apiVersion: apps/v1
    controller: true
    kind: Deployment
    name: checkout
`;
  const release = { component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'release' } as const;
  it.each<[string, string[], number]>([
    ['alone', [set(minutes(10))], 1],
    ['before a symptom', [set(minutes(10)), pod(NAMES[0], { killed: minutes(4) })], 2],
    ['after the symptom', [set(minutes(2)), pod(NAMES[0], { killed: minutes(4) })], 1],
    ['that is old', [set(minutes(600)), pod(NAMES[0], { killed: minutes(4) })], 0],
    ['that nobody made', [pod(NAMES[0], { killed: minutes(4) })], 0],
    [
      'before a symptom that a pod of the same revision does not have',
      [set(minutes(10)), pod(NAMES[0], { killed: minutes(4) }), pod(NAMES[1])],
      2,
    ],
    [
      'before a symptom that a pod of the earlier revision does not have',
      [set(minutes(10)), pod(NAMES[0], { killed: minutes(4) }), pod(EARLIER)],
      3,
    ],
    [
      'before a symptom that a pod of the earlier revision has as well',
      [set(minutes(10)), pod(NAMES[0], { killed: minutes(4) }), pod(EARLIER, { killed: minutes(5) })],
      2,
    ],
    [
      'before an image that its pod cannot pull, and a pod of the earlier revision that is well',
      [set(minutes(10)), pod(NAMES[0], { waiting: 'ErrImagePull', ready: minutes(9) }), pod(EARLIER)],
      3,
    ],
    [
      'that nobody made, and an image that a pod cannot pull',
      [pod(NAMES[0], { waiting: 'ErrImagePull', ready: minutes(9) })],
      0,
    ],
    [
      'before a symptom of the earlier revision only',
      [set(minutes(10)), pod(EARLIER, { killed: minutes(4) }), pod(NAMES[0])],
      2,
    ],
  ])('%s', (_, texts, expected) => {
    expect(findBestChange(release, scopeOf(...texts))?.things ?? 0).toBe(expected);
  });
});
