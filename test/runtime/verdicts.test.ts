// The rules and caps of the verdict, each through a session from its alert to its end.

import { describe, expect, it } from 'vitest';
import { calls, type Play, type PlayedTool, playVerdict, states } from '../support/verdictBench.ts';

const MINUTE = 60_000;
const POD = { pod: 'checkout-1' };
const H1 = { id: 'h1', component: 'service:checkout', mechanism: 'memory' };
const H2 = { id: 'h2', component: 'service:checkout', mechanism: 'dependency_slow' };
const STATE = { id: 'e1', hypothesis: 'h1', quote: 'last state OOMKilled' };
const TEXT = { id: 'e2', hypothesis: 'h1', quote: 'the quote cache has 100452 entries' };
const TEST = {
  id: 't1',
  hypothesis: 'h1',
  against: 'h2',
  tool: 'pods.limits',
  arguments: JSON.stringify(POD),
  find: 'limit MiB',
  is: 'below',
  value: '300',
};
const TOOLS: Record<string, PlayedTool> = {
  'pods.status': { answer: 'last state OOMKilled, restarts 4', yields: 'state' },
  'pods.log': { answer: 'the quote cache has 100452 entries\nit evicts nothing' },
  'pods.limits': { answer: 'checkout limit MiB 256', yields: 'state' },
};
const ANALYSIS = { text: 'checkout runs out of memory.' };
const LEDGER = { hypotheses: [H1, H2], evidence: [STATE, TEXT], tests: [TEST] };

/** Status and log are read, the ledger is stated, the test is run, and the ledger is stated again. */
const tested = (changes: Partial<Play> = {}, ledger: object = LEDGER): Play => ({
  tools: TOOLS,
  turns: [
    calls(['pods.status', POD], ['pods.log', POD]),
    states({ ...ledger }),
    calls(['pods.limits', POD]),
    ANALYSIS,
  ],
  ...changes,
});
const verdictOf = async (play: Play) => (await playVerdict(play)).verdict;

it('two independent supports, one of them a state, and a passed test confirm a cause (R6)', async () => {
  expect(await verdictOf(tested())).toMatchObject({ value: 'confirmed', rule: 'R6', caps: [] });
});

const LIMITS = TOOLS['pods.limits'] as PlayedTool;
it.each<[string, Partial<Play>, object?]>([
  ['reads a text', { tools: { ...TOOLS, 'pods.limits': { ...LIMITS, yields: 'text' } } }],
  ['reads the text of an error', { tools: { ...TOOLS, 'pods.limits': { ...LIMITS, isError: true } } }],
  [
    'was answered before it was stated',
    {
      turns: [
        calls(['pods.status', POD], ['pods.log', POD], ['pods.limits', { ...POD, tail: 5 }]),
        states(LEDGER),
        calls(['pods.limits', POD]),
        ANALYSIS,
      ],
      tools: {
        ...TOOLS,
        'pods.limits': { ...LIMITS, answer: ({ tail }) => `limit MiB ${tail ? 900 : 256}` },
      },
    },
  ],
  [
    'expects what a result has shown',
    { tools: { ...TOOLS, 'pods.log': { answer: 'the quote cache has 100452 entries\nlimit MiB 255' } } },
  ],
  ['expects what the alert has shown', { alert: { title: 'Memory of checkout', text: 'limit MiB 256' } }],
  ['tests an effect of the cause', {}, { ...LEDGER, hypotheses: [H1, { ...H2, effectOf: 'h1' }] }],
  ['tests the same cause again', {}, { ...LEDGER, hypotheses: [H1, { ...H1, id: 'h2' }] }],
  [
    'is expected of the rival, too',
    {},
    { ...LEDGER, tests: [TEST, { ...TEST, id: 't2', hypothesis: 'h2', against: 'h1' }] },
  ],
])('a test that %s confirms nothing', async (_, changes, ledger) => {
  expect(await verdictOf(tested(changes, ledger))).toMatchObject({ value: 'likely', rule: 'R7' });
});

