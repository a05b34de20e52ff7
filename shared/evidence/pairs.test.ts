// True and altered statements about recorded results: how many the check flags. Figures:
// shared/features/claims/README.md.

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { markUnchecked } from './markUnchecked.ts';
import type { CheckedSource } from './sourceIndex.ts';
import { createStatementCheck } from './statement.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const root = new URL('../../', import.meta.url).pathname;

interface Pairs {
  results: CheckedSource[];
  alert: string;
  pairs: string[];
}

function sessionOf(name: string): Omit<Pairs, 'pairs'> {
  const files = globSync(`examples/${name}/cluster/**/*.*`, { cwd: root });
  if (files.length > 0) {
    const results = files.map((id) => ({ id, text: read(`../../${id}`) }));
    return { results, alert: read(`../../examples/${name}/alert.json`) };
  }
  const sources = parse(read('cases/sources.yaml')) as Record<string, { text?: string; parts?: string[] }>;
  const { text, parts } = sources[name] ?? {};
  return { results: [{ id: name, text: text ?? (parts ?? []).join('') }], alert: '' };
}

const EXAMPLES = Object.entries(parse(read('cases/pairs.yaml')) as Record<string, string[]>).map(
  ([name, pairs]): Pairs => ({ ...sessionOf(name), pairs }),
);
const pairsOf = (file: string): Pairs[] =>
  (parse(read(file)) as { text: string; pairs: string[] }[]).map(({ text, pairs }) => ({
    results: [{ id: 'r1', text }],
    alert: '',
    pairs,
  }));
const HELD_OUT = pairsOf('cases/heldOutPairs.yaml');
const OTHERS = pairsOf('cases/otherPairs.yaml');
const FRESH = pairsOf('cases/freshPairs.yaml');

/**
 * Number of pairs, how many true and altered statements are flagged, or have an absent value, and the states
 * of the values of both.
 */
function score(sessions: Pairs[]) {
  const counts = { pairs: 0, trueFlagged: 0, trueAbsent: 0, alteredFlagged: 0, alteredAbsent: 0 };
  const ofTrue: Record<string, number> = {};
  const ofAltered: Record<string, number> = {};
  const count = (sum: Record<string, number>, states: string[]) => {
    for (const state of states) sum[state] = (sum[state] ?? 0) + 1;
  };
  for (const { results, alert, pairs } of sessions) {
    const check = createStatementCheck(results, alert);
    const states = (text: string): string[] => check(text).map(({ state }) => state);
    const isFlagged = (text: string): boolean => /absent|unchecked/.test(states(text).join(' '));
    for (const pair of pairs) {
      const original = pair.replace(/\{([^|{}]*)\|[^{}]*\}/g, '$1');
      const altered = pair.replace(/\{[^|{}]*\|([^{}]*)\}/g, '$1');
      counts.pairs++;
      count(ofTrue, states(original));
      count(ofAltered, states(altered));
      if (isFlagged(original)) counts.trueFlagged++;
      if (states(original).includes('absent')) counts.trueAbsent++;
      if (isFlagged(altered)) counts.alteredFlagged++;
      if (states(altered).includes('absent')) counts.alteredAbsent++;
    }
  }
  return { ...counts, ofTrue, ofAltered };
}

it.each([
  [
    'the examples and other systems',
    EXAMPLES,
    200,
    { alert: 1, contradicted: 3, derived: 11, held: 294 },
    { absent: 177, contradicted: 3, derived: 2, held: 109, unchecked: 18 },
  ],
  [
    'results that were held out',
    HELD_OUT,
    39,
    { derived: 1, held: 59 },
    { absent: 38, held: 21, unchecked: 1 },
  ],
  [
    'results in the forms of 40 other systems',
    OTHERS,
    200,
    { absent: 1, derived: 4, held: 253 },
    { absent: 190, derived: 1, held: 67, unchecked: 7 },
  ],
  [
    'results of 47 further systems, in other words',
    FRESH,
    220,
    { absent: 2, derived: 9, held: 275, unchecked: 4 },
    { absent: 199, derived: 3, held: 83, unchecked: 7 },
  ],
])(
  'at least 93 of 100 altered statements about %s are flagged, and at most 5 of 100 true ones',
  (_, sessions, least, states, altered) => {
    const { ofTrue, ofAltered, ...counts } = score(sessions);
    const { pairs, trueFlagged, trueAbsent, alteredFlagged, alteredAbsent } = counts;
    expect([ofTrue, ofAltered]).toEqual([states, altered]);
    expect(pairs).toBeGreaterThanOrEqual(least);
    expect(alteredFlagged / pairs).toBeGreaterThanOrEqual(0.93);
    expect(trueFlagged / pairs).toBeLessThanOrEqual(0.05);
    expect(alteredAbsent / pairs).toBeGreaterThanOrEqual(0.85);
    expect(trueAbsent / pairs).toBeLessThanOrEqual(0.01);
  },
);

