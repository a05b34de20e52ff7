import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { conversationsFor, type Statement } from '../../local/scriptedCases.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { readCase, readTruth } from '../../shared/cases/caseFile.ts';
import { evaluate } from '../../shared/cases/evaluate.ts';
import { importCases } from '../../shared/cases/importers/importCases.ts';
import { answerScore } from '../../shared/cases/score.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { callCommand } from '../support/callCommand.ts';
import { takeCases } from '../support/fullTests.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

/** Words that only the truth of a fixture has: they are in no request. */
const HIDDEN = 'ZZTRUTH';
const json = (value: unknown) => JSON.stringify(value);
const table = (...rows: string[]) => `${rows.join('\n')}\n`;

interface Fixture {
  files: Record<string, string>;
  steps: Statement['steps'];
  quotes: string[];
  /** The time of the alert. Absent: it is not compared. */
  at?: string;
}

/** A small set of files in the form of each benchmark, all made for this test. */
const FIXTURES: Record<string, Fixture> = {
  'cloud-opsbench': {
    files: {
      'benchmark/shop/quota/1/metadata.json': json({
        namespace: 'shop',
        query: 'Some services cannot be reached.',
        difficulty: HIDDEN,
        result: {
          fault_taxonomy: HIDDEN,
          fault_object: 'app/cart',
          root_cause: 'namespace_pod_quota_exceeded',
        },
        process: { path1: ['DescribeResource::deployments::cart'], path2: [HIDDEN] },
      }),
      'benchmark/shop/quota/1/tool_cache.json': json({
        collection_timestamp: '2026-01-05T10:00:00',
        'DescribeResource:{"resource_type":"deployments","name":"cart","namespace":"shop"}':
          'cart: 0 of 2 replicas ready\ncart FailedCreate: exceeded quota pods-limit, used 10, limited 10\n',
        'GetRecentLogs:{"service":"cart"}': 'no logs of cart: no pod runs\n',
      }),
      'benchmark/shop/odd/2/metadata.json': json({
        namespace: 'shop',
        query: 'x',
        result: { root_cause: 'q', fault_object: '' },
      }),
    },
    steps: [
      {
        tool: 'cloudops.DescribeResource',
        arguments: { resource_type: 'Deployment', name: 'cart', namespace: 'shop' },
      },
      { tool: 'cloudops.GetRecentLogs', arguments: { service: 'cart' } },
    ],
    quotes: [
      'cart FailedCreate: exceeded quota pods-limit, used 10, limited 10',
      'no logs of cart: no pod runs',
    ],
  },
  holmesgpt: {
    files: {
      'test_investigate/01/investigate_request.json': json({
        title: 'Pod is crash looping',
        description: 'Pod cart-1 is in waiting state',
        subject: { name: 'cart', subject_type: 'deployment', namespace: 'shop' },
      }),
      'test_investigate/01/test_case.yaml': `expected_output:\n  - The container was OOMKilled ${HIDDEN}, see \`cart reason OOMKilled, exit code 137\`\n`,
      'test_investigate/01/kubectl_describe.txt': `${json({ toolset_name: 'kubernetes/core', tool_name: 'kubectl_describe', match_params: { name: 'cart' } })}\ncart reason OOMKilled, exit code 137\ncart limit memory 128Mi\n`,
      'test_ask_holmes/02/test_case.yaml':
        'user_prompt: What is wrong?\nexpected_output: [x]\nbefore_test: kubectl apply\n',
    },
    steps: [{ tool: 'kubernetes_core.kubectl_describe', arguments: { name: 'cart' } }],
    quotes: ['cart reason OOMKilled, exit code 137', 'cart limit memory 128Mi'],
  },
  kubernaut: {
    files: {
      'golden-transcripts/broken.json': '{',
      'golden-transcripts/one.json': json({
        schema_version: 1,
        scenario: HIDDEN,
        signalName: 'ImagePullBackOffPersistent',
        analysis: {
          signal: {
            severity: 'critical',
            targetResource: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
          },
          rootCauseAnalysis: {
            remediationTarget: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
            summary: `The image does not exist ${HIDDEN}`,
          },
        },
        llmTrace: [
          {
            event_type: 'aiagent.llm.tool_call',
            event_timestamp: '2026-01-05T10:00:00Z',
            tool_name: 'todo_write',
            tool_arguments: '{}',
            tool_result: HIDDEN,
          },
          {
            event_type: 'aiagent.llm.tool_call',
            event_timestamp: '2026-01-05T10:00:05Z',
            tool_name: 'kubectl_describe',
            tool_arguments: json({ kind: 'Deployment', name: 'cart' }),
            tool_result:
              'cart image registry.test/cart:9.9\ncart waiting ImagePullBackOff: manifest for 9.9 not found',
          },
        ],
      }),
    },
    steps: [{ tool: 'kubernaut.kubectl_describe', arguments: { name: 'cart', kind: 'Deployment' } }],
    quotes: [
      'cart image registry.test/cart:9.9',
      'cart waiting ImagePullBackOff: manifest for 9.9 not found',
    ],
  },
  itbench: {
    files: {
      'Scenario-1/ground_truth.yaml': `fault:
  - category: ${HIDDEN}
    condition: Memory quota imposed ${HIDDEN}
    entity: { group_id: cart-deployment-1, kind: Deployment, name: cart }
    fault_mechanism: resource_quota_enforcement
groups:
  - { id: cart-deployment-1, kind: Deployment, namespace: shop, filter: ['cart\\b'], root_cause: true }
alerts:
  - { id: KubePodNotReady, group_id: cart-deployment-1, metadata: { description: "${HIDDEN}" } }
`,
      'Scenario-1/k8s_events_raw.tsv': table(
        'Timestamp\tBody',
        '2026-01-05T10:00:00Z\tcart FailedCreate exceeded quota memory, used 4Gi, limited 4Gi',
        '2026-01-05T10:00:01Z\tcart replicas 0 of 1',
        '2026-01-05T10:00:01Z\tfrontend Pulled image',
      ),
    },
    steps: [{ tool: 'snapshot.k8s_events_raw', arguments: { contains: 'cart' } }],
    quotes: ['cart FailedCreate exceeded quota memory, used 4Gi, limited 4Gi', 'cart replicas 0 of 1'],
  },
  openrca: {
    files: {
      'Bank/query.csv': `task_index,instruction,scoring_points\ntask_7,"On March 4, 2026, between 14:00 and 14:30, one failure was detected. Find its component and reason.","The only predicted root cause component is Tomcat01\nThe only predicted root cause reason is high memory usage ${HIDDEN}\n"\ntask_1,"On March 4, 2026, when did it start?","The only root cause occurrence time is within 1 minutes (i.e., <=1min) of 2026-03-04 14:10:00"\n`,
      'Bank/telemetry/2026_03_04/metric/metric_container.csv': table(
        'timestamp,cmdb_id,kpi_name,value',
        ...Array.from({ length: 2_500 }, (_, at) => `${1_772_553_600 + at},Mysql02,cpu-used,${at}`),
        '1772604540,Tomcat01,JVM-heap-used,97.5',
        '1772604600,Tomcat01,JVM-heap-used,99.8',
        '1772604600,Mysql02,cpu-used,12.0',
      ),
    },
    // Questions name times in UTC+8.
    at: '2026-03-04T06:30:00.000Z',
    steps: [{ tool: 'telemetry.metric_metric_container', arguments: { contains: 'Tomcat01' } }],
    quotes: ['1772604540,Tomcat01,JVM-heap-used,97.5', '1772604600,Tomcat01,JVM-heap-used,99.8'],
  },
  rca100: {
    files: {
      'answers.json': json({
        t001: { root_cause_entities: ['cart'], root_cause_types: ['dnsResolutionFailure'], note: HIDDEN },
      }),
      'cases/t001/task.json': json({
        task_id: 't001',
        alert_title: 'errors of checkout',
        alert_trigger_time: '2026-04-20T11:21:54+08:00',
        alert_window: { start: '2026-04-20T11:00:00+08:00', end: '2026-04-20T11:30:00+08:00' },
        alert_entity: { entity_name: 'checkout' },
      }),
      'cases/t001/logs.csv': table(
        'time,content',
        '2026-04-20T03:20:00Z,cart lookup failed: no such host redis-cart',
        '2026-04-20T03:20:05Z,cart resolver time-out after 5 s',
      ),
      'cases/t001/topology.json': json({ entities: [{ name: 'cart' }], edges: [] }),
    },
    at: '2026-04-20T03:30:00.000Z',
    steps: [{ tool: 'telemetry.logs', arguments: { contains: 'cart' } }],
    quotes: ['cart lookup failed: no such host redis-cart', 'cart resolver time-out after 5 s'],
  },
};

