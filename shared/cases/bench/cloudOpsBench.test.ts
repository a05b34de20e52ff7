import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../../../test/support/callCommand.ts';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { mechanismRows } from '../../evidence/mechanisms.ts';
import { answerLine, readAnswer } from './cloudOpsAnswer.ts';
import { sumBenchFigures } from './cloudOpsBench.ts';
import { applyRules, cloudOpsRules } from './rules.ts';

const NAMESPACE = 'shop';
const key = (tool: string, given: object) => `${tool}:${JSON.stringify(given)}`;
const list = (type: string, lines: string) =>
  [key('GetResources', { resource_type: type, name: '', namespace: NAMESPACE }), lines] as const;
const NODES = 'NAME   STATUS   ROLES   AGE   VERSION\nw1     Ready    node    9d    v1.31.2\n';

/** Files in the form of the benchmark, made for this test. */
const CASES: Record<
  string,
  { cause: string; object: string; cache: readonly (readonly [string, unknown])[] }
> = {
  'boutique/scheduling/1': {
    cause: 'cpu_capacity_mismatch',
    object: 'app/cart',
    cache: [
      list(
        'pods',
        'NAME                    READY   STATUS    RESTARTS   AGE\ncart-5c476cd7dc-9wbbp   0/1     Pending   0          70s\n',
      ),
      [
        key('DescribeResource', {
          resource_type: 'pods',
          name: 'cart-5c476cd7dc-9wbbp',
          namespace: NAMESPACE,
        }),
        'Name:             cart-5c476cd7dc-9wbbp\nNamespace:        shop\nStatus:           Pending\nControlled By:  ReplicaSet/cart-5c476cd7dc\nConditions:\n  Type           Status\n  PodScheduled   False \nEvents:\n  Warning  FailedScheduling  72s   default-scheduler  0/1 nodes are available: 1 Insufficient cpu.\n',
      ],
    ],
  },
  'boutique/infrastructure/3': {
    cause: 'kubelet_unavailable',
    object: 'node/w1',
    cache: [
      [
        key('CheckNodeServiceStatus', { node_name: 'w1', service_name: 'kubelet' }),
        'Active: inactive (dead)',
      ],
      ['GetAlerts:{}', { status: 'none' }],
    ],
  },
  'boutique/startup/2': { cause: 'missing_secret_binding', object: 'app/cart', cache: [] },
  'trainticket/startup/1': { cause: 'unheard_of', object: 'app/cart', cache: [] },
};

function writeData(): string {
  const root = temporaryFolder();
  for (const [name, { cause, object, cache }] of Object.entries(CASES)) {
    const folder = join(root, 'benchmark', name);
    mkdirSync(folder, { recursive: true });
    const { taxonomies } = cloudOpsRules();
    const taxonomy = Object.keys(taxonomies).find((one) => taxonomies[one]?.includes(cause));
    const result = { fault_taxonomy: taxonomy, fault_object: object, root_cause: cause };
    writeFileSync(
      join(folder, 'metadata.json'),
      JSON.stringify({ namespace: NAMESPACE, query: 'It fails.', result }),
    );
    const all = [list('nodes', NODES), ...cache];
    const calls = { collection_timestamp: '2026-01-05T10:00:00', ...Object.fromEntries(all) };
    writeFileSync(join(folder, 'tool_cache.json'), JSON.stringify(calls));
  }
  return root;
}