/** Of 90 numbers with two digits it has 30. */
const MANY = Array.from({ length: 30 }, (_, index) => `restarts ${index + 20}`).join('\n');
const LONG = Array.from({ length: 40 }, (_, index) => `"k${index}":"v"`).join();
const UP =
  '{"resultType":"vector","result":[{"metric":{"__name__":"up","job":"checkout"},"value":[1794904800,"1"]}]}';

it('names of called tools and of agents are known, other names are not', () => {
  const source = { id: 'r1', text: 'limit 256Mi', tool: 'kubernetes.pods_get' };
  const check = createStatementCheck([source], '', true, [], ['log-reader']);
  expect(
    check('pods_get and kubernetes.pods_get show more to log-reader than pods_log to pod-reader.').map(
      ({ state }) => state,
    ),
  ).toEqual(['alert', 'alert', 'alert', 'absent', 'absent']);
});

it('numbers of lists, headings and proposals are not checked', () => {
  const check = createStatementCheck([{ id: 'r1', text: 'limit 256Mi' }], '');
  const analysis =
    '# 3 things\n\n1. The limit is 256Mi.\n\n**What to do now**\n- Raise it to 512Mi in 4711 steps.\n\n**Evidence**\n- The limit of 999Mi.';
  expect(check(analysis).map(({ text, state }) => `${text} ${state}`)).toEqual([
    '256Mi held',
    '999Mi absent',
  ]);
});

it.each([
  ['Memory rose from 95 MiB to 246 MiB, by 151 MiB.', 'derived'],
  ['Memory rose from 95 MiB to 246 MiB, by 152 MiB.', 'absent'],
  ['Of 5000 entries 1250 are used: 25 %.', 'derived'],
  ['Memory rose from 95 MiB to 246 MiB, a factor 2.59.', 'absent'],
  ['246 MiB / 95 MiB = 2.59 times the memory.', 'derived'],
  ['Together, 95 MiB and 246 MiB are 341 MiB.', 'derived'],
  ['Together, 95 MiB and 246 MiB are 431 MiB.', 'absent'],
  ['Memory rose from 95 MiB to 246 MiB: 159 % more.', 'derived'],
  ['Memory rose from 95 MiB to 246 MiB: 195 % more.', 'absent'],
  ['It has 999 MiB and 246 MiB, which is 1245 MiB.', 'absent'],
  ['Memory was 95 MiB and 246 MiB.\n\nTogether it was 341 MiB.', 'absent'],
  ['5000 entries × 2.5 KiB = 12500 KiB.', 'derived'],
  ['5000 entries of 2.5 KiB, 12500 KiB in all.', 'absent'],
  ['Of 5000 entries of 2.5 KiB, 5000 / 2.5 KiB = 2.0 in KiB.', 'absent'],
  ['Entries: 5000 − 1250 used = 3750.', 'derived'],
  ['Entries: 5000 + 1250 used = about 6250.', 'derived'],
  ['Entries: 5000 × 1250 used = 6250000.', 'derived'],
  ['Of 5000 and 1250 entries, 6250000 are new.', 'absent'],
  ['Of 5000 and 1250 entries, 3750 more than before.', 'derived'],
  ['Of 5000 and 1250 entries, 3750 fewer than before.', 'derived'],
  ['The used entries fell from 5000 to 1250, by 3750.', 'derived'],
  ['The used entries fell from 5000 to 1250, near 3750.', 'absent'],
  ['Of 1250 and 5000 entries, 4 times as many.', 'derived'],
  ['Of 1250 and 5000 entries, 4 x the used ones.', 'derived'],
  ['Of 1250 and 5000 entries, 6 times as many.', 'absent'],
  ['Of 5000 entries 1250 are used: 26 %.', 'absent'],
  ['The memory is 95 MiB, that is 99614720 bytes.', 'held'],
  ['The memory is 95 MiB, that is 99614721 bytes.', 'absent'],
  ['The memory is 95 MiB, that is 99614720 s.', 'absent'],
  [
    'Memory was 246 MiB.\n\nIt is 95 MiB, 151 MiB less than before.\n\nThen 246 MiB.\n\n246 MiB − 95 MiB = 151 MiB.',
    'derived',
  ],
])('"%s" ends with a number that is %s', (analysis, state) => {
  const text = 'memory 95MiB\nmemory 246MiB\nentries 5000 used 1250\nentry size 2.5KiB';
  expect(createStatementCheck([{ id: 'r1', text }], '')(analysis).at(-1)?.state).toBe(state);
});

