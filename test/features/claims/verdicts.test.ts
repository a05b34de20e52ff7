// The rules and caps of the verdict, each through a session from its alert to its end.

import { describe, expect, it } from 'vitest';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import type { Bench } from '../../support/harness.ts';
import { calls, type Play, type PlayedTool, playVerdict, states } from './verdictBench.ts';

const MINUTE = 60_000;
const POD = { name: 'checkout-1', namespace: 'shop' };
const H1 = { id: 'h1', component: 'k8s:eu/shop/Pod/checkout-1', mechanism: 'memory' };
const STATE = { id: 'e1', hypothesis: 'h1', quote: 'reason: OOMKilled' };
const TEXT = { id: 'e2', hypothesis: 'h1', quote: 'the quote cache has 100452 entries' };
/** A pod that was killed some minutes before the alert. */
const pod = (ageMs: number, more = ''): PlayedTool => ({
  yields: 'state',
  fields: 'kubernetes',
  answer: (_, now) => `apiVersion: v1
kind: Pod
metadata:
  name: checkout-1
  namespace: shop
status:
  containerStatuses:
  - name: app
    restartCount: 4
    lastState:
      terminated:
        exitCode: 137
        finishedAt: "${new Date(now.getTime() - ageMs).toISOString()}"
        message: ${more || 'none'}
        reason: OOMKilled
`,
});
const KILLED = pod(25 * MINUTE);
const TOOLS: Record<string, PlayedTool> = {
  'pods.pods_get': KILLED,
  'pods.log': { answer: 'the quote cache has 100452 entries\nit evicts nothing' },
};
const ANALYSIS = { text: 'checkout-1 runs out of memory.' };
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
  fields: 'prometheus',
  answer: (_, now) => {
    const ages = Array.from({ length: 31 }, (_, index) => 30 - index);
    const values = ages.map((age) => [now.getTime() / 1000 - age * 60, String(valueAt(age))]);
    return JSON.stringify({
      status: 'success',
      data: { resultType: 'matrix', result: [{ metric: {}, values }] },
    });
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
    calls(['pods.pods_get', POD], ['pods.log', POD], ['prom.prometheus_query_range', { query: EXPR }]),
    states(ledger),
    ANALYSIS,
  ],
  ...changes,
  tools: { ...TOOLS, 'prom.prometheus_query_range': query(valueAt), ...changes.tools },
});
const firing = (changes: Partial<Play> = {}, ledger = LEDGER) => asked(() => 0.2, changes, ledger);