it('runs the selected cases through sessions, counts exact answers, and repeats no stored run', async () => {
  const data = writeData();
  const bench = async (...more: string[]) => {
    const args = ['bench', 'cloud-opsbench', '--data', data, '--out', join(data, 'out'), '--json', ...more];
    const { code, stdout } = await callCommand(args);
    expect(code).toBe(0);
    return JSON.parse(stdout[0] ?? '');
  };
  const odd = await bench('--half', 'odd', '--system', 'boutique');
  expect(odd).toMatchObject({ cases: 2, exact: { value: 1 }, first: { value: 1 }, usd: 0 });
  const all = await bench();
  expect(
    all.runs.map(({ name, answer, isExact }: Record<string, unknown>) => [name, answer, isExact]),
  ).toEqual([
    ['boutique/infrastructure/3', 'node/w1 kubelet_unavailable', true],
    ['boutique/scheduling/1', 'app/cart cpu_capacity_mismatch', true],
    ['boutique/startup/2', ' ', false],
    ['trainticket/startup/1', '"unheard_of" is none of its 49 causes', false],
  ]);
  // The times of a repeated run would differ.
  expect(all.runs.slice(0, 2)).toEqual(odd.runs);
  const refused = await callCommand(['bench', 'cloud-opsbench', '--data', data, '--system', 'none']);
  expect([refused.code, refused.stderr.join('\n')]).toEqual([2, expect.stringContaining('has no such case')]);
});

it('counts the confirmed of the right answers, and the wrong of the confirmed', () => {
  const run = {
    name: '',
    truth: '',
    answer: '',
    isFirst: false,
    calls: 1,
    unrecorded: 0,
    seconds: 1,
    usd: 1,
  };
  const runs = [
    { ...run, isExact: true, verdict: 'confirmed' },
    { ...run, isExact: true, verdict: 'likely' },
    { ...run, isExact: false, verdict: 'confirmed', usd: null },
  ];
  expect(sumBenchFigures(runs)).toMatchObject({
    cases: 3,
    confirmed: { value: 0.5 },
    wrong: { value: 0.5 },
    verdicts: { confirmed: 2, likely: 1 },
    usd: null,
  });
});

it('has each of the 49 causes in one taxonomy, and rules for causes of the table only', () => {
  const { taxonomies, rules } = cloudOpsRules();
  const causes = Object.values(taxonomies).flat();
  expect(causes.toSorted()).toEqual(
    mechanismRows()
      .flatMap((row) => row.causes)
      .toSorted(),
  );
  expect(rules.map(({ cause }) => cause).filter((cause) => !causes.includes(cause))).toEqual([]);
  const line = answerLine('app/cart', 'oom_killed');
  expect(readAnswer(`${line}\nprose\n**${line.replace('cart', 'other')}**`)).toEqual({
    taxonomy: 'runtime_fault',
    object: 'app/other',
    cause: 'oom_killed',
  });
});

it('joins results by their variables, takes values as plain text, and reads later calls only if no rule holds', () => {
  const rules = (none: string) => ({
    taxonomies: {},
    reads: {
      list: { tool: 'list', arguments: {}, late: false },
      one: { of: 'list', each: '^(?<name>\\S+)$', tool: 'get', arguments: { name: '$name' }, late: false },
      more: { tool: 'more', arguments: {}, late: true },
    },
    rules: [
      {
        cause: 'c',
        object: 'app/$name',
        all: { list: '^(?<name>b.*)$', one: '$name is bad' },
        none: { one: none },
        quote: {},
      },
      { cause: 'd', object: 'x', all: { more: '(?<score>\\d)' }, none: {}, quote: { more: '$score' } },
    ],
  });
  const texts: Record<string, string> = {
    list: 'a\nb.\nbc',
    'get a': 'bad',
    'get b.': 'bx is bad',
    'get bc': 'bc is bad',
    more: '1\n3\n2',
  };
  const apply = (none: string, known: Record<string, string>) =>
    applyRules(rules(none), {}, (tool, { name }) => known[[tool, name].join(' ').trim()]);
  expect(apply('-', {}).calls).toMatchObject([{ tool: 'list' }]);
  expect(apply('-', { list: 'a\nb.' }).calls).toMatchObject([
    { arguments: { name: 'a' } },
    { arguments: { name: 'b.' } },
  ]);
  expect(apply('-', texts).finding).toMatchObject({ cause: 'c', object: 'app/bc' });
  expect(apply('bad', { ...texts, more: '' }).finding).toBeUndefined();
  expect(apply('bad', texts).finding).toEqual({ cause: 'd', object: 'x', component: 'x', quotes: ['3'] });
});
