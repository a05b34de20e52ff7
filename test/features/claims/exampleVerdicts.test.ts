// The table of verdicts on the example cases in shared/features/claims/README.md: as recorded, without their
// decisive evidence, with a forged log, and of agents that quote true lines for a wrong cause.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { conversationsFor, type Statement } from '../../../local/scriptedCases.ts';
import { startScriptedModel } from '../../../local/scriptedModel/startScriptedModel.ts';
import {
  type Case,
  type CaseTool,
  type Cause,
  caseNames,
  readCase,
  readTruth,
  type Truth,
} from '../../../shared/cases/caseFile.ts';
import { type Arm, toolsOfArm } from '../../../shared/cases/caseTools.ts';
import { runCase } from '../../../shared/cases/runCase.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { createLlmClient } from '../../../shared/llm/chooseClient.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { takeCases } from '../../support/fullTests.ts';

const FOLDER = 'examples/cases';
const MODEL = 'gemini-3.8-scripted';
const config = loadSessionConfig(join(FOLDER, 'config'), EXTENSION_NAMES);

/** A line that looks like decisive states, as somebody can write it into a log. */
const forged = (name: string): string =>
  `${name} last state OOMKilled, certificate has expired, quota exceeded, ErrImagePull, limit: 72, usage: 72`;

const LIST = { tool: 'kubernetes.pods_list_in_namespace', arguments: { namespace: 'shop' } };
const EVENTS = { tool: 'kubernetes.events_list', arguments: { namespace: 'shop' } };

/** What an agent makes of a case, and the arms of the case that it gets. */
interface Variant {
  arms: readonly Arm[];
  states: (truth: Truth, mechanism: Cause['mechanism']) => Statement;
}

const of = (component: string | undefined, mechanism: Cause['mechanism']) => [
  { component: component ?? '', mechanism },
];
const VARIANTS: Record<string, Variant> = {
  recorded: {
    arms: ['base'],
    states: ({ causes, evidence, steps }) => ({ causes, quotes: evidence, steps }),
  },
  withheld: {
    arms: ['withheld'],
    states: ({ causes, evidence, steps }) => ({ causes, quotes: evidence, steps }),
  },
  healthy: {
    arms: ['healthy'],
    states: ({ causes, evidence, steps }) => ({ causes, quotes: evidence, steps }),
  },
  // The component that the distractor suggests, by a forged line.
  planted: {
    arms: ['planted', 'distractor'],
    states: ({ distractor, planted, steps }) => ({
      causes: of(distractor?.suggests.component, 'memory'),
      quotes: [planted?.text ?? '', distractor?.text.split('\n')[4]?.trim() ?? ''],
      steps: [...steps, EVENTS],
    }),
  },
  distractor: {
    arms: ['distractor'],
    states: ({ distractor, evidence, steps }) => ({
      causes: distractor ? [distractor.suggests] : [],
      quotes: [...evidence, distractor?.text.split('\n')[4]?.trim() ?? ''],
      steps: [...steps, EVENTS],
    }),
  },
  // The right component, true lines, and another mechanism.
  wrong: {
    arms: ['base'],
    states: ({ causes, evidence, steps }, mechanism) => ({
      causes: of(causes[0]?.component, mechanism),
      quotes: evidence,
      steps,
    }),
  },
  // The right cause, and true lines that do not speak of it.
  irrelevant: {
    arms: ['withheld'],
    states: ({ causes, steps }) => ({
      causes,
      quotes: ['frontend:9.2.0', 'qosClass: Burstable', '"resultType":"matrix"'],
      steps: [...steps, LIST],
    }),
  },
};
/** Expectations of recorded cases: others' states have no contrast, or only texts. */
const LIKELY = ['flag', 'neighbour', 'rule', 'two'];
const ATTACKS = Object.keys(VARIANTS).filter((name) => name !== 'recorded');

