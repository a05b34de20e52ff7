// Whether a state differs elsewhere or before, and the calls that can show it (kubernetes-mcp-server).

import { describe, expect, it } from 'vitest';
import type { ContrastCall } from '../schema/contrast.ts';
import {
  type ContrastAnswer,
  type ContrastScope,
  contrastCalls,
  decideContrast,
  ownContrast,
} from './contrast.ts';
import { findMechanismRows } from './mechanisms.ts';
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

type ReadSource = ContrastScope['sources'][number];

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

describe('samples of a range', () => {
  const QUERY = 'kube_pod_status_unschedulable{namespace="shop"}';
  const RANGE = { start: '2026-11-17T09:10:00Z', end: '2026-11-17T09:45:00Z' };
  const TOOL = 'p.prometheus_query_range';
  const FIRST = ALERT - 300_000;
  const list = fieldList('prometheus');
  if (list === undefined) throw new Error('there is no list');
  /** The result of a query, with samples of each minute. */
  const result = (
    id: string,
    {
      args = RANGE,
      query = QUERY,
      values = '111',
      metric = {},
    }: { args?: object; query?: string; values?: string; metric?: object } = {},
  ) => {
    const own = {
      id,
      tool: TOOL,
      arguments: JSON.stringify({ query, ...args }),
      fields: 'prometheus',
    };
    const labels = { namespace: 'shop', pod: NAMES[0], ...metric };
    const samples = [...values].map((value, index) => [FIRST / 1_000 + index * 60, value]);
    const text = JSON.stringify({ resultType: 'matrix', result: [{ metric: labels, values: samples }] });
    return { ...own, records: readRecords({ ...own, text, isCut: false }, list).records };
  };
  const scope = (...sources: ReadSource[]): ContrastScope => ({
    sources,
    answers: [],
    alertAt: ALERT,
    now: ALERT + 300_000,
  });
  const SCHEDULING = { ...SUSPECT, mechanism: 'scheduling' } as const;
  const supports = (given: ContrastScope) =>
    findMatchingStates(SCHEDULING, given).map((one) => ({ ...one, id: 'e1' }));
  const asked = (given: ContrastScope) =>
    contrastCalls(supports(given), given).map(({ tool, by, arguments: args }) => ({
      tool,
      by,
      ...(JSON.parse(args) as object),
    }));

  it.each<[string, object, [string, string]]>([
    ['in seconds', RANGE, ['2026-11-17T08:35:00Z', '2026-11-17T09:10:00Z']],
    [
      'with fractions of a second',
      { start: '2026-11-17T09:10:00.500Z', end: '2026-11-17T09:45:00.5Z' },
      ['2026-11-17T08:35:00.500Z', '2026-11-17T09:10:00.500Z'],
    ],
    [
      'since 1970',
      { start: Date.parse(RANGE.start) / 1000, end: String(Date.parse(RANGE.end) / 1000) },
      ['2026-11-17T08:35:00Z', '2026-11-17T09:10:00Z'],
    ],
    [
      'that starts after the state, as the state can be older than its answer',
      { start: '2026-11-17T09:37:00Z', end: '2026-11-17T09:45:00Z' },
      ['2026-11-17T09:27:00Z', '2026-11-17T09:35:00Z'],
    ],
  ])('a call for an earlier range writes ISO times, of a range %s', (_, args, [start, end]) => {
    expect(asked(scope(result('a.r1', { args })))).toEqual([
      { tool: TOOL, by: 'earlier', query: QUERY, start, end },
    ]);
  });

  it.each<[string, object]>([
    ['without an end', { start: RANGE.start, end: undefined }],
    ['without a start', { start: undefined, end: RANGE.end }],
    ['of relative times', { start: 'now-1h', end: 'now' }],
    ['of an empty range', { start: RANGE.end, end: RANGE.end }],
    ['that ends before it starts', { start: RANGE.end, end: RANGE.start }],
    ['of times that are no text', { start: true, end: null }],
  ])('a call %s has no earlier one', (_, args) => {
    expect(asked(scope(result('a.r1', { args })))).toEqual([]);
  });

  it.each<[string, Partial<ReadSource>]>([
    ['with an unknown field list', { fields: 'others' }],
    ['of a tool that the list does not have', { tool: 'p.other' }],
    ['whose arguments are no object', { arguments: '[]' }],
    ['that is not among the results', { id: 'a.r9' }],
  ])('a result %s has none', (_, changes) => {
    expect(asked(scope({ ...result('a.r1'), ...changes }))).toEqual([]);
  });

  it('a result without a field list has none', () => {
    const { fields: _, ...own } = result('a.r1');
    expect(asked(scope(own))).toEqual([]);
  });

  it('calls for earlier times stand before those for siblings, and at most 6 are made', () => {
    const namePod = (index: number) => `web-7d9c6bf8d4-abcd${index}`;
    const texts = Array.from({ length: 6 }, (_, index) => pod(namePod(index), { killed: minutes(300) }));
    const pods = scopeOf(...texts).sources;
    const both = scope(...pods, result('a.x1'));
    const killed = findMatchingStates({ component: 'k8s:eu/shop/Deployment/web' }, both);
    const all = [...killed, ...supports(both)].map((one, index) => ({ ...one, id: `e${index}` }));
    const calls = contrastCalls(all, both);
    expect(calls.map(({ by }) => by)).toEqual(['earlier', 'sibling', 'sibling']);
    const many = Array.from({ length: 7 }, (_, minute) =>
      result(`a.y${minute}`, { args: { ...RANGE, start: `2026-11-17T09:0${minute}:00Z` } }),
    );
    expect(asked(scope(...many))).toHaveLength(6);
  });

  const call: ContrastCall = { tool: TOOL, arguments: '{}', supports: ['e1'], by: 'earlier' };
  const answer = (
    changes: Parameters<typeof result>[1],
    own: Partial<ContrastCall> = {},
  ): ContrastAnswer => ({
    call: { ...call, ...own },
    records: result('c', changes).records,
  });
  const FALSE = answer({ values: '000' });
  const TRUE = answer({ values: '010' });
  it.each<[string, ContrastAnswer[], object]>([
    ['it was false', [FALSE], { state: 'shown', by: 'earlier' }],
    ['it was true', [TRUE], { state: 'usual', by: 'earlier' }],
    ['it was false in one and true in another', [FALSE, TRUE], { state: 'usual', by: 'earlier' }],
    ['it was true in one and false in another', [TRUE, FALSE], { state: 'usual', by: 'earlier' }],
    [
      'a series of another pod',
      [answer({ values: '000', metric: { pod: NAMES[1] } })],
      { state: 'open', why: 'no_answer' },
    ],
    [
      'a series of another namespace',
      [answer({ values: '000', metric: { namespace: 'test' } })],
      { state: 'open', why: 'no_answer' },
    ],
    [
      'a series of a container',
      [answer({ values: '000', metric: { container: 'app' } })],
      { state: 'open', why: 'no_answer' },
    ],
    [
      'another metric',
      [answer({ values: '000', query: 'kube_pod_status_ready' })],
      { state: 'open', why: 'no_answer' },
    ],
    [
      'a pod of that name, which is no series',
      [{ call, records: recordsOf('c', pod(NAMES[0])) }],
      { state: 'open', why: 'no_answer' },
    ],
    [
      'an answer of another tool',
      [answer({ values: '000' }, { tool: 'q.prometheus_query_range' })],
      { state: 'open', why: 'not_asked' },
    ],
  ])('of the call for an earlier range: %s', (_, answers, expected) => {
    const given = scope(result('a.r1'));
    const [state] = supports(given);
    expect(state && decideContrast(state, { ...given, answers })).toEqual(expected);
  });

  const OF_OTHERS = result('a.r2', { values: '000', metric: { pod: NAMES[1] } });
  it.each<[string, ReadSource, object]>([
    ['of a series beside it', OF_OTHERS, { state: 'shown', by: 'sibling', siblings: 1 }],
    [
      'of a series beside it that is so, too',
      result('a.r2', { metric: { pod: NAMES[1] } }),
      { state: 'usual', by: 'sibling', siblings: 0 },
    ],
    [
      'of another tool',
      { ...OF_OTHERS, tool: 'q.prometheus_query_range' },
      { state: 'open', why: 'not_asked' },
    ],
  ])('siblings count %s', (_, other, expected) => {
    const given = scope(result('a.r1'), other);
    const [state] = supports(given);
    expect(state && decideContrast(state, given)).toEqual(expected);
  });
});