describe("the alert's own condition, read again", () => {
  const EXPR = 'rate(errors{service="checkout"}[5m])';
  const alert = {
    title: 'ErrorsHigh',
    status: 'firing',
    startsAt: new Date(Date.now() - 20 * MINUTE).toISOString(),
    generatorURL: `https://prom.example.com/graph?g0.expr=${encodeURIComponent(`${EXPR} > 0.05`)}&g0.tab=1`,
    labels: { service: 'checkout' },
  };
  /** Samples of every minute of the last half hour. */
  const query = (valueAt: (minutesAgo: number) => number): PlayedTool => ({
    yields: 'state',
    answer: (_, now) => {
      const ages = Array.from({ length: 31 }, (_, index) => 30 - index);
      const values = ages.map((age) => [now.getTime() / 1000 - age * 60, String(valueAt(age))]);
      return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [{ values }] } });
    },
  });
  const asked = (valueAt: (minutesAgo: number) => number, changes: Partial<Play> = {}): Play => ({
    alert,
    tools: { ...TOOLS, 'prom.query': query(valueAt) },
    turns: [
      calls(['pods.status', POD], ['prom.query', { query: EXPR }]),
      states({ hypotheses: [H1], evidence: [STATE] }),
      ANALYSIS,
    ],
    ...changes,
  });
  const CLEAR: Partial<Play> = {
    turns: [
      calls(['pods.log', POD], ['prom.query', { query: EXPR }]),
      { text: 'The error rate of checkout is fine.' },
    ],
    claims: { conclusion: 'not_an_incident', cause: [] },
  };

  it('confirms a decisive state while it holds (R5)', async () => {
    expect(await verdictOf(asked(() => 0.2))).toMatchObject({ value: 'confirmed', rule: 'R5', caps: [] });
    expect(await verdictOf(asked(() => 0.01))).toMatchObject({ value: 'likely', rule: 'R7' });
  });

  it('clears an alert that was never true (R2), and marks one that has recovered', async () => {
    expect(await verdictOf(asked(() => 0.01, CLEAR))).toMatchObject({ value: 'not_an_incident', rule: 'R2' });
    expect(await verdictOf(asked((age) => (age > 8 ? 0.2 : 0.01), CLEAR))).toMatchObject({
      value: 'inconclusive',
      rule: 'R3',
      isRecovered: true,
    });
  });

  it.each<[string, Partial<Play>]>([
    [
      'without samples',
      { tools: { ...TOOLS, 'prom.query': { answer: '{"data": {"result": []}}', yields: 'state' } } },
    ],
    [
      'by a tool whose results a workload can write',
      { tools: { ...TOOLS, 'prom.query': { answer: query(() => 0.01).answer } } },
    ],
    ['where the analysis does not conclude it', { claims: { conclusion: 'unknown', cause: [] } }],
    [
      'where a state speaks for a cause',
      {
        turns: [
          calls(['pods.status', POD], ['prom.query', { query: EXPR }]),
          states({ hypotheses: [H1], evidence: [STATE] }),
          { text: 'All is well.' },
        ],
      },
    ],
  ])('clears nothing %s', async (_, changes) => {
    expect(await verdictOf(asked(() => 0.01, { ...CLEAR, ...changes }))).toMatchObject({
      value: 'inconclusive',
      rule: 'R3',
    });
  });
});

it.each<[string, Partial<Play>, object?]>([
  ['forced_conclusion', { options: { agent: { limits: { maxIterations: 3, afterFailure: 'conclude' } } } }],
  [
    'test_without_answer',
    {},
    {
      ...LEDGER,
      tests: [TEST, { ...TEST, id: 't2', tool: 'pods.status', arguments: '{"pod": "checkout-2"}' }],
    },
  ],
  [
    'server_missing',
    {
      tools: { ...TOOLS, 'logs.read': TOOLS['pods.log'] as PlayedTool },
      turns: [
        calls(['pods.status', POD], ['logs.read', POD]),
        states(LEDGER),
        calls(['pods.limits', POD]),
        ANALYSIS,
      ],
      missing: { server: 'logs', from: 3 },
    },
  ],
  [
    'tool_changed',
    { tools: { ...TOOLS, 'pods.status': { ...TOOLS['pods.status'], changesAt: 3 } as PlayedTool } },
  ],
  [
    'masked_quote',
    {
      options: { knownSecrets: ['zebra mountain 77 quartz'] },
      tools: { ...TOOLS, 'pods.log': { answer: 'the quote cache zebra mountain 77 quartz has no limit' } },
    },
    { ...LEDGER, evidence: [STATE, { ...TEXT, quote: `\${result pods.log /the quote cache .*limit/}` }] },
  ],
  ['no_counter_check', { counter: null }],
  [
    'answered_contradiction',
    {
      tools: {
        ...TOOLS,
        'pods.uptime': { answer: 'no restart since Monday' },
        'pods.clock': { answer: 'the clock of the node is wrong' },
      },
      turns: [
        calls(['pods.status', POD], ['pods.log', POD], ['pods.uptime', POD], ['pods.clock', POD]),
        states({
          ...LEDGER,
          evidence: [
            ...LEDGER.evidence,
            { id: 'e3', hypothesis: 'h1', side: 'against', quote: 'no restart since Monday' },
            { id: 'e4', hypothesis: 'h1', quote: 'the clock of the node is wrong', answers: 'e3' },
          ],
        }),
        calls(['pods.limits', POD]),
        ANALYSIS,
      ],
    },
  ],
])('%s caps a tested cause to likely', async (cap, changes, ledger) => {
  const { verdict } = await playVerdict(tested(changes, ledger));
  expect(verdict).toMatchObject({ value: 'likely', rule: 'R6' });
  // Nothing looks for contradictions where the cause cannot be confirmed.
  expect(verdict.caps.filter((one) => one === cap || one !== 'no_counter_check')).toEqual([cap]);
});

