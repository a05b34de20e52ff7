import { beforeEach, describe, expect, it } from 'vitest';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { ALERT_SOURCES } from '../alerts/sources.ts';
import { chainSnapshotSchema } from '../core/schema/agent.ts';
import { resolveChain } from './chains.ts';
import { collectedToolFaults, toolFaults } from './checkServers.ts';
import { ConfigError } from './configError.ts';
import { limitFields } from './limitFields.ts';
import { loadSessionConfig } from './load.ts';

const LIMITS = Object.keys(limitFields).join(', ');

const BASE = {
  'models.yaml':
    'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n  pro: {provider: google, model: gemini-3.8-pro}\n  gpt: {provider: openai, model: gpt-5}\n',
  'agents.yaml': `agents:
  logs: {instructions: Look., tools: [kube, db.query], maxIterations: 7}
  metrics: {instructions: Measure., tools: [prom], nativeTools: [google_search], outsideTools: together}
  logs-2: {instructions: Look twice.}
  judge: {instructions: Judge.}
  text: {instructions: Read., strategy: react}
`,
  'servers.yaml':
    'servers:\n  kube: {transport: http, url: http://127.0.0.1:1}\n  db: {transport: http, url: http://127.0.0.1:2}\n  prom: {transport: http, url: http://127.0.0.1:3}\n',
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function load(files: Record<string, string>) {
  writeFiles({ ...BASE, ...files }, folder);
  return loadSessionConfig(folder);
}

const faults = (files: Record<string, string>): string[] => listFaults(() => load(files));

/** A chain with one stage: `text` are lines of the stage. */
const stage = (...lines: string[]) =>
  `default: c\nchains:\n  c:\n    stages:\n      - name: look\n${lines.map((line) => `        ${line}\n`).join('')}`;
const load1 = (...lines: string[]) => {
  const [plan] = resolveChain(load({ 'chains.yaml': stage(...lines) })).stages;
  if (plan === undefined) throw new Error('the chain has no stage');
  return plan;
};
const faults1 = (...lines: string[]) => faults({ 'chains.yaml': stage(...lines) });

describe('an agent of a stage', () => {
  it('runs once under its own name, and then the stage needs no synthesis', () => {
    const plan = load1('agents: [logs]');
    expect(plan).toMatchObject({ successPolicy: 'any', timeoutMs: null, synthesis: null });
    expect(plan.agents.map(({ name, replicaOf }) => [name, replicaOf])).toEqual([['logs', undefined]]);
  });

  it('runs once for each model and replica, with a number in its name, and a synthesis follows', () => {
    const plan = load1(
      'agents: [judge, {agent: logs, model: [flash, pro], replicas: 2, maxIterations: 3}]',
      'maxIterations: 9',
    );
    expect(
      plan.agents.map(({ name, replicaOf, model, limits }) => [
        name,
        replicaOf,
        model.model,
        limits.maxIterations,
      ]),
    ).toEqual([
      ['judge', undefined, 'gemini-3.8-flash', 9],
      ['logs-1', 'logs', 'gemini-3.8-flash', 3],
      ['logs-2', 'logs', 'gemini-3.8-flash', 3],
      ['logs-3', 'logs', 'gemini-3.8-pro', 3],
      ['logs-4', 'logs', 'gemini-3.8-pro', 3],
    ]);
    expect(plan.synthesis?.name).toBe('synthesizer');
    expect(chainSnapshotSchema.parse({ name: 'c', stages: [plan] }).stages[0]).toEqual(plan);
  });

  it('has the fallback of its entry, else that of its agent, without the model it runs on', () => {
    const agents = BASE['agents.yaml'].replace('maxIterations: 7', 'maxIterations: 7, fallback: [pro, gpt]');
    const fallbackOf = (line: string) =>
      resolveChain(load({ 'agents.yaml': agents, 'chains.yaml': stage(line) })).stages[0]?.agents.map(
        ({ model, fallback }) => [model, ...fallback].map((one) => one.model),
      );
    const [flash, pro, gpt] = ['gemini-3.8-flash', 'gemini-3.8-pro', 'gpt-5'];
    expect(fallbackOf('agents: [{agent: logs, model: [flash, pro]}]')).toEqual([
      [flash, pro, gpt],
      [pro, gpt],
    ]);
    expect(fallbackOf('agents: [{agent: logs, fallback: [gpt]}]')).toEqual([[flash, gpt]]);
    expect(fallbackOf('agents: [{agent: logs, fallback: []}]')).toEqual([[flash]]);
  });

  it('takes another model only under its own name', () => {
    const plan = load1('agents: [{agent: logs, model: pro}]');
    expect(plan.agents).toMatchObject([{ name: 'logs', model: { model: 'gemini-3.8-pro' } }]);
    expect(plan.agents[0]).not.toHaveProperty('replicaOf');
  });

  it.each([
    [
      'agents: [{agent: log, replicas: 2}]',
      '6:26 chains.c.stages[0].agents[0].agent: unknown agent "log"; expected one of logs, metrics, logs-2, judge, text; did you mean "logs"?',
    ],
    [
      'agents: [{agent: logs, replica: 2}]',
      `6:32 chains.c.stages[0].agents[0].replica: unknown key; expected one of agent, model, fallback, replicas, ${LIMITS}; did you mean "replicas"?`,
    ],
    [
      'agents: [{agent: logs, replicas: 0}]',
      '6:42 chains.c.stages[0].agents[0].replicas: must be at least 1',
    ],
    [
      'agents: [{agent: logs, model: [flash, fast]}]',
      '6:47 chains.c.stages[0].agents[0].model[1]: unknown model "fast"; expected one of flash, pro, gpt; did you mean "flash"?',
    ],
    [
      'agents: [{agent: logs, model: [pro, pro]}]',
      '6:45 chains.c.stages[0].agents[0].model[1]: pro is already in this list',
    ],
    [
      'agents: [{agent: metrics, model: gpt}]',
      '6:42 chains.c.stages[0].agents[0].model: nativeTools need models of provider google; "gpt" is of openai. Remove nativeTools, or use another model',
    ],
    [
      'agents: [{agent: metrics, fallback: [pro, gpt]}]',
      '6:51 chains.c.stages[0].agents[0].fallback[1]: nativeTools need models of provider google; "gpt" is of openai. Remove nativeTools, or use another model',
    ],
    [
      'agents: [{agent: logs, fallback: [gtp]}]',
      '6:43 chains.c.stages[0].agents[0].fallback[0]: unknown model "gtp"; expected one of flash, pro, gpt; did you mean "gpt"?',
    ],
    ['agents: [7]', '6:18 chains.c.stages[0].agents[0]: must be a mapping, not a number'],
    [
      'agents: [{agent: logs, replicas: 3}, logs-2]',
      '6:46 chains.c.stages[0].agents[1]: "logs-2" is the name of a replica in this stage; give the agent a different name',
    ],
    [
      'agents: [{agent: logs, replicas: 20}, judge]',
      '6:9 chains.c.stages[0].agents: has 21 runs with all models and replicas; at most 20 fit a stage',
    ],
  ])('is refused with its place and the fix: %s', (line, fault) => {
    expect(faults1(line)).toEqual([`chains.yaml:${fault}`]);
  });

  it('runs on any model that its strategy takes', () => {
    expect(load1('agents: [{agent: text, model: [flash, gpt]}]').agents).toHaveLength(2);
  });
});

describe('a stage', () => {
  it('has a policy and a time', () => {
    expect(load1('agents: [logs]', 'successPolicy: all', 'timeout: 5m')).toMatchObject({
      successPolicy: 'all',
      timeoutMs: 300_000,
    });
    expect(faults1('agents: [logs]', 'successPolicy: most', 'timeout: 5')).toEqual([
      'chains.yaml:7:24 chains.c.stages[0].successPolicy: unknown value "most"; expected one of any, all',
      expect.stringContaining('chains.yaml:8:18 chains.c.stages[0].timeout: must be a duration such as 120s'),
    ]);
  });

  it.each([
    ['tools: [kube]', ['kube'], ['kube']],
    ['tools: [kube.get_logs, kube.list_pods]', ['kube.get_logs', 'kube.list_pods'], []],
    ['tools: [db]', ['db.query'], []],
    ['tools: [kube, db.query]', ['kube', 'db.query'], []],
  ])('leaves its agents only the tools it allows: %s', (line, left) => {
    expect(load1('agents: [logs]', line).agents[0]?.tools).toEqual([...left, 'inquest.ledger']);
  });

  it('has no more tools than its chain allows', () => {
    const text = `${stage('agents: [logs]', 'tools: [kube.get_logs]')}    tools: [kube]\n`;
    expect(resolveChain(load({ 'chains.yaml': text })).stages[0]?.agents[0]?.tools).toEqual([
      'kube.get_logs',
      'inquest.ledger',
    ]);
  });

  it.each([
    [
      ['agents: [logs]', 'tools: [kube, prom]'],
      '7:23 chains.c.stages[0].tools[1]: no agent here has "prom"; this list only takes tools away, so give it to one in agents.yaml, or remove it',
    ],
    [
      ['agents: [logs]', 'tools: [db.drop, kube]'],
      '7:17 chains.c.stages[0].tools[0]: no agent here has "db.drop"; this list only takes tools away, so give it to one in agents.yaml, or remove it',
    ],
    [
      ['agents: [logs]', 'tools: [kube, db.query.all]'],
      '7:23 chains.c.stages[0].tools[1]: no agent here has "db.query.all"; this list only takes tools away, so give it to one in agents.yaml, or remove it',
    ],
    [
      ['agents: [logs, metrics]', 'tools: [kube]'],
      '7:9 chains.c.stages[0].tools: leaves agent "metrics" none of its tools (prom); allow one of them',
    ],
    [['agents: [logs]', 'tools: []'], '7:9 chains.c.stages[0].tools: must hold at least 1'],
    [
      ['agents: [logs]', 'tools: [kub]'],
      '7:17 chains.c.stages[0].tools[0]: unknown server "kub"; servers.yaml defines kube, db, prom; did you mean "kube"?',
    ],
  ])('never widens them: %j', (lines, fault) => {
    expect(faults1(...lines)).toEqual([`chains.yaml:${fault}`]);
  });

  it('is held to the tools that servers have, where they can be asked', () => {
    load1('agents: [logs]', 'tools: [kube.get_lgos]');
    const found = toolFaults(folder, new Map([['kube', ['get_logs']]]), new Map());
    expect(new ConfigError(found).message.replaceAll(`${folder}/`, '')).toBe(
      'chains.yaml:7:17 chains.c.stages[0].tools[0]: the server "kube" has no tool "get_lgos"; it has get_logs; did you mean "kube.get_logs"?',
    );
  });
});

describe('the rules of a chain about further alerts', () => {
  const chain = (...lines: string[]) =>
    `${stage('agents: [logs]')}${lines.map((line) => `    ${line}\n`).join('')}`;
  const rulesOf = (...lines: string[]) => resolveChain(load({ 'chains.yaml': chain(...lines) })).incident;

  it('is the value of the chain, and else the default of all', () => {
    expect(rulesOf()).toBeUndefined();
    const rules = {
      settleMs: 0,
      onResolved: 'finish',
      coolDownMs: 600_000,
      reinvestigateAfterMs: 86_400_000,
    };
    expect(rulesOf('settle: 30s')).toEqual({ ...rules, settleMs: 30_000 });
    expect(rulesOf('reinvestigateAfter: 7d')).toEqual({ ...rules, reinvestigateAfterMs: 7 * 86_400_000 });
    const changed = { onResolved: 'stop', coolDownMs: 0 };
    expect(rulesOf('settle: off', 'onResolved: stop', 'coolDown: off')).toEqual({ ...rules, ...changed });
  });

  it.each([
    ['settle: 1h', '7:13 chains.c.settle: must be at most 30m'],
    ['coolDown: 2d', '7:15 chains.c.coolDown: must be at most 24h'],
    ['reinvestigateAfter: 31d', '7:25 chains.c.reinvestigateAfter: must be at most 30d'],
    [
      'reinvestigateAfter: off',
      '7:25 chains.c.reinvestigateAfter: must be a duration such as 120s: a number and one of ms, s, m, h, d',
    ],
    ['onResolved: end', '7:17 chains.c.onResolved: unknown value "end"; expected one of finish, stop'],
  ])('is refused with its place and the fix: %s', (line, fault) => {
    expect(faults({ 'chains.yaml': chain(line) })).toEqual([`chains.yaml:${fault}`]);
  });
});

describe('rules of a chain', () => {
  const rules = (...lines: string[]) =>
    `${stage('agents: [logs]')}    alerts:\n${lines.map((line) => `      - ${line}\n`).join('')}`;

  it('are read with single values and lists, in their order', () => {
    const text = rules(
      'source: alertmanager',
      '{severity: [page], labels: {team: shop}, text: [disk, full]}',
    );
    expect(load({ 'chains.yaml': text }).alertRules).toEqual({
      c: [
        { source: ['alertmanager'] },
        { severity: ['page'], labels: { team: ['shop'] }, text: ['disk', 'full'] },
      ],
    });
  });

  it.each([
    [
      '{}',
      '8:9 chains.c.alerts[0]: has no condition and would take every alert; give it source, severity, labels or text, or make its chain the default',
    ],
    [
      'source: prometheus',
      `8:17 chains.c.alerts[0].source: unknown source "prometheus"; expected one of ${ALERT_SOURCES.join(', ')}`,
    ],
    [
      '{source: json, label: {team: shop}}',
      '8:24 chains.c.alerts[0].label: unknown key; expected one of source, severity, labels, text; did you mean "labels"?',
    ],
    [
      'labels: {code: 500}',
      '8:24 chains.c.alerts[0].labels.code: must be text, not a number; put it in quotes',
    ],
    ['text: [no]', '8:16 chains.c.alerts[0].text[0]: must have at least 3 characters'],
    ['severity: []', '8:9 chains.c.alerts[0].severity: must hold at least 1'],
  ])('are refused with their place and the fix: %s', (line, fault) => {
    expect(faults({ 'chains.yaml': rules(line) })).toEqual([`chains.yaml:${fault}`]);
  });
});

describe('the folder chains/', () => {
  const chain = (name: string, agent = 'judge') =>
    `chains:\n  ${name}:\n    alerts: [{source: json}]\n    stages: [{name: s, agents: [${agent}]}]\n`;

  it('adds chains, which are asked after those of chains.yaml, by the names of their files', () => {
    const config = load({
      'chains.yaml': `default: last\n${chain('main')}`,
      'chains/b.yaml': chain('second'),
      'chains/a.yaml': chain('first'),
      'chains/z.yaml': 'chains:\n  last: {stages: [{name: s, agents: [judge]}]}\n',
      'chains/README.md': 'Not read.',
    });
    expect(Object.keys(config.chains)).toEqual(['main', 'first', 'second', 'last']);
    expect(Object.keys(config.alertRules)).toEqual(['main', 'first', 'second']);
    expect(config.defaultChain).toBe('last');
  });

  it('can hold all chains', () => {
    const config = load({ 'chains.yaml': 'default: one\n', 'chains/one.yaml': chain('one') });
    expect(resolveChain(config).name).toBe('one');
  });

  it('has its faults in its own files', () => {
    expect(
      faults({
        'chains.yaml': `default: main\n${chain('main')}`,
        'chains/one.yaml': chain('one', 'jugde'),
        'chains/two.yaml': chain('main'),
        'chains/three.yml': '',
      }),
    ).toEqual([
      'chains/three.yml is not read; rename it to three.yaml',
      expect.stringMatching(
        /^chains\/one\.yaml:4:33 chains\.one\.stages\[0\]\.agents\[0\]: unknown agent "jugde"/,
      ),
      'chains/two.yaml:2:3 chains.main: this chain is already defined (chains.yaml:3); give one of them another name',
    ]);
  });

  it('has faults that are found after all files were read in its own files, too', () => {
    const text = 'chains:\n  one:\n    stages: [{name: s, agents: [logs], tools: [prom]}]\n';
    expect(faults({ 'chains.yaml': 'default: one\n', 'chains/one.yaml': text })[0]).toMatch(
      /^chains\/one\.yaml:3:48 chains\.one\.stages\[0\]\.tools\[0\]: no agent here has "prom"/,
    );
  });
});

describe('the results that a stage collects', () => {
  const kube = (settings: string) =>
    BASE['servers.yaml'].replace('url: http://127.0.0.1:1}', `url: http://127.0.0.1:1, ${settings}}`);
  const readable = { 'servers.yaml': kube('readOnly: ["get_*"]') };
  const collecting = (...lines: string[]) => ({
    ...readable,
    'chains.yaml': stage('agents: [logs, judge]', ...lines),
  });

  it('is given only to its agents that have access to the tool', () => {
    const config = load(
      collecting(
        'collect:',
        `  - { tool: kube.get_pods, arguments: { namespace: "\${labels.namespace}", deep: [1, { all: true }] } }`,
        '  - { tool: kube.get_events }',
      ),
    );
    const [plan] = resolveChain(config).stages;
    expect(plan?.agents.map(({ name, collect }) => [name, collect])).toEqual([
      [
        'logs',
        [
          {
            tool: 'kube.get_pods',
            arguments: `{"namespace":"\${labels.namespace}","deep":[1,{"all":true}]}`,
          },
          { tool: 'kube.get_events', arguments: '{}' },
        ],
      ],
      ['judge', []],
    ]);
    expect(plan?.synthesis?.collect).toEqual([]);
  });

  it.each([
    ['{ tool: kube }', '.tool: names a server; name one tool of it: kube.TOOL'],
    [
      '{ tool: cube.get_pods }',
      '.tool: unknown server "cube"; servers.yaml defines kube, db, prom; did you mean "kube"?',
    ],
    [
      '{ tool: prom.get_all }',
      '.tool: no agent of this stage has "prom.get_all"; give it to one in agents.yaml and in the lists of tools here, or remove this call',
    ],
    [
      '{ tool: kube.restart }',
      '.tool: "kube.restart" may change something, and only read-only tools are called before agents start; list it under readOnly of "kube" in servers.yaml if it only reads, or remove this call',
    ],
    [
      `{ tool: kube.get_pods, arguments: { pod: [{ a: "\${PWD}" }] } }`,
      `.arguments.pod[0].a: holds "\${" that is no label of the alert; write \${labels.NAME}`,
    ],
    [
      '{ tool: kube.get_pods, arguments: { since: .nan } }',
      '.arguments.since: must be a number that JSON can hold',
    ],
    ['{ tool: kube.get_pods, args: {} }', '.args: unknown key; expected one of tool, arguments'],
  ])('is refused with place and fix: %s', (call, message) => {
    const [line, ...more] = faults(collecting(`collect: [${call}]`));
    expect(more).toEqual([]);
    expect(line).toMatch(/^chains\.yaml:7:\d+ /);
    expect(line).toContain(`chains.c.stages[0].collect[0]${message}`);
  });

  it('can be a tool of a server whose hints are trusted, until the server declares that it changes something', () => {
    load({
      'chains.yaml': stage('agents: [logs]', 'collect: [{ tool: kube.restart }]'),
      'servers.yaml': kube('trustHints: true'),
    });
    const found = collectedToolFaults(folder, new Map([['kube', ['restart']]]));
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(
        /^chains\.c\.stages\[0\]\.collect\[0\]\.tool: "kube\.restart" may change something/,
      ),
    ]);
    const [missing] = toolFaults(folder, new Map([['kube', ['restart_pod']]]), new Map());
    expect(missing?.path).toBe('chains.c.stages[0].collect[0].tool');
  });
});