/** 18 ways to damage a perfect answer: twelve of its causes, six of its evidence. */
const DAMAGES: Record<string, (perfect: Statement) => Partial<Statement>> = {
  'no cause': () => ({ causes: [] }),
  'another component': of(() => ({ component: 'k8s:bench/shop/Deployment/payment' })),
  'a component whose name only starts equally': of(({ component }) => ({ component: `${component}-2` })),
  'a component without its last letter': of(({ component }) => ({ component: component.slice(0, -1) })),
  'the namespace in place of the component': of(() => ({ component: 'k8s:bench/-/Namespace/shop' })),
  'the node in place of the component': of(() => ({ component: 'k8s:bench/-/Node/worker-1' })),
  'another mechanism': of(() => ({ mechanism: 'lock' })),
  'the mechanism "other"': of(() => ({ mechanism: 'other' })),
  'component and mechanism wrong': of(() => ({ component: 'payment', mechanism: 'load' })),
  'a second cause': ({ causes }) => ({
    causes: [...causes, { component: 'k8s:bench/shop/Deployment/payment', mechanism: 'load' }],
  }),
  'a second mechanism of the component': ({ causes }) => ({
    causes: [...causes, ...causes.map((one) => ({ ...one, mechanism: 'load' }))],
  }),
  'nothing read and no cause': () => ({ causes: [], quotes: [], steps: [] }),
  'no evidence': () => ({ quotes: [] }),
  'evidence that was not read': () => ({ steps: [] }),
  'other numbers and words in all evidence': ({ quotes }) => ({
    quotes: quotes.map((one) => `${one.slice(0, 18)} was 4711 of 4712`),
  }),
  'an invented line beside the evidence': ({ quotes }) => ({
    quotes: [...quotes, 'worker-9 kernel panic at address 0xdeadbeef'],
  }),
  'a changed end of a line': ({ quotes }) => ({
    quotes: quotes.map((one, at) => (at === 0 ? `${one} and then payment failed` : one)),
  }),
  'lines that are joined': ({ quotes }) => ({ quotes: [`${quotes.at(-1)} ${quotes[0]}`] }),
};