it('texts only are likely, with that cap', async () => {
  const tools = {
    ...TOOLS,
    'pods.status': { answer: 'last state OOMKilled' },
    'pods.limits': { answer: 'limit MiB 256' },
  };
  expect(await verdictOf(tested({ tools }))).toMatchObject({
    value: 'likely',
    rule: 'R7',
    caps: ['text_only'],
  });
});

it('a failed exploratory call and a mask elsewhere cap nothing', async () => {
  const tools = {
    ...TOOLS,
    'pods.trace': { answer: undefined },
    'pods.env': { answer: 'PASSWORD=zebra mountain 77 quartz' },
  };
  const turns = [
    calls(['pods.status', POD], ['pods.log', POD], ['pods.trace', POD], ['pods.env', POD]),
    states(LEDGER),
    calls(['pods.limits', POD]),
    ANALYSIS,
  ];
  const options = { knownSecrets: ['zebra mountain 77 quartz'] };
  expect(await verdictOf(tested({ tools, turns, options }))).toMatchObject({ value: 'confirmed', caps: [] });
});

it('calls without an answer block a session; calls that a model made wrongly do not', async () => {
  const turns = [calls(['pods.status', POD], ['pods.stauts', POD]), { text: 'checkout is slow.' }];
  const unknown = await playVerdict(tested({ turns, claims: { conclusion: 'unknown', cause: [] } }));
  expect(unknown.verdict).toMatchObject({ value: 'inconclusive', rule: 'R3' });
  const tools = { ...TOOLS, 'pods.stauts': { answer: undefined } };
  const silent = await playVerdict(tested({ turns, tools, claims: { conclusion: 'unknown', cause: [] } }));
  expect(silent.verdict).toMatchObject({ value: 'blocked', rule: 'R1' });
});

it.each<[string, Partial<Play>]>([
  [
    'refused for a secret',
    {
      turns: [calls(['pods.status', POD], ['pods.log', { find: 'zebra mountain 77 quartz' }]), ANALYSIS],
      options: { knownSecrets: ['zebra mountain 77 quartz'] },
    },
  ],
  [
    'answered once and not again',
    {
      turns: [calls(['pods.status', POD]), calls(['pods.status', POD]), ANALYSIS],
      options: { agent: { limits: { repeatedCalls: 'run' } } },
    },
  ],
])('calls that were %s do not block a session', async (_, changes) => {
  let answers = 0;
  const status: PlayedTool = { answer: () => (answers++ === 0 ? 'restarts 4' : undefined) };
  const tools = { ...TOOLS, 'pods.status': status };
  const claims = { conclusion: 'unknown', cause: [] };
  expect(await verdictOf(tested({ tools, claims, ...changes }))).toMatchObject({
    value: 'inconclusive',
    rule: 'R3',
  });
});

describe('evidence about a dependency of the component', () => {
  const service = (workloads: string[], dependencies: string[] = []) => ({
    workloads,
    repository: null,
    flags: [],
    dashboards: [],
    dependencies,
  });
  const play = (services: object): Play => ({
    alert: { title: 'Slow', labels: { deployment: 'checkout', namespace: 'shop', cluster: 'prod' } },
    tools: { 'db.locks': { answer: 'ledger-db: 14 sessions wait for a lock', yields: 'state' } },
    turns: [
      calls('db.locks'),
      states({
        hypotheses: [
          { id: 'h1', component: 'k8s:prod/shop/Deployment/checkout', mechanism: 'dependency_slow' },
        ],
        evidence: [{ id: 'e1', hypothesis: 'h1', quote: '14 sessions wait for a lock' }],
      }),
      { text: 'checkout waits for its database.' },
    ],
    prepare: (bench) => Object.assign(bench.config, { services }),
  });

  it('counts where resources.yaml declares it, and does not where it declares nothing', async () => {
    const checkout = service(['k8s:prod/shop/Deployment/checkout'], ['ledger']);
    const ledger = service(['k8s:prod/shop/StatefulSet/ledger-db']);
    const declared = await playVerdict(play({ checkout, ledger }));
    expect(declared.evidence.e1).toBe('held');
    expect(declared.verdict).toMatchObject({ value: 'likely', rule: 'R7' });
    const unknown = await playVerdict(play({ checkout: service(checkout.workloads), ledger }));
    expect(unknown.evidence.e1).toBe('unlinked');
    expect(unknown.verdict).toMatchObject({ value: 'inconclusive', rule: 'R8' });
  });
});