it.each<[string, number | undefined, string | undefined, 'moment' | 'series' | undefined]>([
  ['no time', undefined, undefined, undefined],
  ['a time an hour before the alert', -60, undefined, 'moment'],
  ['a time more than an hour before it', -60.01, undefined, undefined],
  ['the time of the check', 5, undefined, 'moment'],
  ['a time after the check', 5.01, undefined, undefined],
  ['three samples without it and two with it', -5, '00011', 'series'],
  ['two samples without it', -5, '0011', undefined],
  ['two samples without it, and none after it', -5, '00110', undefined],
  ['two samples without it behind others with it', -5, '110011', undefined],
  ['one sample with it', -5, '0001', undefined],
  ['samples with it only', -5, '11111', undefined],
  ['samples that end without it', -5, '000110', 'series'],
  ['one sample with it before the others', -5, '010011', 'series'],
  ['a newest run of one sample', -5, '00011001', undefined],
  ['samples of a state that is old', -61, '00011', undefined],
])('%s is contrast by itself: %s, %s, %s', (_, at, samples, expected) => {
  const [row] = findMechanismRows('scheduling');
  if (row === undefined) throw new Error('there is no row');
  const match = {
    fields: [],
    ...(at !== undefined && { at: ALERT + at * 60_000 }),
    ...(samples && { samples: [...samples].map((one) => one === '1') }),
  };
  expect(ownContrast({ row, match }, { alertAt: ALERT, now: ALERT + 300_000 })).toBe(expected);
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
    const { things = 0, symptom } = findBestChange(release, scopeOf(...texts)) ?? {};
    expect([things, symptom !== undefined]).toEqual([expected, expected > 1]);
  });
});
