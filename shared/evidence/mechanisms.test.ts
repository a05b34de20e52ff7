import { expect, it } from 'vitest';
import { MECHANISMS } from '../text/mechanisms.ts';
import {
  findMechanismRows,
  leadsTo,
  listMechanismWords,
  matchesRow,
  mechanismOfCause,
  mechanismRows,
} from './mechanisms.ts';
import type { Sample, StateField, StateRecord } from './records/record.ts';

const NOW = Date.parse('2026-01-01T10:00:00Z');

function record(
  kind: string,
  values: Record<string, StateField['value']>,
  more: Partial<StateRecord> = {},
): StateRecord {
  const fields = Object.entries(values).map(([path, value]) => [path, { value, start: 0, end: 1 }] as const);
  const identity = { name: 'x', namespace: 'shop', owners: [] };
  return { result: 'a.r1', kind, apiVersion: 'v1', identity, fields: new Map(fields), ...more };
}

function series(
  metric: string,
  samples: readonly Sample[],
  labels: Record<string, string> = {},
  ...functions: string[]
): StateRecord {
  return record('series', {}, { series: { metric, labels, samples, functions } });
}

/** The ids of the rows that match. */
const matching = (one: StateRecord, others: StateRecord[] = []) =>
  mechanismRows()
    .filter((row) => matchesRow(row, one, { now: NOW, others }) !== undefined)
    .map(({ id }) => id);

const container = {
  container: 'app',
  of: record('Pod', { 'status.conditions[Ready].lastTransitionTime': '2026-01-01T09:50:00Z' }),
};
const minutes = (...values: number[]) => values.map((value, index): Sample => [NOW + index * 60_000, value]);
const memory = 'container_memory_working_set_bytes';

it.each<[string, StateRecord, string[], StateRecord[]?]>([
  [
    'a killed container',
    record('Pod', { 'lastState.terminated.reason': 'OOMKilled' }, container),
    ['oom-killed'],
  ],
  ['the same words of the pod itself', record('Pod', { 'lastState.terminated.reason': 'OOMKilled' }), []],
  ['another reason', record('Pod', { 'lastState.terminated.reason': 'Error' }, container), []],
  [
    'an image that cannot be pulled',
    record('Pod', { 'state.waiting.reason': 'ErrImagePull' }, container),
    ['image-not-pulled'],
  ],
  [
    'a secret that is missing',
    record('Pod', { 'state.waiting.reason': 'CreateContainerConfigError' }, container),
    ['container-config'],
  ],
  [
    'a crash loop names no mechanism',
    record('Pod', { 'state.waiting.reason': 'CrashLoopBackOff' }, container),
    [],
  ],
  [
    'a pod without a node',
    record('Pod', { 'status.conditions[PodScheduled].status': 'False' }),
    ['unschedulable'],
  ],
  [
    'a pod in a list',
    record('Pod', { 'status.phase': 'Pending', 'status.ready': '0/1' }),
    ['unscheduled-in-list'],
  ],
  ['the phase of an object alone', record('Pod', { 'status.phase': 'Pending' }), []],
  [
    'a reason in a list',
    record('Pod', { 'status.reason': 'CreateContainerConfigError', 'status.ready': '0/1' }),
    ['container-config-in-list'],
  ],
  ['a node', record('Node', { 'status.conditions[Ready].status': 'Unknown' }), ['node-not-ready']],
  [
    'a quota that is used up',
    record('ResourceQuota', { 'status.used.pods': '10', 'status.hard.pods': 10 }),
    ['quota-used-up'],
  ],
  [
    'in other units',
    record('ResourceQuota', { 'status.used.requests.cpu': '2000m', 'status.hard.requests.cpu': '2' }),
    ['quota-used-up'],
  ],
  [
    'a quota with room',
    record('ResourceQuota', {
      'status.used.requests.memory': '1023Mi',
      'status.hard.requests.memory': '1Gi',
    }),
    [],
  ],
  [
    'the limit of another resource',
    record('ResourceQuota', { 'status.used.pods': '10', 'status.hard.services': '5' }),
    [],
  ],
  [
    'an expired certificate',
    record('Certificate', {
      'status.conditions[Ready].status': 'False',
      'status.notAfter': '2026-01-01T09:30:00Z',
    }),
    ['certificate-expired'],
  ],
  [
    'a certificate that is valid',
    record('Certificate', {
      'status.conditions[Ready].status': 'False',
      'status.notAfter': '2026-02-01T00:00:00Z',
    }),
    [],
  ],
  [
    'a used series at the hard limit of its own quota',
    series('kube_resourcequota', minutes(30, 40), { type: 'used', resourcequota: 'jobs' }),
    ['quota-series'],
    [series('kube_resourcequota', minutes(40, 40), { type: 'hard', resourcequota: 'jobs' })],
  ],
  [
    'failed requests are a symptom, and no load',
    series('http_requests_total', minutes(0, 0, 0, 9), { code: '500' }, 'rate'),
    ['errors-rise'],
  ],
  ['a claim', record('PersistentVolumeClaim', { 'status.phase': 'Pending' }), ['claim-unbound']],
  [
    'a rollout is a change',
    record('ReplicaSet', { 'metadata.creationTimestamp': '2026-01-01T09:50:00Z' }),
    ['rollout'],
  ],
  ['a target', series('up', minutes(1, 1, 1, 0, 0)), ['target-down']],
  ['a rise', series(memory, minutes(5, 4, 5, 11, 12)), ['working-set-rises']],
  ['no rise', series(memory, minutes(5, 4, 5, 9, 8)), []],
  [
    'two series of one container',
    series(memory, minutes(5, 5, 5, 9), { pod: 'a' }),
    ['working-set-at-limit'],
    [series('container_spec_memory_limit_bytes', minutes(10), { pod: 'a' })],
  ],
  [
    'the limit of another pod',
    series(memory, minutes(5, 5, 5, 9), { pod: 'a' }),
    [],
    [series('container_spec_memory_limit_bytes', minutes(10), { pod: 'b' })],
  ],
  [
    'a time in a sample',
    series('probe_ssl_earliest_cert_expiry', minutes(NOW / 1_000 - 1)),
    ['certificate-probe'],
  ],
  [
    'the label of a series',
    series('coredns_dns_responses_total', minutes(0, 0, 0, 40), { rcode: 'SERVFAIL' }, 'rate'),
    ['dns-servfail'],
  ],
  [
    'a counter without its rate',
    series('coredns_dns_responses_total', minutes(0, 0, 0, 40), { rcode: 'SERVFAIL' }),
    [],
  ],
  ['the rate of a level', series('up', minutes(1, 1, 1, 0, 0), {}, 'rate'), []],
  [
    'another label',
    series('coredns_dns_responses_total', minutes(0, 0, 0, 40), { rcode: 'NOERROR' }, 'rate'),
    [],
  ],
])('matches %s', (_, one, ids, others) => {
  expect(matching(one, others)).toEqual(ids);
});