it.each([
  ['rss 95 MiB', 'held'],
  ['rss 95 KiB', 'unchecked'],
])('with %j, the first number of a range that has one unit is %s', (text, state) => {
  const check = createStatementCheck([{ id: 'r1', text }], '');
  expect(check('The rss grew from 95 to 246 MiB.')[0]?.state).toBe(state);
});

it.each<[string, string, boolean]>([
  ['without results', '', true],
  ['where a result could not be read', 'limit 256Mi', false],
])('a value that is not found %s could not be checked', (_, text, areComplete) => {
  const sources = text === '' ? [] : [{ id: 'r1', text }];
  expect(createStatementCheck(sources, '', areComplete)('It took 4,711 s.')[0]?.state).toBe('unchecked');
});

it('an option and a command in an analysis are no statements', () => {
  const check = createStatementCheck([], '');
  expect(check('Run `docker image prune --filter until=336h`, or undo --to-revision of it.')).toEqual([]);
});

it('a value of the alert is from the alert', () => {
  const check = createStatementCheck([], 'disk at 93%');
  expect(check('The disk is at 93 %.')).toMatchObject([{ text: '93 %', state: 'alert' }]);
});

it.each([
  ['2m (x4711 over 9h) Warning BackOff memhog', '{}', 'The back-off of memhog was seen 4,711 times.', 'held'],
  [
    '2m (x4711 over 9h) Warning BackOff memhog',
    '{}',
    'The back-off of memhog was seen 4,171 times.',
    'absent',
  ],
  ['{"values": [[1, "0.08"]]}', '{"query": "rate(errors[5m])"}', 'The error rate is 0.08.', 'held'],
  ['{"values": [[1, "0.08"]]}', '{"query": "rate(errors[5m])"}', 'The error rate is 0.09.', 'absent'],
  ['{"userCount":4120}', '{}', '4,120 users are affected.', 'held'],
  ['{"latencyMs":15012}', '{}', 'It took 15.0 s.', 'held'],
  ['{"latencyMs":15012}', '{}', 'It took 12.0 s.', 'absent'],
  ['free (MiB)\nMem: 402', '{}', 'Free are 402 MiB.', 'held'],
  ['min/avg = 0.811/88.240 ms', '{}', 'It took 88.24 ms.', 'held'],
  ['"Maximum":41.8,"Unit":"Percent"', '{}', 'It was 41.8 %.', 'held'],
  ['"Maximum":41.8,"Unit":"Bytes"', '{}', 'It was 41.8 %.', 'unchecked'],
  ['last state OOMKilled', '{}', 'It was OOM-killed.', 'held'],
  ['rows removed: 41982377', '{}', 'There were 42 million rows.', 'held'],
  ['rows removed: 41982377', '{}', 'There were 43 million rows.', 'absent'],
  ['rollbacks 40219', '{}', 'There were about 40,000 rollbacks.', 'held'],
  ['rollbacks 40219', '{}', 'There were 40,000 rollbacks.', 'unchecked'],
  ['rollbacks 48219', '{}', 'There were about 40,000 rollbacks.', 'absent'],
  ['host,used_gb,await_ms\ndb,1771.04,41.7', '{}', 'It uses 1,771 GB.', 'held'],
  ['host,used_gb,await_ms\ndb,1771.04,41.7', '{}', 'It uses 41.7 GB.', 'unchecked'],
  ['{"retentionPeriod":7}', '{}', 'The retention is 7 days.', 'held'],
  ['{"retentionPeriod":8}', '{}', 'The retention is 7 days.', 'absent'],
  [MANY, '{}', 'There are 41 pods.', 'unchecked'],
  [MANY, '{}', 'There are 41 restarts.', 'held'],
  [`${MANY}\n{"evictions":41,${LONG}}`, '{}', 'There are 41 evictions.', 'held'],
  [`${MANY}\n{${LONG},"used":41}\nevictions 7`, '{}', 'There are 41 evictions.', 'unchecked'],
  ['{"sort":"a","timeout":30000}', '{}', 'The timeout is 30 s.', 'held'],
  [`maxmemory:4294967296\n${MANY}`, '{}', 'The limit is 4 GiB.', 'held'],
  [`maxmemory:4294967296\n${MANY}`, '{}', 'The limit is 4 MiB.', 'absent'],
  ['yellow open app-2026.11.22', '{}', 'The index is that of 22 November.', 'held'],
  ['yellow open app-2026.11.22', '{}', 'The index is that of 21 November.', 'absent'],
  ['{"unit":"s","length":6,"list":[0.2,4.1]}', '{}', 'It took 6 s.', 'unchecked'],
  [
    'starts 2026-11-14T10:15:00Z\nfails 2026-11-14T10:22:37Z',
    '{}',
    'It failed seven minutes after the start.',
    'derived',
  ],
  [
    'starts 2026-11-14T10:15:00Z\nfails 2026-11-14T10:22:37Z',
    '{}',
    'It failed nine minutes after the start.',
    'absent',
  ],
  ['crashFreeSessions 91.37', '{}', 'Crash-free sessions are at 91.37.', 'held'],
  ['{"port":7}', '{}', 'The retention is 7 days.', 'unchecked'],
  ['2026-11-17T08:30:00Z\n2026-11-17T08:35:00Z', '{}', 'It fell five minutes later.', 'derived'],
  ['2026-11-17T08:30:00Z\n2026-11-17T08:35:00Z', '{}', 'It fell eight minutes later.', 'absent'],
  ['{"unit":[{"name":"millisecond"}],"values":[8917.2]}', '{}', 'It took 8.9 s.', 'held'],
  ['{"unit":[{"name":"byte"}],"values":[8917.2]}', '{}', 'It took 8.9 s.', 'unchecked'],
  ['requests timed out after 30004 ms', '{}', 'There were 30 requests.', 'unchecked'],
  ['node aks-31-vmss000004', '{}', 'It was vmss000004.', 'held'],
  ['node aks-31-vmss000004', '{}', 'It was vmss000007.', 'absent'],
  ['last state Error', '{}', 'It was OOM-killed.', 'absent'],
  ['{"duration":5002118}', '{}', 'SELECT took 5002118 µs.', 'held'],
  ['{"duration":5002118}', '{}', 'SELECT took 5002119 µs.', 'absent'],
  ['Device    rMB/s   wMB/s\nnvme0n1   0.19   512.77', '{}', 'It writes 513 MB/s.', 'held'],
  ['Device    rMB/s   wMB/s\nnvme0n1   0.19   512.77', '{}', 'It writes 513 KB/s.', 'unchecked'],
  ['[212.4,8917.25]', '{}', 'It rose from 212.4 to 8917.25, 42 times as much.', 'derived'],
  ['[212.4,8917.25]', '{}', 'It rose from 212.4 to 8917.25, 24 times as much.', 'absent'],
  ['[212.4,8917.25]', '{}', 'It rose from 212.4 to 8917.25 in 42 pods.', 'absent'],
  ['title\nother\nother\nother\nv7.3.0 0.08', '{}', 'v7.3.0 has 0.08.', 'held'],
  [UP, '{"query":"up"}', 'The target answers: up is 1.', 'held'],
  [UP, '{"query":"up"}', 'The target answers: up is 0.', 'absent'],
  [UP, '{"query":"up"}', 'There is 1.', 'unchecked'],
  ['Back-off restarting (x23 over 20m)', '{}', 'The back-off was seen x23.', 'held'],
  [
    'connections 180 max_connections 100',
    '{}',
    'It wants 180 connections, 80 more than max_connections of 100.',
    'held',
  ],
])('of %j for %s, the value in %j is %s', (text, args, analysis, state) => {
  const check = createStatementCheck([{ id: 'r1', text, arguments: args }], '');
  expect(check(analysis).at(-1)?.state).toBe(state);
});

it('a mark stands behind each value that is not found, at its own place in the analysis', () => {
  const analysis = [
    '## 7 pods',
    'The limit is 256Mi … 512Mi, “not” 7.',
    '1. Run `kubectl get pod --limit 7`: 7 restarts.',
    '**What to do**',
    'Add 7 more.',
  ].join('\n');
  const values = createStatementCheck([{ id: 'r1', text: 'memory 256Mi, port 7' }], '')(analysis);
  expect(markUnchecked(analysis, values).split('\n')).toEqual([
    '## 7 pods',
    'The limit is 256Mi … 512Mi [in no result], “not” 7 [could not be checked].',
    '1. Run `kubectl get pod --limit 7`: 7 [could not be checked] restarts.',
    '**What to do**',
    'Add 7 more.',
  ]);
});
