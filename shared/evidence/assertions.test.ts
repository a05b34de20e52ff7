// Statements that are altered in one kind, over the results of 72 systems: how many the check marks.
// shared/features/claims/README.md has the figures.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { markUnchecked } from './markUnchecked.ts';
import { createStatementCheck, type StatementCheck } from './statement.ts';

type Session = { results: string[]; covered: string[] } & Record<string, string[]>;
const sessionsOf = (file: string): Session[] =>
  parse(readFileSync(new URL(`cases/${file}.yaml`, import.meta.url), 'utf8')) as Session[];
const SETS = [
  'statementPairs',
  'heldOutStatements',
  'unseenStatements',
  'heldBackStatements',
  'measuredStatements',
  'freshStatements',
  'lastStatements',
].map(sessionsOf);

const checkOf = (results: readonly string[], covered: readonly string[] = []) =>
  createStatementCheck(
    results.map((text, index) => ({ id: `r${index}`, text })),
    '',
    true,
    covered,
  );

/** By the results of a session: each text is checked once. */
const CHECKS = new Map<readonly string[], StatementCheck>();

const checkSession = (results: readonly string[], covered: readonly string[]): StatementCheck => {
  const known = CHECKS.get(results);
  if (known !== undefined) return known;
  const check = checkOf(results, covered);
  const checked = new Map<string, ReturnType<StatementCheck>>();
  const checkOnce: StatementCheck = (text) => {
    const values = checked.get(text) ?? check(text);
    checked.set(text, values);
    return values;
  };
  CHECKS.set(results, checkOnce);
  return checkOnce;
};

const fillPair = (pair: string, form: string): string => pair.replace(/\{([^|{}]*)\|([^{}]*)\}/g, form);

/** How many statements of a kind have a mark, of those in one form of the pairs. */
function marked(sessions: readonly Session[], kind: string, form: '$1' | '$2'): number {
  return sessions
    .flatMap(({ results, covered, [kind]: pairs = [] }) => {
      const check = checkSession(results, covered);
      return pairs.map((pair) => check(fillPair(pair, form)));
    })
    .filter((values) => values.some(({ state }) => /absent|unchecked|contradicted|claim/.test(state))).length;
}

const PAIRS = [30, 30, 33, 30, 60];
it.each([
  ['value', [...PAIRS, 10, 0], [29, 30, 33, 29, 57, 9, 0], [0, 2, 0, 1, 1, 0, 0]],
  ['time', [...PAIRS, 9, 0], [30, 29, 33, 29, 57, 9, 0], [0, 0, 0, 0, 1, 0, 0]],
  ['unit', [...PAIRS, 8, 0], [24, 24, 29, 23, 38, 5, 0], [0, 1, 0, 0, 3, 2, 0]],
  ['name', [...PAIRS, 10, 0], [27, 18, 26, 24, 42, 5, 0], [0, 0, 0, 0, 0, 0, 0]],
  ['direction', [...PAIRS, 3, 0], [24, 20, 28, 25, 57, 3, 0], [0, 0, 1, 2, 1, 1, 0]],
  ['state', [...PAIRS, 71, 65], [28, 25, 26, 25, 54, 58, 48], [0, 0, 0, 0, 0, 1, 1]],
  ['cause', [...PAIRS, 9, 0], [26, 29, 27, 27, 51, 9, 0], [0, 0, 1, 1, 1, 0, 0]],
])(
  'of statements altered in a %s, of %j in each set, %j are marked, and of the true ones %j',
  (kind, pairs, altered, original) => {
    expect(SETS.map((sessions) => sessions.flatMap((one) => one[kind] ?? []).length)).toEqual(pairs);
    expect(SETS.map((sessions) => marked(sessions, kind, '$2'))).toEqual(altered);
    expect(SETS.map((sessions) => marked(sessions, kind, '$1'))).toEqual(original);
  },
);

it('of 94 true statements over nine other systems at most 4 are marked', () => {
  const sessions = sessionsOf('trueStatements');
  expect(sessions.flatMap(({ statements = [] }) => statements)).toHaveLength(94);
  expect(marked(sessions, 'statements', '$1')).toBeLessThanOrEqual(4);
});

it('the values and assertions of all statements and their alterations have these states', () => {
  const counts: Record<string, number> = {};
  for (const sessions of SETS)
    for (const { results, covered, ...kinds } of sessions)
      for (const pair of Object.values(kinds).flat())
        for (const form of ['$1', '$2'])
          for (const { kind, state } of checkSession(results, covered)(fillPair(pair, form))) {
            const name = `${kind} ${state}`;
            counts[name] = (counts[name] ?? 0) + 1;
          }
  expect(counts).toEqual({
    'cause claim': 170,
    'direction contradicted': 157,
    'name absent': 81,
    'name alert': 10,
    'name contradicted': 50,
    'name held': 1120,
    'number absent': 266,
    'number derived': 55,
    'number held': 1514,
    'number unchecked': 115,
    'state contradicted': 285,
    'time absent': 164,
    'time held': 265,
  });
});

const PODS = 'NAME    READY   STATUS    RESTARTS\ncart-1  1/1     Running   0\nmail-2  0/1     Pending   812';
const DISKS =
  'Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1   1.8T  1.7T   74G  96% /scratch\n/dev/sdb1    98G   41G   53G  44% /';
const JOBS =
  '[{"job":"cart","class":"m6.large","started":"2026-11-20T22:04:31Z","enabled":false},{"job":"mail","class":"m6.small","started":"2026-11-20T22:39:48Z","enabled":true}]';