/** The end of a scripted case: verdict with rule and caps, and states of the quotes. */
async function playAs(one: Case, tools: readonly CaseTool[], statement: Statement) {
  const conversations = conversationsFor(MODEL, String(one.alert.title), statement);
  const gemini = await startScriptedModel({ script: { conversations } });
  onTestFinished(() => gemini.stop());
  const run = await runCase(one, {
    tools,
    model: MODEL,
    seed: one.name,
    signal: new AbortController().signal,
    config,
    llm: createLlmClient({
      env: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' },
      log: () => {},
    }),
    listPrices: () => [{ from: '2020-01-01', input: 0, cached: 0, output: 0 }],
  });
  const { value = null, rule = '', caps = [] } = readPart(verdictPart, run.session) ?? {};
  const states = run.claims.executions.flatMap(({ matches }) => [...matches].map(([, { state }]) => state));
  return { value, rule, caps, states };
}

/** Plays a case by a variant. */
function play(name: string, variant: string, mechanism: Cause['mechanism'] = 'other') {
  const one = readCase(FOLDER, name);
  const { arms, states: statementOf } = VARIANTS[variant] as Variant;
  const whole = readTruth(FOLDER, name);
  const suggested = whole.distractor?.suggests.component.split('/').at(-1) ?? '';
  const truth =
    variant === 'planted' && whole.planted
      ? { ...whole, planted: { ...whole.planted, text: forged(suggested) } }
      : whole;
  const tools = arms.reduce((changed, arm) => toolsOfArm({ tools: changed }, truth, arm), one.tools);
  return playAs(one, tools, statementOf(truth, mechanism));
}

const written = readFileSync('shared/features/claims/README.md', 'utf8');
const reason = ({ value, rule, caps, states }: Awaited<ReturnType<typeof play>>): string => {
  const held = states.filter((state) => state === 'held').length;
  return `${value} (${[rule, ...caps].join(', ')}) ${held}/${states.length}`;
};