describe("the alert's own condition, read again", () => {
  const CLEAR: Partial<Play> = {
    turns: [
      calls(['pods.log', POD], ['prom.prometheus_query_range', { query: EXPR }]),
      { text: 'The error rate of checkout is fine.' },
    ],
    claims: { conclusion: 'not_an_incident', cause: [] },
  };

  it('is not needed for a state that is new, and does not help an old one', async () => {
    expect(await verdictOf(asked(() => 0.01))).toMatchObject({
      value: 'confirmed',
      rule: 'contrasted',
      caps: [],
    });
    const tools = { 'pods.pods_get': pod(300 * MINUTE) };
    expect(await verdictOf(firing({ tools }))).toMatchObject({ value: 'likely', rule: 'state' });
  });

  it('clears an alert that was never true, and marks one that has recovered', async () => {
    expect(await verdictOf(asked(() => 0.01, CLEAR))).toMatchObject({
      value: 'not_an_incident',
      rule: 'never_true',
    });
    expect(await verdictOf(asked((age) => (age > 8 ? 0.2 : 0.01), CLEAR))).toMatchObject({
      value: 'inconclusive',
      rule: 'no_cause',
      isRecovered: true,
    });
  });

  it.each<[string, Partial<Play>]>([
    [
      'without samples',
      {
        tools: {
          'prom.prometheus_query_range': {
            answer: '{"data": {"result": []}}',
            yields: 'state',
            fields: 'prometheus',
          },
        },
      },
    ],
    [
      'by a tool whose results a workload can write',
      { tools: { 'prom.prometheus_query_range': { answer: query(() => 0.01).answer } } },
    ],
    ['where the analysis does not conclude it', { claims: { conclusion: 'unknown', cause: [] } }],
    [
      'where a state speaks for a cause',
      {
        turns: [
          calls(['pods.pods_get', POD], ['prom.prometheus_query_range', { query: EXPR }]),
          states({ hypotheses: [H1], evidence: [STATE] }),
          { text: 'All is well.' },
        ],
      },
    ],
  ])('clears nothing %s', async (_, changes) => {
    expect(await verdictOf(asked(() => 0.01, { ...CLEAR, ...changes }))).toMatchObject({
      value: 'inconclusive',
      rule: 'no_cause',
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
        calls(['pods.pods_get', POD], ['logs.read', POD], ['prom.prometheus_query_range', { query: EXPR }]),
        states(LEDGER),
        ANALYSIS,
      ],
      missing: { server: 'logs', from: 3 },
    },
  ],
  ['tool_changed', { tools: { 'pods.pods_get': { ...TOOLS['pods.pods_get'], changesAt: 3 } as PlayedTool } }],
  [
    'masked_quote',
    {
      options: { knownSecrets: ['zebra mountain 77 quartz'] },
      tools: {
        'pods.pods_get': pod(25 * MINUTE, 'zebra mountain 77 quartz'),
      },
    },
    { ...LEDGER, evidence: [{ ...STATE, quote: `\${result pods.pods_get /message:[^]*OOMKilled/}` }, TEXT] },
  ],
])('%s caps a confirmed cause to likely', async (cap, changes, ledger) => {
  expect(await verdictOf(firing(changes, ledger))).toMatchObject({
    value: 'likely',
    rule: 'contrasted',
    caps: [cap],
  });
});

it('texts only are likely', async () => {
  const tools = {
    'pods.pods_get': { answer: 'checkout-1 reason: OOMKilled' },
    'pods.log': { answer: 'checkout-1: java.lang.OutOfMemoryError' },
  };
  const evidence = [STATE, { ...TEXT, quote: 'java.lang.OutOfMemoryError' }];
  expect(await verdictOf(firing({ tools }, { ...LEDGER, evidence }))).toMatchObject({
    value: 'likely',
    rule: 'texts',
  });
});

describe('a component without a record is seen', () => {
  const CART = { id: 'h1', component: 'service:cart', mechanism: 'memory' };
  const MAIL = { id: 'h2', component: 'service:mail', mechanism: 'lock' };
  const FULL = 'cart got an OutOfMemoryError';
  const SLOW = 'the queue has 100452 entries';
  const cite = (id: string, hypothesis: string, quote: string) => ({ id, hypothesis, quote });
  it.each<[string, ReturnType<typeof cite>[], string]>([
    ['by a held text of its own that names it', [cite('e1', 'h1', FULL)], 'unsupported'],
    [
      'by one of several texts',
      [cite('e1', 'h1', 'cart has no disk'), cite('e2', 'h1', SLOW), cite('e3', 'h1', FULL)],
      'unsupported',
    ],
    ['not by a text that is not held', [cite('e1', 'h1', 'cart has no disk')], 'no_cause'],
    ['not by a text that does not name it', [cite('e1', 'h1', SLOW)], 'no_cause'],
    ['not by a text of another hypothesis', [cite('e1', 'h2', FULL), cite('e2', 'h1', SLOW)], 'no_cause'],
  ])('%s', async (_, evidence, rule) => {
    const turns = [calls('pods.log'), states({ hypotheses: [CART, MAIL], evidence }), ANALYSIS];
    const { verdict } = await playVerdict({ tools: { 'pods.log': { answer: `${FULL}\n${SLOW}` } }, turns });
    expect([verdict.value, verdict.rule]).toEqual(['inconclusive', rule]);
  });
  it('by the call of a held text that names it, and not by another call', async () => {
    const tools = { 'pods.log': { answer: SLOW }, 'pods.events': { answer: FULL } };
    const play = async (name: string, other: string) => {
      const turns = [
        calls(['pods.log', { name }], ['pods.events', { name: other }]),
        states({ hypotheses: [CART], evidence: [cite('e1', 'h1', SLOW)] }),
        ANALYSIS,
      ];
      return (await playVerdict({ tools, turns })).verdict.rule;
    };
    expect([await play('cart', 'mail'), await play('mail', 'cart')]).toEqual(['unsupported', 'no_cause']);
  });
});

describe("a person's guidance", () => {
  const WORDS = 'reason: OOMKilled, as checkout-1 had it last week at 09:12';
  /** The first tool takes as long as the person. @param evidence of it, and of a log. */
  const played = async (
    evidence: (typeof STATE & { result?: string; side?: string })[],
    log = 'no errors',
  ) => {
    let bench: Bench | undefined;
    const answer = async () => {
      const [session] = (await bench?.deps.store.list({ collection: paths.sessions }, sessionType)) ?? [];
      if (bench && session)
        await addGuidance(session.value.sessionId, { text: WORDS, by: 'ada' }, bench.deps);
      return log;
    };
    return playVerdict({
      tools: { 'pods.log': { answer } },
      turns: [calls('pods.log'), states({ hypotheses: [H1], evidence }), ANALYSIS],
      prepare: (started) => {
        bench = started;
      },
    });
  };
  const SAID = { id: 'e1', hypothesis: 'h1', quote: WORDS, result: 'person' };
  const LOG = { id: 'e2', hypothesis: 'h1', quote: 'checkout-1 got an OutOfMemoryError' };

  it('is evidence of the kind person: a text like any other, and never a state', async () => {
    const { evidence, verdict, checked } = await played([SAID]);
    expect([evidence.e1, verdict.value]).toEqual(['held', 'inconclusive']);
    expect(checked?.evidence).toMatchObject([{ yields: 'person', speaks: 'text' }]);
    const both = await played([SAID, LOG], LOG.quote);
    expect([both.verdict.value, both.verdict.rule]).toEqual(['likely', 'texts']);
  });
  it('is no result of a tool, and can contradict', async () => {
    const { evidence } = await played([{ ...SAID, result: 'r1' }]);
    expect(evidence.e1).not.toBe('held');
    const { verdict } = await played([{ ...SAID, side: 'against' }, LOG], LOG.quote);
    expect(verdict.rule).toBe('contradicted');
  });
});

it('a failed exploratory call and a mask elsewhere cap nothing', async () => {
  const tools = {
    'pods.trace': { answer: undefined },
    'pods.env': { answer: 'PASSWORD=zebra mountain 77 quartz' },
  };
  const turns = [
    calls(
      ['pods.pods_get', POD],
      ['pods.log', POD],
      ['pods.trace', POD],
      ['pods.env', POD],
      ['prom.prometheus_query_range', { query: EXPR }],
    ),
    states(LEDGER),
    ANALYSIS,
  ];
  const options = { knownSecrets: ['zebra mountain 77 quartz'] };
  expect(await verdictOf(firing({ tools, turns, options }))).toMatchObject({ value: 'confirmed', caps: [] });
});

const play = (changes: Partial<Play>): Play => firing({ alert: undefined, ...changes });

it('calls without an answer block a session; calls that a model made wrongly do not', async () => {
  const turns = [calls(['pods.pods_get', POD], ['pods.stauts', POD]), { text: 'checkout is slow.' }];
  const unknown = await playVerdict(play({ turns, claims: { conclusion: 'unknown', cause: [] } }));
  expect(unknown.verdict).toMatchObject({ value: 'inconclusive', rule: 'no_cause' });
  const tools = { 'pods.stauts': { answer: undefined } };
  const silent = await playVerdict(play({ turns, tools, claims: { conclusion: 'unknown', cause: [] } }));
  expect(silent.verdict).toMatchObject({ value: 'blocked', rule: 'blocked' });
});

it.each<[string, Partial<Play>]>([
  [
    'refused for a secret',
    {
      turns: [calls(['pods.pods_get', POD], ['pods.log', { find: 'zebra mountain 77 quartz' }]), ANALYSIS],
      options: { knownSecrets: ['zebra mountain 77 quartz'] },
    },
  ],
  [
    'answered once and not again',
    {
      turns: [calls(['pods.pods_get', POD]), calls(['pods.pods_get', POD]), ANALYSIS],
      options: { agent: { limits: { repeatedCalls: 'run' } } },
    },
  ],
])('calls that were %s do not block a session', async (_, changes) => {
  let answers = 0;
  const status: PlayedTool = { answer: () => (answers++ === 0 ? 'restarts 4' : undefined) };
  const tools = { 'pods.pods_get': status };
  const claims = { conclusion: 'unknown', cause: [] };
  expect(await verdictOf(play({ tools, claims, ...changes }))).toMatchObject({
    value: 'inconclusive',
    rule: 'no_cause',
  });
});
