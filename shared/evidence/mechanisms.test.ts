import { expect, it } from 'vitest';
import { MECHANISMS } from '../text/mechanisms.ts';
import {
  describeRecordState,
  findMechanismRows,
  leadsTo,
  listMechanismWords,
  type MechanismRow,
  matchesRow,
  mechanismOfCause,
  mechanismRows,
  type RowMatch,
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
  [
    'a certificate of a target that is valid',
    series('probe_ssl_earliest_cert_expiry', minutes(NOW / 1_000 + 1)),
    [],
  ],
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

/** A row of a test. */
const row = (changes: Partial<MechanismRow>): MechanismRow => ({
  id: 'row',
  mechanism: 'memory',
  kind: 'Pod',
  time: [],
  within: 60,
  words: [],
  causes: [],
  source: 'https://example.com',
  ...changes,
});
const IN_AN_HOUR = '2026-01-01T11:00:00Z';

it.each<[MechanismRow['where'], Record<string, StateField['value']>, boolean, Partial<StateRecord>?]>([
  [undefined, { a: 1 }, false],
  [{ a: 'x' }, { a: 'x' }, true],
  [{ a: true }, { a: 'true' }, true],
  [{ a: ['x', 'y'] }, { a: 'y' }, true],
  [{ a: ['x', 'y'] }, { a: 'z' }, false],
  [{ a: 'x', b: 'y' }, { a: 'x', b: 'z' }, false],
  [{ a: { atLeast: 2 } }, { a: '2' }, true],
  [{ a: { atLeast: 2 } }, { a: '1999m' }, false],
  [{ a: { above: 2 } }, { a: '2' }, false],
  [{ a: { above: 2 } }, { a: '2001m' }, true],
  [{ a: { below: 2 } }, { a: '2' }, false],
  [{ a: { below: 2 } }, { a: 1.5 }, true],
  [{ a: { above: 1024 } }, { a: '1Ki' }, false],
  [{ a: { above: 1023 } }, { a: '1Ki' }, true],
  [{ a: { above: 1 } }, { a: '5Xi' }, false],
  [{ a: { below: 1 } }, { a: 'none' }, false],
  [{ a: { above: 'b' } }, { a: '3', b: '2' }, true],
  [{ a: { above: 'b' } }, { a: '3' }, false],
  [{ a: { below: 'b' } }, { a: '3', b: '<none>' }, false],
  [{ a: { present: true } }, { a: 'x' }, true],
  [{ a: { present: true } }, {}, false],
  [{ a: { present: false } }, {}, true, { isObject: true }],
  [{ a: { present: false } }, { a: 'x' }, false, { isObject: true }],
  // A table does not show every field.
  [{ a: { present: false } }, {}, false],
  [{ a: { passed: true } }, { a: '2026-01-01T10:00:00Z' }, true],
  [{ a: { passed: true } }, { a: IN_AN_HOUR }, false],
  [{ a: { passed: true } }, { a: '2d3h' }, true],
  [{ a: { passed: true } }, { a: 'soon' }, false],
  [{ a: { passed: true } }, { a: 5 }, false],
  [{ a: { rises: 2 } }, { a: 5 }, false],
  [{ 'used.*': { atLeast: 'hard.*' } }, { 'used.a': 5, 'hard.a': 5 }, true],
  [{ 'used.*': { atLeast: 'hard.*' } }, { 'used.': 5, 'hard.': 5 }, false],
  [{ 'used.*': { atLeast: 'hard.*' } }, { 'used.a': 5, 'hard.b': 5 }, false],
  [{ 'is[*].status': 'False' }, { 'is[Ready].status': 'False' }, true],
  [{ 'is[*].status': 'False' }, { 'is[Ready].reason': 'False' }, false],
  [{ 'of.a': 'x' }, { a: 'x' }, false],
  [{ 'of.a': 'x' }, {}, true, { of: record('Pod', { a: 'x' }) }],
  [{ a: 'x' }, { a: 'x' }, false, { kind: 'Node' }],
  [{ a: 'x' }, { a: 'x' }, false, { container: 'app' }],
])('a row where %j matches the fields %j: %s', (where, fields, expected, more) => {
  const match = matchesRow(row({ where }), record('Pod', fields, more), { now: NOW });
  expect(match !== undefined).toBe(expected);
});

it('a match has the fields of its conditions, and the first of its times that is there', () => {
  const fields = { a: 'x', b: 'y', c: 'z', since: '1h1m1s', 'metadata.age': '2h' };
  const where = { b: { present: true }, a: 'x', d: { present: false } };
  const one = record('Pod', fields, { isObject: true });
  const match = matchesRow(row({ where, time: ['ended', 'since'] }), one, { now: NOW });
  expect(match?.fields.map(({ value }) => value)).toEqual(['y', 'x']);
  expect(match?.at).toBe(NOW - 3_661_000);
  expect(matchesRow(row({ where, time: ['since'] }), one)).not.toHaveProperty('at');
  const past = record('Pod', { a: '2026-01-01T09:00:00Z' });
  expect(matchesRow(row({ where: { a: { passed: true } } }), past)).toBeDefined();
});

const OTHER = series('limit', [[NOW, 10] as const, [NOW + 60_000, 8] as const], { pod: 'a' });
const AT_LIMIT = { value: { atLeast: { metric: 'limit', times: 1, labels: {} } } };
it.each<[string, Partial<MechanismRow>, StateRecord, string | undefined, StateRecord[]?]>([
  ['without a condition', { where: {} }, series('m', minutes(0, 1)), '11'],
  ['of another metric', { where: {} }, series('n', minutes(0, 1)), undefined],
  ['of no samples', { where: {} }, series('m', []), undefined],
  ['that is no series', { where: {} }, record('Pod', { value: 1 }), undefined],
  ['that equals', { where: { value: 1 } }, series('m', minutes(0, 1, 2)), '010'],
  ['that is never so', { where: { value: 5 } }, series('m', minutes(0, 1, 2)), undefined],
  ['that doubles', { where: { value: { rises: 2 } } }, series('m', minutes(3, 5, 4, 10, 9)), '00010'],
  ['of zeros', { where: { value: { rises: 1 } } }, series('m', minutes(0, 0, 0, 0)), undefined],
  ['with a label', { where: {}, labels: { code: '5..' } }, series('m', minutes(1), { code: '500' }), '1'],
  [
    'with a longer one',
    { where: {}, labels: { code: '5..' } },
    series('m', minutes(1), { code: '5000' }),
    undefined,
  ],
  ['without the label', { where: {}, labels: { code: '5..' } }, series('m', minutes(1)), undefined],
  ['with one too many', { where: {}, labels: { le: null } }, series('m', minutes(1), { le: '1' }), undefined],
  ['without that one', { where: {}, labels: { le: null } }, series('m', minutes(1)), '1'],
  ['of a counter', { where: {}, counter: true }, series('m', minutes(1)), undefined],
  ['of the rate of a counter', { where: {}, counter: true }, series('m', minutes(1), {}, 'irate'), '1'],
  ['of a sum of a level', { where: {} }, series('m', minutes(1), {}, 'sum'), '1'],
  [
    'at the newest sample of another series',
    { where: AT_LIMIT },
    series('m', minutes(9, 8), { pod: 'a' }),
    '01',
    [OTHER],
  ],
  [
    'before and between the samples of the other',
    { where: AT_LIMIT },
    series('m', [[NOW - 1, 10] as const, [NOW + 1, 9] as const], { pod: 'a' }),
    '10',
    [OTHER],
  ],
  [
    'beside the sum of the other',
    { where: AT_LIMIT },
    series('m', minutes(20), { pod: 'a' }, 'sum'),
    undefined,
    [OTHER],
  ],
  [
    'beside the same function of the other, which has its own name',
    { where: AT_LIMIT },
    series('m', minutes(20), { pod: 'a', __name__: 'm' }, 'sum'),
    '1',
    [series('limit', minutes(10), { pod: 'a', __name__: 'limit' }, 'sum')],
  ],
  ['beside objects', { where: AT_LIMIT }, series('m', minutes(20)), undefined, [record('Pod', {})]],
])('a series %s matches a row', (_, changes, one, expected, others) => {
  const match = matchesRow(row({ metric: 'm', ...changes }), one, { now: NOW, ...(others && { others }) });
  expect(match?.samples?.map(Number).join('')).toBe(expected);
});

it.each<[string, Partial<MechanismRow>, Partial<RowMatch>, StateRecord, string]>([
  [
    'the value of the first field',
    { says: 'listed as {value}' },
    { fields: [{ value: 'Pending', start: 0, end: 1 }] },
    record('Pod', {}),
    'listed as Pending',
  ],
  ['no value', { says: 'not scheduled' }, {}, record('Pod', {}), 'not scheduled'],
  [
    'the newest sample that matches',
    { metric: 'm' },
    { samples: [true, true, false] },
    series('m', minutes(3, 4, 5)),
    'm 4',
  ],
  ['neither', { metric: 'm' }, {}, series('m', minutes(3)), 'm'],
])('a state is described with %s', (_, changes, match, one, expected) => {
  expect(describeRecordState(row(changes), { fields: [], ...match }, one)).toBe(expected);
});

it('has rows for every mechanism, unique ids, and a place for each cause of Cloud-OpsBench', () => {
  expect(MECHANISMS.filter((one) => one !== 'other' && findMechanismRows(one).length === 0)).toEqual([]);
  expect(MECHANISMS.filter((one) => one !== 'other' && listMechanismWords(one).length === 0)).toEqual([]);
  const [ids, causes] = [mechanismRows().map(({ id }) => id), mechanismRows().flatMap((row) => row.causes)];
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(causes).size).toBe(49);
  expect(causes).toHaveLength(49);
  expect(mechanismOfCause('oom_killed')).toBe('memory');
  expect(mechanismOfCause('bad_luck')).toBeUndefined();
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