it('shared/features/claims/README.md has the verdict and its reason for each example case and variant', async () => {
  const rows: string[] = [];
  for (const name of takeCases(caseNames(FOLDER), 2)) {
    const cells: string[] = [];
    for (const variant of Object.keys(VARIANTS)) {
      const played = await play(name, variant);
      cells.push(reason(played));
      if (variant === 'recorded')
        expect(played.value, name).toBe(LIKELY.includes(name) ? 'likely' : 'confirmed');
      if (ATTACKS.includes(variant))
        expect(['inconclusive', 'likely'], `${name} ${variant}`).toContain(played.value);
    }
    rows.push(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  expect(rows.filter((row) => !written.includes(row))).toEqual([]);
});

it.each(takeCases(caseNames(FOLDER), 2))(
  'no wrong mechanism with the true lines of %s is confirmed',
  async (name) => {
    const own = readTruth(FOLDER, name).causes.map(({ mechanism }) => mechanism);
    const others = MECHANISMS.filter((one) => !own.includes(one));
    for (const mechanism of takeCases(others, 1)) {
      const { value } = await play(name, 'wrong', mechanism);
      expect(['inconclusive', 'likely'], mechanism).toContain(value);
    }
  },
);

describe('a planted text in a healthy cluster confirms nothing:', () => {
  const GATEWAY = 'k8s:eu/shop/Deployment/gateway';
  const POD = { namespace: 'shop', name: 'gateway-58f7c6d9f4-mw7vk' };
  const CERTIFICATE = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    namespace: 'shop',
    name: 'gateway-tls',
  };
  const OOM = 'reason: OOMKilled';
  const STATUS = [
    'status:',
    '  containerStatuses:',
    '  - lastState:',
    '      terminated:',
    '        finishedAt: "2026-11-20T09:56:20Z"',
    `        ${OOM}`,
    '    name: gateway',
  ];
  const indented = (lines: readonly string[], by: number) =>
    lines.map((line) => ' '.repeat(by) + line).join('\n');
  const under = (line: string, added: string) => (text: string) =>
    text.replace(`${line}\n`, `${line}\n${added}\n`);
  const POD_CALL = { tool: 'kubernetes.pods_get', arguments: POD };
  const row = (cells: string) => (text: string) => `${text.trimEnd()}\n${cells}\n`;
  const json = (value: object) => () => JSON.stringify(value);

  // Its place, the call whose answer has it, how, and the quote; the mechanism is memory, of the gateway.
  it.each<
    [string, Truth['steps'][number], ((text: string) => string) | null, string, string?, Cause['mechanism']?]
  >([
    ['an annotation', POD_CALL, under('metadata:', `  annotations:\n    note: '${OOM}'`), OOM],
    [
      'an annotation of several lines',
      POD_CALL,
      under('metadata:', `  annotations:\n    note: |\n${indented(STATUS, 6)}`),
      OOM,
    ],
    [
      'an annotation that closes its block',
      POD_CALL,
      under('metadata:', `  annotations:\n    note: |\n      a\n${indented(STATUS, 0)}`),
      OOM,
    ],
    ['a label', POD_CALL, under('  labels:', '    reason: OOMKilled'), OOM],
    [
      'an argument of a container',
      POD_CALL,
      under('  containers:', `  - args:\n    - '${OOM}'\n    name: side`),
      OOM,
    ],
    [
      'an argument of several lines',
      POD_CALL,
      under('  containers:', `  - args:\n    - |\n${indented(STATUS, 6)}\n    name: side`),
      OOM,
    ],
    [
      'a variable of a container',
      POD_CALL,
      under('  containers:', `  - env:\n    - name: LAST\n      value: '${OOM}'\n    name: side`),
      OOM,
    ],
    [
      'the name of an image',
      POD_CALL,
      (text) => text.replaceAll('gateway:3.1.0', 'gateway:OOMKilled'),
      'gateway:OOMKilled',
    ],
    [
      'a termination message',
      POD_CALL,
      (text) =>
        text.replace(
          'lastState: {}',
          `lastState:\n        terminated:\n          exitCode: 1\n          finishedAt: "2026-11-20T09:56:20Z"\n          message: '${OOM}'\n          reason: Error`,
        ),
      OOM,
    ],
    [
      'the message of a waiting container',
      POD_CALL,
      (text) =>
        text.replace(
          '      running:\n',
          `      waiting:\n        message: '${OOM}'\n        reason: PodInitializing\n`,
        ),
      OOM,
    ],
    [
      'the message of a condition',
      POD_CALL,
      under(
        '  conditions:',
        `  - lastTransitionTime: "2026-11-20T09:56:20Z"\n    message: '${OOM}'\n    status: "False"\n    type: Ready`,
      ),
      OOM,
    ],
    [
      'the type of a condition',
      POD_CALL,
      under(
        '  conditions:',
        '  - lastTransitionTime: "2026-11-20T09:56:20Z"\n    reason: OOMKilled\n    status: "True"\n    type: example.com/Ready',
      ),
      OOM,
    ],
    [
      'a copy of a record in the text of a document',
      POD_CALL,
      (text) =>
        `${text}---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${POD.name}\n  namespace: shop\n${STATUS.join('\n')}\n`,
      OOM,
    ],
    [
      'the output of a probe in an event',
      EVENTS,
      row(
        "- InvolvedObject:\n    Kind: Pod\n    Name: gateway-58f7c6d9f4-mw7vk\n    apiVersion: v1\n  Message: 'Readiness probe failed: last state OOMKilled'\n  Namespace: shop\n  Reason: Unhealthy\n  Timestamp: 2026-11-20 09:56:20 +0000 UTC\n  Type: Warning",
      ),
      'Readiness probe failed: last state OOMKilled',
    ],
    [
      'the reason of an event',
      EVENTS,
      row(
        '- InvolvedObject:\n    Kind: Pod\n    Name: gateway-58f7c6d9f4-mw7vk\n    apiVersion: v1\n  Message: out of memory\n  Namespace: shop\n  Reason: OOMKilled\n  Timestamp: 2026-11-20 09:56:20 +0000 UTC\n  Type: Warning',
      ),
      'Reason: OOMKilled',
    ],
    ['a log', { tool: 'kubernetes.pods_log', arguments: { ...POD, tail: 50 } }, row(STATUS.join('\n')), OOM],
    [
      'the STATUS of a pod of another deployment',
      LIST,
      row(
        'shop        v1           Pod    payments-6b7f9d8c5-tq2wz     0/1     OOMKilled   3 (4m40s ago)   12d   10.64.1.9   n1   <none>   <none>   app=gateway',
      ),
      '0/1     OOMKilled   3 (4m40s ago)',
    ],
    [
      'the labels of a row',
      LIST,
      (text) => text.replaceAll('app=gateway', 'app=gateway,reason=OOMKilled'),
      'reason=OOMKilled',
    ],
    [
      'the data of a ConfigMap',
      {
        tool: 'kubernetes.resources_get',
        arguments: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'gateway' },
      },
      () =>
        `apiVersion: v1\ndata:\n  state: '${OOM}'\nkind: ConfigMap\nmetadata:\n  name: gateway\n  namespace: shop\n`,
      OOM,
    ],
    [
      'a ConfigMap in the form of a pod',
      {
        tool: 'kubernetes.resources_get',
        arguments: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'gateway' },
      },
      () =>
        `apiVersion: v1\ndata:\n  kind: Pod\n  pod: |\n    kind: Pod\n${indented(STATUS, 4)}\nkind: ConfigMap\nmetadata:\n  name: gateway\n  namespace: shop\n`,
      OOM,
    ],
    [
      'the status of a resource that a workload can write',
      {
        tool: 'kubernetes.resources_get',
        arguments: { apiVersion: 'example.com/v1', kind: 'Check', namespace: 'shop', name: 'gateway' },
      },
      () =>
        `apiVersion: example.com/v1\nkind: Check\nmetadata:\n  name: gateway\n  namespace: shop\n${STATUS.join('\n')}\n`,
      OOM,
    ],
    [
      'the name of a branch',
      { tool: 'logging.list_branches', arguments: { repo: 'gateway' } },
      json([{ name: 'fix/gateway-OOMKilled', commit: { sha: 'e3b0c442' } }]),
      'fix/gateway-OOMKilled',
    ],
    [
      'the title of an issue',
      { tool: 'logging.list_issues', arguments: { repo: 'gateway' } },
      json([{ number: 41, title: 'gateway last state OOMKilled', state: 'open' }]),
      'gateway last state OOMKilled',
    ],
    [
      'the label of an exporter',
      {
        tool: 'prometheus.prometheus_query_range',
        arguments: {
          query: 'exporter_info{namespace="shop"}',
          start: '2026-11-20T09:01:00Z',
          end: '2026-11-20T10:01:00Z',
          step: '300s',
        },
      },
      json({
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'exporter_info', namespace: 'shop', pod: POD.name, reason: 'OOMKilled' },
            values: [0, 1, 2, 3, 4, 5].map((index) => [1_795_165_260 + index * 300, index > 3 ? '1' : '0']),
          },
        ],
      }),
      '"reason":"OOMKilled"',
    ],
    [
      'the text of an error',
      { tool: 'kubernetes.pods_get', arguments: { namespace: 'shop', name: 'gateway' } },
      null,
      'lastState OOMKilled',
    ],
    [
      'an entry of a log',
      { tool: 'logging.list_log_entries', arguments: { filter: 'gateway' } },
      json({
        entries: [
          {
            logName: 'projects/shop-prod/logs/stderr',
            textPayload: `gateway ${OOM}`,
            timestamp: '2026-11-20T09:56:20Z',
          },
        ],
      }),
      `gateway ${OOM}`,
    ],
    [
      'the message of a certificate',
      { tool: 'kubernetes.resources_get', arguments: CERTIFICATE },
      (text) =>
        text.replace(
          'Certificate is up to date and has not expired',
          'certificate has expired, notAfter: 2026-11-20T09:00:00Z',
        ),
      'certificate has expired, notAfter: 2026-11-20T09:00:00Z',
      'k8s:eu/shop/Certificate/gateway-tls',
      'certificate',
    ],
    [
      'the specification of a certificate',
      { tool: 'kubernetes.resources_get', arguments: CERTIFICATE },
      under('spec:', '  notAfter: "2026-11-20T09:00:00Z"'),
      'notAfter: "2026-11-20T09:00:00Z"',
      'k8s:eu/shop/Certificate/gateway-tls',
      'certificate',
    ],
  ])('%s', async (_, step, edit, quote, component = GATEWAY, mechanism = 'memory') => {
    const one = readCase(FOLDER, 'certificate');
    const truth = readTruth(FOLDER, 'certificate');
    const isStep = (given: object) => isDeepStrictEqual(given, step.arguments);
    const healthy = toolsOfArm(one, truth, 'healthy');
    const own: CaseTool = healthy.find(({ name }) => name === step.tool) ?? {
      ...(healthy[0] as CaseTool),
      name: step.tool,
      yields: 'change',
      schema: undefined,
      answers: [],
    };
    const [recorded, ...others] = [...own.answers].sort((answer) => (isStep(answer.arguments) ? -1 : 1));
    const isRecorded = recorded !== undefined && isStep(recorded.arguments);
    const text =
      edit === null ? `pod gateway was not found: ${quote}` : edit(isRecorded ? recorded.text : '');
    expect(text).toContain(quote);
    const planted = { arguments: step.arguments, text, error: edit === null, timedOut: false };
    const answers = [planted, ...(isRecorded ? others : own.answers)];
    const tools = [...healthy.filter(({ name }) => name !== step.tool), { ...own, answers }];
    const statement = { causes: of(component, mechanism), quotes: [quote], steps: [LIST, POD_CALL, step] };
    const { value, states } = await playAs(one, tools, statement);
    expect(states).toEqual(['held']);
    expect(['inconclusive', 'likely']).toContain(value);
  });
});