it.each<[string, string, StateRecord, string | undefined]>([
  [
    'of the transition',
    'oom-killed',
    record(
      'Pod',
      {
        'lastState.terminated.reason': 'OOMKilled',
        'lastState.terminated.finishedAt': 'Thu, 01 Jan 2026 17:36:00 +0800',
      },
      container,
    ),
    '2026-01-01T09:36:00.000Z',
  ],
  [
    'of the pod of a container',
    'image-not-pulled',
    record('Pod', { 'state.waiting.reason': 'ErrImagePull' }, container),
    '2026-01-01T09:50:00.000Z',
  ],
  [
    'of an object that is no older, as an age',
    'unschedulable',
    record('Pod', {
      'status.conditions[PodScheduled].status': 'False',
      'metadata.age': '1m30s',
    }),
    '2026-01-01T09:58:30.000Z',
  ],
  [
    'that nothing states',
    'unschedulable',
    record('Pod', { 'status.conditions[PodScheduled].status': 'False' }),
    undefined,
  ],
  [
    'of the first sample of the newest run',
    'target-down',
    series('up', minutes(0, 1, 0, 0)),
    '2026-01-01T10:02:00.000Z',
  ],
])('has the time %s', (_, id, one, time) => {
  const row = mechanismRows().find((each) => each.id === id);
  const at = row && matchesRow(row, one, { now: NOW })?.at;
  expect(at && new Date(at).toISOString()).toBe(time);
});

it('has rows for every mechanism, unique ids, and a place for each cause of Cloud-OpsBench', () => {
  expect(MECHANISMS.filter((one) => one !== 'other' && findMechanismRows(one).length === 0)).toEqual([]);
  expect(MECHANISMS.filter((one) => one !== 'other' && listMechanismWords(one).length === 0)).toEqual([]);
  const [ids, causes] = [mechanismRows().map(({ id }) => id), mechanismRows().flatMap((row) => row.causes)];
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(causes).size).toBe(49);
  expect(causes).toHaveLength(49);
  expect(mechanismOfCause('oom_killed')).toBe('memory');
  // A symptom speaks of no mechanism.
  expect(findMechanismRows('other')).toEqual([]);
  expect(
    findMechanismRows('release')
      .filter(({ where, change }) => where && !change)
      .map(({ id }) => id),
  ).toEqual(['rollout-stuck']);
});

it('knows documented effects only, in one direction', () => {
  expect(leadsTo('release', 'memory')).toBe(true);
  expect(leadsTo('memory', 'release')).toBe(false);
});