const POD =
  'kind: Pod\nmetadata:\n  name: cart-7d9c-x2\nstatus:\n  containerStatuses:\n  - name: cart\n    lastState:\n      terminated:\n        exitCode: 137\n        reason: OOMKilled\n  reason: Unready';
const SERIES = 'time,p99_ms,rps\n10:00,40,81\n10:05,900,83\n10:10,6800,82';
const FLAGS =
  '{"name":"core-1","deletionProtection":true,"state":"closed","merged":false,"__proto__":{"ready":true}}';
const UPS = [
  'job      target     up',
  'node     db-1:9100  1',
  '',
  'replica_id: 7',
  'Replica_IO_Running: Yes',
  'Replica_SQL_Running: No',
  'https://etcd-c:2379 is unhealthy: deadline exceeded',
  '',
  'NAME      PROPERTY  VALUE',
  'tank/old  mounted   no',
  'tank/new  mounted   yes',
  '',
  'name   status                 image',
  'web-1  Up 9 days (unhealthy)  web:2',
].join('\n');
const OTHERWISE = '[the results state otherwise]';

it.each([
  [PODS, 'cart-1 is not running.', `cart-1 is not running ${OTHERWISE}.`],
  [PODS, 'cart-1, the only one, is ready.', ''],
  [PODS, 'cart-1 is not ready.', `cart-1 is not ready ${OTHERWISE}.`],
  [PODS, 'mail-2 is running.', `mail-2 is running ${OTHERWISE}.`],
  [PODS, 'cart-1 is Pending.', `cart-1 is Pending ${OTHERWISE}.`],
  [PODS, 'mail-2 was running before; if cart-1 is stopped, it should be stopped.', ''],
  [PODS, 'cart-1 has 0 pending calls, and its queue is closed.', ''],
  [PODS, 'cart-1 has 812 restarts.', `cart-1 ${OTHERWISE} has 812 restarts.`],
  [PODS, 'Unlike cart-1, mail-2 has 812 restarts.', ''],
  [DISKS, 'Of sdb1, 74 GB are available.', `Of sdb1 ${OTHERWISE}, 74 GB are available.`],
  [DISKS, 'Of sda1 74 GB are available, of sdb1 53 GB.', ''],
  [JOBS, 'The job mail has the class m6.large.', `The job mail ${OTHERWISE} has the class m6.large.`],
  [JOBS, 'The job cart started at 22:04:31.', ''],
  [JOBS, 'The job mail started at 22:04:31.', `The job mail ${OTHERWISE} started at 22:04:31.`],
  [JOBS, 'The job cart is disabled on this host, and mail is enabled.', ''],
  [POD, 'cart-7d9c-x2: last state OOMKilled, exit code 137.', ''],
  [SERIES, 'The p99 climbs to the limit and falls, again and again, from 40 up to 6,800 ms.', ''],
  [
    SERIES,
    'The load rose, and the p99 fell from 40 to 6,800 ms.',
    `The load rose, and the p99 fell ${OTHERWISE} from 40 to 6,800 ms.`,
  ],
  [PODS, '## cart-1 is stopped', ''],
  [
    FLAGS,
    'Deletion protection of core-1 is disabled.',
    `Deletion protection of core-1 is disabled ${OTHERWISE}.`,
  ],
  [
    FLAGS,
    'core-1 is open, and core-1 is merged.',
    `core-1 is open ${OTHERWISE}, and core-1 is merged ${OTHERWISE}.`,
  ],
  [FLAGS, 'core-1 is not ready.', `core-1 is not ready ${OTHERWISE}.`],
  ['Sealed  true\nVersion  1.18', 'Vault is up; sealed is true.', ''],
  [UPS, 'db-1:9100 is down.', `db-1:9100 is down ${OTHERWISE}.`],
  [UPS, 'db-1 is reachable, and db-2 is not.', ''],
  [UPS, 'The IO thread of replica 7 is stopped.', `The IO thread of replica 7 is stopped ${OTHERWISE}.`],
  [UPS, 'The SQL thread of replica 7 is running.', `The SQL thread of replica 7 is running ${OTHERWISE}.`],
  [UPS, 'https://etcd-c:2379 is healthy.', `https://etcd-c:2379 is healthy ${OTHERWISE}.`],
  [UPS, 'tank/old is not mounted, tank/new is mounted.', ''],
  [UPS, 'web-1 is healthy.', `web-1 is healthy ${OTHERWISE}.`],
  [UPS, 'web-1 is out of memory, and is the one that runs.', ''],
  [SERIES, 'p99 fell from 40 ms to 6,800 ms.', `p99 fell ${OTHERWISE} from 40 ms to 6,800 ms.`],
  [SERIES, 'p99 did not fall from 6,800 ms to 900 ms.', ''],
  [SERIES, 'p99 rose to 6800 ms, from 10:00 to 10:10.', ''],
  [
    SERIES,
    'It is caused by the disk, and slow because of a lock.',
    'It is caused by the disk, and slow because of a lock [claim of cause].',
  ],
  [
    SERIES,
    'The log says "caused by: a timeout".\n> due to load\n**What to do**\nStop it because of load.',
    '',
  ],
  [`${'{"a":['.repeat(5000)}`, 'cart-1 is ready.', ''],
])('with %j, %j is marked as %j', (result, analysis, expected) => {
  const values = checkOf(
    [result],
    ['disk-1: disk. Its disk is full'],
  )(analysis).filter(({ state }) => /contradicted|claim/.test(state));
  expect(markUnchecked(analysis, values)).toBe(expected || analysis);
});
