// The rules and caps of the verdict, each through a session from its alert to its end.

import { describe, expect, it } from 'vitest';
import { calls, type Play, type PlayedTool, playVerdict, states } from '../support/verdictBench.ts';

const MINUTE = 60_000;
const POD = { pod: 'checkout-1' };
const H1 = { id: 'h1', component: 'service:checkout', mechanism: 'memory' };
const STATE = { id: 'e1', hypothesis: 'h1', quote: 'last state OOMKilled' };
const TEXT = { id: 'e2', hypothesis: 'h1', quote: 'the quote cache has 100452 entries' };
const TOOLS: Record<string, PlayedTool> = {
  'pods.status': { answer: 'last state OOMKilled, restarts 4', yields: 'state' },
  'pods.log': { answer: 'the quote cache has 100452 entries\nit evicts nothing' },
};
const ANALYSIS = { text: 'checkout runs out of memory.' };
const LEDGER = { hypotheses: [H1], evidence: [STATE, TEXT] };
const verdictOf = async (play: Play) => (await playVerdict(play)).verdict;

const EXPR = 'rate(errors{service="checkout"}[5m])';
const ALERT = {
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
/** Status and log are read, and the alert's own condition; then the ledger is stated. */
const asked = (
  valueAt: (minutesAgo: number) => number,
  changes: Partial<Play> = {},
  ledger = LEDGER,
): Play => ({
  alert: ALERT,
  turns: [
    calls(['pods.status', POD], ['pods.log', POD], ['prom.query', { query: EXPR }]),
    states(ledger),
    ANALYSIS,
  ],
  ...changes,
  tools: { ...TOOLS, 'prom.query': query(valueAt), ...changes.tools },
});
const firing = (changes: Partial<Play> = {}, ledger = LEDGER) => asked(() => 0.2, changes, ledger);

describe("the alert's own condition, read again", () => {
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
    ['without samples', { tools: { 'prom.query': { answer: '{"data": {"result": []}}', yields: 'state' } } }],
    [
      'by a tool whose results a workload can write',
      { tools: { 'prom.query': { answer: query(() => 0.01).answer } } },
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

it.each<[string, Partial<Play>, typeof LEDGER?]>([
  ['forced_conclusion', { options: { agent: { limits: { maxIterations: 2, afterFailure: 'conclude' } } } }],
  [
    'server_missing',
    {
      tools: { 'logs.read': TOOLS['pods.log'] as PlayedTool },
      turns: [
        calls(['pods.status', POD], ['logs.read', POD], ['prom.query', { query: EXPR }]),
        states(LEDGER),
        ANALYSIS,
      ],
      missing: { server: 'logs', from: 3 },
    },
  ],
  ['tool_changed', { tools: { 'pods.status': { ...TOOLS['pods.status'], changesAt: 3 } as PlayedTool } }],
  [
    'masked_quote',
    {
      options: { knownSecrets: ['zebra mountain 77 quartz'] },
      tools: {
        'pods.status': { answer: 'last state OOMKilled zebra mountain 77 quartz twice', yields: 'state' },
      },
    },
    { ...LEDGER, evidence: [{ ...STATE, quote: `\${result pods.status /last state.*twice/}` }, TEXT] },
  ],
])('%s caps a confirmed cause to likely', async (cap, changes, ledger) => {
  expect(await verdictOf(firing(changes, ledger))).toMatchObject({
    value: 'likely',
    rule: 'R5',
    caps: [cap],
  });
});

it('texts only are likely, with that cap', async () => {
  const tools = { 'pods.status': { answer: 'last state OOMKilled' } };
  expect(await verdictOf(firing({ tools }))).toMatchObject({
    value: 'likely',
    rule: 'R7',
    caps: ['text_only'],
  });
});

it('a failed exploratory call and a mask elsewhere cap nothing', async () => {
  const tools = {
    'pods.trace': { answer: undefined },
    'pods.env': { answer: 'PASSWORD=zebra mountain 77 quartz' },
  };
  const turns = [
    calls(
      ['pods.status', POD],
      ['pods.log', POD],
      ['pods.trace', POD],
      ['pods.env', POD],
      ['prom.query', { query: EXPR }],
    ),
    states(LEDGER),
    ANALYSIS,
  ];
  const options = { knownSecrets: ['zebra mountain 77 quartz'] };
  expect(await verdictOf(firing({ tools, turns, options }))).toMatchObject({ value: 'confirmed', caps: [] });
});

const play = (changes: Partial<Play>): Play => firing({ alert: undefined, ...changes });

it('calls without an answer block a session; calls that a model made wrongly do not', async () => {
  const turns = [calls(['pods.status', POD], ['pods.stauts', POD]), { text: 'checkout is slow.' }];
  const unknown = await playVerdict(play({ turns, claims: { conclusion: 'unknown', cause: [] } }));
  expect(unknown.verdict).toMatchObject({ value: 'inconclusive', rule: 'R3' });
  const tools = { 'pods.stauts': { answer: undefined } };
  const silent = await playVerdict(play({ turns, tools, claims: { conclusion: 'unknown', cause: [] } }));
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
  const tools = { 'pods.status': status };
  const claims = { conclusion: 'unknown', cause: [] };
  expect(await verdictOf(play({ tools, claims, ...changes }))).toMatchObject({
    value: 'inconclusive',
    rule: 'R3',
  });
});