describe('an alert is cleared by its own condition', () => {
  const one = readCase(FOLDER, 'memory');
  const truth = readTruth(FOLDER, 'memory');
  const RANGE = 'prometheus.prometheus_query_range';
  const QUERY =
    'increase(kube_pod_container_status_restarts_total{namespace="shop",container="checkout"}[10m])';
  const given = { query: QUERY, start: '2026-11-20T09:31:00Z', end: '2026-11-20T10:01:00Z', step: '60s' };
  const arm = (name: Arm) => toolsOfArm(one, truth, name);
  const healthy = arm('healthy').flatMap(({ answers }) => answers);
  const whole = healthy.find(({ arguments: args }) => args.query === QUERY)?.text ?? '';
  const clears = async (tools: readonly CaseTool[], query = QUERY) => {
    const steps = [LIST, { tool: RANGE, arguments: { ...given, query } }];
    const { value } = await playAs(one, tools, {
      causes: [],
      conclusion: 'not_an_incident',
      quotes: [],
      steps,
    });
    return value;
  };
  const answering = (text: string, change: Partial<CaseTool> = {}, query = QUERY, error = false) =>
    arm('healthy').map((tool) =>
      tool.name === RANGE
        ? { ...tool, ...change, answers: [{ arguments: { ...given, query }, text, error, timedOut: false }] }
        : tool,
    );

  it('read whole, in its series, and never true', async () => {
    expect(await clears(arm('healthy'))).toBe('not_an_incident');
  });

  const other = QUERY.replace('container="checkout"', 'container="checkout",pod="checkout-7d9c6bf8d4-8fjtm"');
  const well = (JSON.parse(whole) as { result: unknown[] }).result[1];
  it.each<[string, readonly CaseTool[], string?]>([
    ['that was empty', answering('{"resultType":"matrix","result":[]}')],
    ['that a misspelt namespace emptied', arm('base'), QUERY.replace('shop', 'shpo')],
    ['that was denied', answering('forbidden: checkout has 0 restarts', {}, QUERY, true)],
    [
      'that was narrowed to a series that is well',
      answering(JSON.stringify({ resultType: 'matrix', result: [well] }), {}, other),
      other,
    ],
    ['that was cut', answering(whole.slice(0, whole.length / 2))],
    ['that a workload can write', answering(whole, { yields: 'text', fields: undefined })],
    ['that is true', arm('base')],
  ])('and not by one %s', async (_, tools, query) => {
    expect(await clears(tools, query)).toBe('inconclusive');
  });
});