const DAMAGES_TRIED = takeCases(Object.entries(DAMAGES).reverse(), 3);

function of(change: (cause: Statement['causes'][number]) => Partial<Statement['causes'][number]>) {
  return ({ causes }: Statement) => ({ causes: causes.map((cause) => ({ ...cause, ...change(cause) })) });
}

function write(files: Record<string, string>): { source: string; folder: string; root: string } {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'source', name)), { recursive: true });
    writeFileSync(join(root, 'source', name), text);
  }
  return { source: join(root, 'source'), folder: join(root, 'cases'), root };
}

it.each(Object.keys(FIXTURES))(
  'the perfect answer to a case of %s scores 1, damaged ones score less, and no request has the truth',
  async (benchmark) => {
    const { files, steps, quotes, at } = FIXTURES[benchmark] as Fixture;
    const { source, folder, root } = write(files);
    const { code, stdout, stderr } = await callCommand(['import-cases', benchmark, source, folder]);
    expect([code, stderr.filter((line) => !line.startsWith('skipped'))]).toEqual([0, []]);
    const [name = ''] = (await importCases(benchmark, source, join(root, 'again'))).written;
    expect(stdout[0]).toMatch(/^imported 1 cases, skipped [01]:/);
    const truth = readTruth(folder, name);
    const one = readCase(folder, name);
    if (at !== undefined) expect(one.at.toISOString()).toBe(at);
    const title = String(one.alert.title);
    const perfect: Statement = {
      causes: truth.causes.map(({ component, mechanism }) => ({ component, mechanism })),
      quotes,
      steps,
    };
    const answers = {
      perfect,
      ...Object.fromEntries(DAMAGES_TRIED.map(([key, damage]) => [key, { ...perfect, ...damage(perfect) }])),
    };
    const model = (index: number) => `gemini-3.8-answer-${index}-`;
    const conversations = Object.values(answers).flatMap((statement, index) =>
      conversationsFor(model(index), title, statement),
    );
    const gemini = await startScriptedModel({
      script: { models: Object.keys(answers).map((_, index) => model(index)), conversations },
    });
    onTestFinished(() => gemini.stop());
    const config = loadSessionConfig(join(folder, 'config'), EXTENSION_NAMES);
    const { scores } = await evaluate({
      folder,
      out: join(root, 'out'),
      arms: ['base'],
      repeats: 1,
      maxUsd: undefined,
      contestants: Object.keys(answers).map((key, index) => ({ name: key, config, model: model(index) })),
      llm: createLlmClient({
        env: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' },
        log: () => {},
      }),
      listPrices: () => undefined,
      signal: new AbortController().signal,
    });
    expect(scores).toHaveLength(1 + DAMAGES_TRIED.length);
    const found = new Map(scores.map((score) => [score.model, answerScore(score)]));
    expect(found.get('perfect')).toBe(1);
    expect([...found].filter(([key, score]) => key !== 'perfect' && score >= 1)).toEqual([]);
    // The table has no score of answers: a damaged one must not count as proved.
    expect(scores.filter(({ grounded }) => grounded).map(({ model }) => model)).toEqual(['perfect']);
    const sent = JSON.stringify(gemini.requests);
    for (const hidden of [HIDDEN, truth.canary]) expect(sent).not.toContain(hidden);
  },
);

it('an import names a file of Parquet that it cannot read, and refuses a folder without cases', async () => {
  const { files } = FIXTURES.rca100 as Fixture;
  const { source, folder } = write({ ...files, 'cases/t001/traces.parquet': 'PAR1' });
  const parquet = await callCommand(['import-cases', 'rca100', source, folder]);
  expect(parquet.code).toBe(2);
  expect(parquet.stderr.join('\n')).toMatch(
    /skipped cases.t001.task\.json: .*traces\.parquet is (?:no )?Parquet/,
  );
  const none = await callCommand(['import-cases', 'kubernaut', source, folder]);
  expect(none.code).toBe(2);
  expect(none.stderr.join('\n')).toMatch(/has no case of kubernaut that can be used/);
});
