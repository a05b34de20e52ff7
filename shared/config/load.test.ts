import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/fullTests.ts';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { TerminalError } from '../core/errors.ts';
import { chainSnapshotSchema } from '../core/schema/agent.ts';
import { keptTokens } from '../kits/budgets/usageLimits.ts';
import { resolveChain } from './chains.ts';
import { limitFields } from './limitFields.ts';
import { loadAccess, loadConfig, loadSessionConfig } from './load.ts';
import { CONFIG_FILES } from './readFolder.ts';

const LIMITS = Object.keys(limitFields).join(', ');

const GOOD = {
  'models.yaml': 'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n',
  'agents.yaml': 'agents:\n  investigator:\n    instructions: Look.\n    tools: [kubernetes]\n',
  'chains.yaml':
    'default: investigate\nchains:\n  investigate:\n    stages:\n      - name: look\n        agents: [investigator]\n',
  'servers.yaml': 'servers:\n  kubernetes: {transport: http, url: "https://mcp.example.com/mcp"}\n',
};
type Files = Partial<Record<keyof typeof GOOD | 'system.yaml' | 'prices.yaml' | 'destinations.yaml', string>>;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function load(files: Files = {}, env: NodeJS.ProcessEnv = {}) {
  writeFiles({ ...GOOD, ...files }, folder);
  return loadConfig(folder, env);
}

const faults = (files: Files, env: NodeJS.ProcessEnv = {}) => listFaults(() => load(files, env));

function agentOf(files: Files = {}) {
  const agent = resolveChain(load(files)).stages[0]?.agents[0];
  if (agent === undefined) throw new Error('the chain has no agent');
  return agent;
}

it('names a chain for questions that does not exist, with its place', () => {
  const team =
    'kind: slack, token: xoxb-1234567890, channel: C0123456789, team: T0123456789, signingSecret: s';
  const asks = (chain: string) => ({
    'destinations.yaml': `destinations:\n  team: { ${team}, asks: { chain: ${chain} } }\n`,
  });
  expect(faults(asks('investigat'))).toEqual([
    expect.stringMatching(/destinations\.yaml.*2:.*asks\.chain.*unknown chain "investigat".*investigate/),
  ]);
  expect(() => load(asks('investigate'))).not.toThrow();
});

describe('prices', () => {
  const line = (price: string) => ({ 'prices.yaml': `models:\n  gemini-3.8-flash:\n    - {${price}}\n` });
  const price = 'from: 2026-09-02, input: 0.75, cached: 0.075, output: 3.75';

  it('stand in the snapshot of each agent that uses the model', () => {
    expect(agentOf(line(price)).model.prices).toEqual([
      { from: '2026-09-02', input: 0.75, cached: 0.075, output: 3.75 },
    ]);
  });

  it('are unknown for other models, and without the file', () => {
    expect(agentOf({ 'prices.yaml': `models:\n  gemini:\n    - {${price}}\n` }).model).not.toHaveProperty(
      'prices',
    );
    expect(agentOf().model).not.toHaveProperty('prices');
  });

  it.each([
    ['from: 2026-09-02, input: 0.75, output: 3.75', 'cached: is missing; expected a number'],
    ['from: September, input: 1, cached: 1, output: 1', 'from: '],
    ['from: 2026-02-30, input: 1, cached: 1, output: 1', 'from: '],
    ['from: 2026-09-02, input: -1, cached: 1, output: 1', 'input: '],
    ['from: 2026-09-02, input: 1, cached: 1, output: 1, thinking: 1', 'thinking'],
  ])('are refused: %s', (text, fault) => {
    const [first = '', ...rest] = faults(line(text));
    expect(first).toContain('prices.yaml:3:');
    expect(first).toContain(`models.gemini-3.8-flash[0]`);
    expect(first).toContain(fault);
    expect(rest).toEqual([]);
  });

  it('are refused twice for a day', () => {
    const twice = { 'prices.yaml': `models:\n  g:\n    - {${price}}\n    - {${price}}\n` };
    expect(faults(twice)).toEqual(['prices.yaml:4:14 models.g[1].from: 2026-09-02 has a price already']);
  });
});

describe('the ledger of a chain', () => {
  const toolsOf = (ledger: string, tools: string): string[] | undefined => {
    const agents = `agents:\n  investigator:\n    instructions: Look.\n    tools: ${tools}\n`;
    const config = load({ 'chains.yaml': `${GOOD['chains.yaml']}${ledger}`, 'agents.yaml': agents });
    return resolveChain(config).stages[0]?.agents[0]?.tools;
  };

  it.each([
    ['    ledger: on\n', '[kubernetes]', ['kubernetes', 'inquest.ledger']],
    ['    ledger: on\n', '[search]', ['search']],
    ['    ledger: off\n', '[kubernetes]', ['kubernetes']],
    ['', '[kubernetes]', ['kubernetes', 'inquest.ledger']],
    ['', '[search]', ['search']],
  ])('%j gives an agent with %s the tools %j', (ledger, tools, expected) => {
    expect(toolsOf(ledger, tools)).toEqual(expected);
  });

  it('gives it an agent that checks claims, and its settings', () => {
    const chainOf = (lines: string) =>
      resolveChain(load({ 'chains.yaml': `${GOOD['chains.yaml']}${lines}` }));
    const on = chainOf('    ledger: required\n    lookback: 6h\n    stopWhen: confirmed\n');
    expect(on).toMatchObject({
      claims: { name: 'claims-check' },
      lookbackMs: 21_600_000,
      stopWhen: 'confirmed',
    });
    expect(chainOf('').claims).toEqual(on.claims);
    expect(chainOf('    ledger: off\n').claims).toBeUndefined();
    expect(() => chainOf('    ledger: off\n    stopWhen: confirmed\n')).toThrow(
      /stopWhen.*remove `ledger: off`/,
    );
  });
});

describe('the configuration that comes with the project', () => {
  const shipped = path.resolve(import.meta.dirname, '../../config');

  it('loads with nothing set', () => {
    const config = loadConfig(shipped, {});
    const chain = resolveChain(config);
    expect(chainSnapshotSchema.parse(chain)).toEqual(chain);
    expect(chain.stages[0]?.agents[0]).toMatchObject({
      name: 'kubernetes-investigator',
      tools: ['kubernetes', 'inquest.ledger'],
    });
  });

  it('takes the address of the Kubernetes server from the environment', () => {
    const { servers } = loadConfig(shipped, { KUBERNETES_MCP_URL: 'https://k8s.example.com/mcp' });
    expect(servers.kubernetes).toMatchObject({ transport: 'http', url: 'https://k8s.example.com/mcp' });
  });

  it('shows the true defaults in the comments of system.yaml', () => {
    cpSync(shipped, folder, { recursive: true });
    const plain = loadConfig(folder, {});
    const text = readFileSync(path.join(shipped, 'system.yaml'), 'utf8');
    const uncommented = text.replaceAll(/^# ([A-Za-z]+: )/gm, '$1');
    expect(uncommented.match(/^[A-Za-z]+:/gm)).toHaveLength(22);
    writeFileSync(path.join(folder, 'system.yaml'), uncommented);
    const explicit = loadConfig(folder, {});
    expect(resolveChain(explicit)).toEqual(resolveChain(plain));
    expect(explicit.sessionDeadlineMs('investigate')).toBe(plain.sessionDeadlineMs('investigate'));
    expect(explicit.budgets('investigate')).toEqual(plain.budgets('investigate'));
    expect(explicit.reserveForCritical?.(null)).toBe(plain.reserveForCritical?.(null));
    expect(explicit.budgetRules).toHaveProperty('shop');
    expect(explicit.ownServices).toEqual(plain.ownServices);
    expect(explicit.retentionMs).toBe(plain.retentionMs);
    expect(explicit.alertPromptBytes).toBe(plain.alertPromptBytes);
  });
});

describe('summaryModel', () => {
  const models =
    'default: flash\nmodels:\n  flash: {provider: google, model: gemini-3.8-flash}\n  lite: {provider: google, model: gemini-3.1-flash-lite}\n  other: {provider: anthropic, model: claude, thinkingLevel: low}\n';
  const summaryOf = (text: string) =>
    resolveChain(load({ 'models.yaml': models, 'system.yaml': text })).summary;

  it('is the default model, or the one it names; its call takes a minute at most, and it has no tools', () => {
    expect(summaryOf('maxIterations: 7\n')).toMatchObject({
      name: 'executive-summary',
      strategy: 'executive-summary',
      model: { model: 'gemini-3.8-flash' },
      tools: [],
      limits: { maxIterations: 1, iterationTimeoutMs: 60_000 },
    });
    expect(summaryOf('summaryModel: lite\niterationTimeout: 10s\n')).toMatchObject({
      model: { model: 'gemini-3.1-flash-lite' },
      limits: { iterationTimeoutMs: 10_000 },
    });
  });

  it('off means that none is written', () => {
    expect(summaryOf('summaryModel: off\n')).toBeUndefined();
  });

  it('must be a model that can be asked', () => {
    const of = (name: string) => faults({ 'models.yaml': models, 'system.yaml': `summaryModel: ${name}\n` });
    expect(of('lit')).toEqual([
      'system.yaml:1:15 summaryModel: unknown model "lit"; expected one of flash, lite, other, off; did you mean "lite"?',
    ]);
    expect(of('other')).toEqual([
      expect.stringMatching(/^system.yaml:1:15 summaryModel: model "other" sets thinkingLevel/),
    ]);
  });
});

describe('loadConfig', () => {
  it.each([...CONFIG_FILES])('checks %s by its schema', (name) => {
    load();
    writeFileSync(path.join(folder, name), `${GOOD[name as keyof typeof GOOD] ?? ''}nothingLikeThis: 1\n`);
    const check = name === 'access.yaml' ? () => loadAccess(folder) : () => loadConfig(folder, {});
    expect(listFaults(check)).toEqual([expect.stringMatching(`${name}:\\d+.*nothingLikeThis: unknown key`)]);
  });

  it('fills in everything a file leaves out', () => {
    expect(agentOf()).toEqual({
      name: 'investigator',
      strategy: 'native-thinking',
      collect: [],
      instructions: 'Look.',
      model: { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true },
      fallback: [],
      tools: ['kubernetes', 'inquest.ledger'],
      nativeTools: [],
      combineNativeTools: false,
      outsideTools: 'apart',
      limits: {
        maxIterations: 20,
        iterationTimeoutMs: 120_000,
        toolTimeoutMs: 60_000,
        toolResultBytes: 64_000,
        afterFailure: 'fail',
        repeatedCalls: 'refuse',
        conversationBytes: 3_000_000,
        sessionTokens: 2_000_000,
      },
    });
  });

  it("takes an agent's native tools, and whether search suggestions are kept", () => {
    const agent = agentOf({
      'agents.yaml':
        'agents: {investigator: {instructions: Look., tools: [kubernetes], nativeTools: [google_search, url_context], combineNativeTools: true, outsideTools: together}}',
      'models.yaml':
        'default: flash\nmodels: {flash: {provider: google, model: gemini-3.8-flash, storeSearchEntryPoint: true}}',
    });
    expect(agent).toMatchObject({
      nativeTools: ['google_search', 'url_context'],
      combineNativeTools: true,
      outsideTools: 'together',
      model: { storeSearchEntryPoint: true },
    });
  });

  it("takes a model's limit of an answer, in bytes", () => {
    const limited = (limit: string) => ({
      'models.yaml': `default: m\nmodels:\n  m: {provider: google, model: g, answerLimit: ${limit}}\n`,
    });
    expect(agentOf(limited('5MB')).model).toMatchObject({ answerBytes: 5_000_000 });
    expect(agentOf(limited('5MB')).model).not.toHaveProperty('answerLimit');
    expect(agentOf().model).not.toHaveProperty('answerBytes');
    expect(faults(limited('65MB'))).toEqual(['models.yaml:3:48 models.m.answerLimit: must be at most 64MB']);
  });

  it.each([
    ['', '', {}],
    ['serviceTier: priority', '', { any: 'priority' }],
    ['serviceTier: priority', 'serviceTier: flex', { any: 'flex' }],
    [
      'serviceTier: { critical: priority }',
      'serviceTier: { info: flex }',
      { critical: 'priority', info: 'flex' },
    ],
    ['serviceTier: { critical: priority }', 'serviceTier: flex', { any: 'flex' }],
  ])('takes the service tier from the nearest level: chain "%s", agent "%s"', (chain, agent, tiers) => {
    const files = {
      'system.yaml': chain === '' && agent === '' ? '' : 'serviceTier: standard\n',
      'chains.yaml': `default: c\nchains:\n  c:\n    ${chain || 'maxIterations: 9'}\n    stages: [{name: s, agents: [investigator]}]\n`,
      'agents.yaml': `agents:\n  investigator:\n    instructions: Look.\n    ${agent}\n`,
    };
    const { any = 'standard', ...others } = tiers as Record<string, string>;
    expect(agentOf(files).tiers).toEqual(files['system.yaml'] === '' ? undefined : { any, ...others });
  });

  it('reports a wrong service tier of a severity at its own place', () => {
    const text =
      'agents:\n  investigator:\n    instructions: Look.\n    serviceTier:\n      info: flex\n      error: fast\n';
    expect(faults({ 'agents.yaml': text })).toEqual([
      'agents.yaml:6:14 agents.investigator.serviceTier.error: unknown value "fast"; expected one of standard, flex, priority',
    ]);
  });

  it('takes each limit from the nearest level: agent, stage, chain, system', () => {
    const agent = agentOf({
      'system.yaml':
        'maxIterations: 1\niterationTimeout: 1s\ntoolTimeout: 1s\ntoolResultLimit: 1KB\nrepeatedCalls: refuse\nsessionTokens: 8\n',
      'chains.yaml':
        'default: c\nchains:\n  c:\n    iterationTimeout: 2s\n    toolTimeout: 2s\n    toolResultLimit: 2KB\n    sessionTokens: 7\n' +
        '    stages: [{name: s, agents: [investigator], toolTimeout: 3s, toolResultLimit: 3KB}]\n',
      'agents.yaml':
        'agents: {investigator: {instructions: Look., toolResultLimit: 4KB, repeatedCalls: run, conversationBytes: 5KB}}',
    });
    expect(agent.limits).toEqual({
      maxIterations: 1,
      iterationTimeoutMs: 2000,
      toolTimeoutMs: 3000,
      toolResultBytes: 4000,
      afterFailure: 'fail',
      repeatedCalls: 'run',
      conversationBytes: 5000,
      sessionTokens: 7,
    });
  });

  it('takes the budgets of chain and system, off where there is to be none', () => {
    const chains =
      'default: a\nchains:\n  a: {stages: [{name: s, agents: [investigator]}], sessionsPerHour: 5, dailyTokens: 700000, sessionTokens: off}\n';
    const other = '  b: {stages: [{name: s, agents: [investigator]}]}\n';
    const config = load({ 'chains.yaml': chains + other, 'system.yaml': 'dailyTokens: 900000\n' });
    const daily = [
      { chain: 'a', limit: 700_000 },
      { chain: null, limit: 900_000 },
    ];
    expect(config.budgets('a')).toEqual({
      sessionsPerHour: [
        { chain: 'a', limit: 5 },
        { chain: null, limit: 100 },
      ],
      dailyTokens: daily,
    });
    expect(config.budgets('b').dailyTokens).toEqual(daily.slice(1));
    expect(config.reserveForCritical?.('a')).toBe(20);
    const reserving = load({
      'chains.yaml': chains.replace('sessionsPerHour', 'reserveForCritical: 50, sessionsPerHour') + other,
      'system.yaml': 'reserveForCritical: 0\n',
    });
    // Stored sessions can have a chain that is gone.
    const names = ['a', 'b', null, 'gone'];
    expect(names.map((chain) => reserving.reserveForCritical?.(chain))).toEqual([50, 0, 0, 0]);
    const limits = resolveChain(config, 'a').stages[0]?.agents[0]?.limits;
    expect(limits).toMatchObject({ dailyTokens: daily });
    expect(limits).not.toHaveProperty('sessionTokens');
    expect(load({ 'system.yaml': 'sessionsPerHour: off' }).budgets('investigate').sessionsPerHour).toEqual(
      [],
    );
    expect(faults({ 'system.yaml': 'sessionsPerHour: 0\nsessionTokens: none\n' })).toEqual([
      'system.yaml:1:18 sessionsPerHour: must be at least 1',
      'system.yaml:2:16 sessionTokens: must be a whole number from 1, or off',
    ]);
  });

  it('refuses a day or month that has no room for one call and its conclusion, and names the field', () => {
    const chains = (tokens: string) =>
      `default: a\nchains:\n  a: {stages: [{name: s, agents: [investigator]}], dailyTokens: ${tokens}}\n`;
    const [least, fault] = [131_072, 'has no room for one call of chain'];
    const system = `dailyTokens: ${least - 1}\nbudgets: { shop: { tokens: ${least - 1}, period: month } }\n`;
    const found = faults({ 'chains.yaml': chains(`${least - 1}`), 'system.yaml': system });
    expect(found).toEqual([
      expect.stringMatching(`^chains.yaml:3:\\d+ chains.a.dailyTokens: ${fault} "a", .*set ${least} or more`),
      expect.stringMatching(`^system.yaml:1:14 dailyTokens: ${fault}`),
      expect.stringMatching(`^system.yaml:2:\\d+ budgets.shop.tokens: ${fault}`),
    ]);
    const enough = {
      'chains.yaml': chains('off'),
      'system.yaml': system.replaceAll(`${least - 1}`, `${least}`),
    };
    expect(load(enough).budgets('a').dailyTokens).toEqual([{ chain: null, limit: least }]);
    // The runtime keeps as much for the conclusion.
    expect(least / 2 + keptTokens({ chain: null, limit: least }, least / 2)).toBe(least);
  });

  it('takes the deadline of the chain before that of the system', () => {
    const chains =
      'default: a\nchains:\n  a: {stages: [{name: s, agents: [investigator]}], sessionDeadline: 5m}\n';
    const other = '  b: {stages: [{name: s, agents: [investigator]}]}\n';
    const config = load({
      'chains.yaml': chains + other,
      'system.yaml': 'sessionDeadline: 10m\nretention: 7d',
    });
    expect(config.sessionDeadlineMs('a')).toBe(300_000);
    expect(config.sessionDeadlineMs('b')).toBe(600_000);
    expect(config.retentionMs).toBe(7 * 86_400_000);
  });

  it('does without servers.yaml and system.yaml, and with empty ones', () => {
    const agents = 'agents: {investigator: {instructions: Look.}}';
    expect(load({ 'agents.yaml': agents, 'servers.yaml': '# none\n', 'system.yaml': '' }).servers).toEqual(
      {},
    );
    expect(load({ 'agents.yaml': agents, 'servers.yaml': 'servers:\n' }).servers).toEqual({});
    rmSync(path.join(folder, 'servers.yaml'));
    rmSync(path.join(folder, 'system.yaml'));
    expect(loadConfig(folder, {}).servers).toEqual({});
  });
});

describe('servers', () => {
  it('fill in variables, and resolve the working directory against the folder', () => {
    const { servers } = load(
      {
        'servers.yaml':
          'servers:\n' +
          `  kubernetes: {transport: http, url: "\${URL}", headers: {Authorization: "Bearer \${TOKEN}"}, timeout: 5s}\n` +
          `  local: {transport: stdio, command: node, args: ["\${SCRIPT:-server.mjs}"], env: {KEY: "\${TOKEN}"}}\n` +
          '  below: {transport: stdio, command: node, cwd: tools}\n',
      },
      { URL: 'https://mcp.example.com/mcp', TOKEN: 't0ken' },
    );
    expect(servers.kubernetes).toMatchObject({
      url: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer t0ken' },
      timeoutMs: 5000,
    });
    expect(servers.local).toMatchObject({ args: ['server.mjs'], env: { KEY: 't0ken' }, cwd: folder });
    expect(servers.below).toMatchObject({ cwd: path.join(folder, 'tools') });
  });

  it('limit results in bytes or tokens, name the model that summarises them, and can have their instructions ignored', () => {
    const { servers } = load({
      'servers.yaml':
        'servers:\n' +
        '  kubernetes: {transport: stdio, command: x, resultLimit: 8000 tokens, summarize: flash}\n' +
        '  local: {transport: stdio, command: x, resultLimit: 8KB, instructions: ignore}\n',
      'prices.yaml':
        'models:\n  gemini-3.8-flash:\n    - {from: 2026-09-02, input: 1, cached: 1, output: 1}\n',
    });
    const { resultBytes, summarizeWith } = servers.kubernetes ?? {};
    expect(resultBytes).toBe(32_000);
    expect(summarizeWith).toMatchObject({
      provider: 'google',
      model: 'gemini-3.8-flash',
      prices: [{ input: 1 }],
    });
    expect(servers.local?.resultBytes).toBe(8_000);
    expect([servers.kubernetes?.instructions, servers.local?.instructions]).toEqual([undefined, 'ignore']);
    expect(servers.local).not.toHaveProperty('summarizeWith.model');
  });

  it('name a missing variable, and never show a value', () => {
    const yaml = `servers:\n  kubernetes:\n    transport: http\n    url: \${BASE}/mcp\n    headers:\n      X-Key: \${KEY}\n`;
    expect(faults({ 'servers.yaml': yaml }, { BASE: 'not a url, s3cret' })).toEqual([
      `servers.yaml:6:14 servers.kubernetes.headers.X-Key: environment variable KEY is not set; set it, or give a default, as in \${NAME:-default}`,
    ]);
    expect(faults({ 'servers.yaml': yaml }, { BASE: 'not a url, s3cret', KEY: 's3cret\ns3cret' })).toEqual([
      'servers.yaml:4:10 servers.kubernetes.url: must be an http or https URL',
      'servers.yaml:6:14 servers.kubernetes.headers.X-Key: must be one line',
    ]);
  });

  it.each([
    [
      '{url: "http://a/mcp"}',
      '2:3 servers.kubernetes.transport: is missing; expected one of stdio, http, recorded',
    ],
    [
      '{transport: htp}',
      '2:27 servers.kubernetes.transport: unknown value "htp"; expected one of stdio, http, recorded; did you mean "http"?',
    ],
    [
      '{transport: stdio, command: x, url: "http://a"}',
      '2:46 servers.kubernetes.url: unknown key; expected one of transport, command, args, env, home, cwd, access, readOnly, trustHints, reaches, tools, yields, fields, arguments, scope, connectTimeout, timeout, resultLimit, summarize, instructions, keepConnection, limits, instances',
    ],
    [
      '{transport: stdio, command: x, env: {PORT: 80}}',
      '2:58 servers.kubernetes.env.PORT: must be text, not a number; put it in quotes',
    ],
    [
      '{transport: stdio, command: x, tools: {restart: {approval: required}}}',
      '2:54 servers.kubernetes.tools.restart: has no effect with access: read, where no tool that changes something is offered; set access: write',
    ],
    [
      '{transport: stdio, command: x, summarize: flahs}',
      '2:57 servers.kubernetes.summarize: unknown model "flahs"; expected one of flash; did you mean "flash"?',
    ],
    [
      '{transport: stdio, command: x, resultLimit: 8000}',
      '2:59 servers.kubernetes.resultLimit: must be a size such as 64KB or 16000 tokens: a number and one of B, KB, KiB, MB, MiB, tokens',
    ],
    [
      '{transport: stdio, command: x, resultLimit: 100001 tokens}',
      '2:59 servers.kubernetes.resultLimit: must be at most 400KB',
    ],
    [
      '{transport: stdio, command: x, access: write, tools: {restart: {idempotent: key}}}',
      '2:69 servers.kubernetes.tools.restart: does not set approval; write approval: required, or approval: none if its calls need no approval',
    ],
    [
      '{transport: stdio, command: x, access: write, tools: {restart: {approval: yes}}}',
      '2:89 servers.kubernetes.tools.restart.approval: unknown value "yes"; expected one of required, none',
    ],
    [
      '{transport: stdio, command: x, access: write, tools: {r: {approval: none, probe: {tool: get, happened: "yes", didNotHappen: "no"}}}}',
      '2:103 servers.kubernetes.tools.r.probe.tool: "get" must be read-only; list it under readOnly',
    ],
    [
      '{transport: stdio, command: x, access: write, readOnly: [get], tools: {r: {approval: none, probe: {tool: get, happened: done, didNotHappen: not done}}}}',
      '2:155 servers.kubernetes.tools.r.probe.didNotHappen: must not contain the text of happened, nor be part of it: the two answers could not be distinguished',
    ],
    [
      '{transport: stdio, command: x, access: write, readOnly: [get], tools: {r: {approval: none, idempotent: key, probe: {tool: get, happened: a, didNotHappen: b}}}}',
      '2:123 servers.kubernetes.tools.r.probe: has no effect: with idempotent: key a call is repeated without asking; remove one of the two',
    ],
    [
      `{transport: stdio, command: x, arguments: {namespace: "a \${labels.namespace}"}}`,
      `2:69 servers.kubernetes.arguments.namespace: must be "\${labels.NAME}" without other text, or a fixed text without "\${"`,
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: google, headers: {authorization: x}}',
      '2:102 servers.kubernetes.headers.authorization: is already sent by auth: google; remove this header, or auth',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", audience: a}',
      '2:73 servers.kubernetes.audience: has no effect without auth: google; add that, or remove this',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: basic}',
      '2:69 servers.kubernetes.auth: unknown value "basic"; expected one of google, github-app, oauth',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: github-app}',
      '2:69 servers.kubernetes.auth: needs githubApp with appId, installationId, privateKey and repositories: the token of an installation is limited to them',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: oauth, oauth: {grant: login}, quotaProject: shop-prod}',
      '2:113 servers.kubernetes.quotaProject: has no effect without auth: google; add that, or remove this',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: oauth, oauth: {grant: client-credentials, clientId: a, clientSecret: b}}',
      '2:138 servers.kubernetes.oauth.clientSecret: needs issuer: otherwise the server could name any receiver of the secret',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: oauth, oauth: {grant: login, issuer: "http://b.example"}}',
      '2:106 servers.kubernetes.oauth.issuer: must be an https URL with auth: oauth: others could read the token on its way',
    ],
    [
      '{transport: http, url: "http://a.example/mcp", auth: google}',
      '2:38 servers.kubernetes.url: must be an https URL with auth: google: others could read the token on its way',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: google, scopes: ["https://s"]}',
      "2:77 servers.kubernetes.scopes: would give a.example a token for Google's APIs; such tokens go only to *.googleapis.com: use audience",
    ],
    [
      '{transport: http, url: "https://a.googleapis.com/mcp", auth: google, audience: a, scopes: ["https://s"]}',
      '2:97 servers.kubernetes.scopes: makes it an access token, which has no audience; keep audience for a server of your own, scopes for one of Google',
    ],
    [
      '{transport: http, url: "https://a.googleapis.com/mcp", auth: google, scopes: [logging.read]}',
      '2:93 servers.kubernetes.scopes[0]: must be a scope: https://www.googleapis.com/auth/NAME',
    ],
    [
      '{transport: http, url: "https://a.example/mcp", auth: google, impersonate: me@example.com}',
      '2:90 servers.kubernetes.impersonate: must be a service account: NAME@PROJECT.iam.gserviceaccount.com',
    ],
    [
      '{transport: stdio, command: x, home: inherit, env: {HOME: /tmp}}',
      '2:52 servers.kubernetes.home: has no effect: env sets HOME; remove one of the two',
    ],
    [
      '{transport: stdio, command: x, auth: google}',
      '2:46 servers.kubernetes.auth: unknown key; expected one of transport, command, args, env, home, cwd, access, readOnly, trustHints, reaches, tools, yields, fields, arguments, scope, connectTimeout, timeout, resultLimit, summarize, instructions, keepConnection, limits, instances',
    ],
  ])('refuse %s', (entry, line) => {
    expect(faults({ 'servers.yaml': `servers:\n  kubernetes: ${entry}\n` })).toEqual([
      `servers.yaml:${line}`,
    ]);
  });
});

describe('loadSessionConfig', () => {
  const unset = `servers: {kubernetes: {transport: http, url: "$\{NOSUCH_URL}"}}\n`;
  const loadSession = (files: Files) => {
    expect(faults(files)).not.toEqual([]);
    return loadSessionConfig(folder);
  };

  it('needs no variable of servers.yaml', () => {
    expect(faults({ 'servers.yaml': unset }).join()).toContain('NOSUCH_URL');
    expect(resolveChain(loadSession({ 'servers.yaml': unset })).stages[0]?.agents[0]?.tools).toEqual([
      'kubernetes',
      'inquest.ledger',
    ]);
  });

  it('returns the same as loadConfig, except for the servers and the agents that can be asked', () => {
    const {
      servers,
      askable: _,
      quotas: _quotas,
      sessionDeadlineMs,
      budgets,
      reserveForCritical,
      notify,
      agents,
      ...config
    } = load();
    expect(servers).not.toEqual({});
    const {
      sessionDeadlineMs: deadlineMs,
      budgets: ownBudgets,
      reserveForCritical: ownReserve,
      notify: ownNotify,
      agents: ownAgents,
      ...session
    } = loadSessionConfig(folder);
    expect(ownAgents?.names).toEqual(agents?.names);
    expect(session).toEqual(config);
    expect(deadlineMs('investigate')).toBe(sessionDeadlineMs('investigate'));
    expect(ownBudgets('investigate')).toEqual(budgets('investigate'));
    expect(ownReserve?.('investigate')).toBe(reserveForCritical?.('investigate'));
    const request = { chain: 'investigate', rule: 'default', tenantId: 'default', severity: 'critical' };
    expect(ownNotify?.(request)).toEqual(notify?.(request));
  });

  it('finds all other faults, an unknown server among them', () => {
    const files = { 'servers.yaml': unset.replace('kubernetes', 'k8s') };
    expect(listFaults(() => loadSession(files))).toEqual([
      'agents.yaml:4:13 agents.investigator.tools[0]: unknown server "kubernetes"; servers.yaml defines k8s',
    ]);
    expect(listFaults(() => loadSession({ 'servers.yaml': 'servers: {' }))).not.toEqual([]);
    expect(listFaults(() => loadSession({ 'servers.yaml': 'server: {}' })).join()).toContain('unknown key');
  });
});

it('a provider of an extension is known in models.yaml', () => {
  const models = 'default: flash\nmodels:\n  flash: {provider: in-house, model: in-house-1}\n';
  load();
  writeFileSync(path.join(folder, 'models.yaml'), models);
  const extensions = { toolSources: [], providers: ['in-house'] };
  const [stage] = resolveChain(loadConfig(folder, {}, extensions)).stages;
  expect(stage?.agents[0]?.model).toMatchObject({ provider: 'in-house', model: 'in-house-1' });
  expect(listFaults(() => loadConfig(folder, {})).join()).toContain('unknown provider "in-house"');
});

describe('tool sources of our own', () => {
  const agents = GOOD['agents.yaml'].replace('[kubernetes]', '[kubernetes, runbooks.read]');
  const loadWith = (files: Files, toolSources: string[]) => {
    load();
    writeFiles(files, folder);
    return loadConfig(folder, {}, { toolSources, providers: [] });
  };

  it('can be used by agents, like servers', () => {
    const [stage] = resolveChain(loadWith({ 'agents.yaml': agents }, ['runbooks'])).stages;
    expect(stage?.agents[0]?.tools).toEqual(['kubernetes', 'runbooks.read', 'inquest.ledger']);
  });

  it('are named when an agent uses another', () => {
    expect(listFaults(() => loadWith({ 'agents.yaml': agents }, ['runbook']))).toEqual([
      'agents.yaml:4:25 agents.investigator.tools[1]: unknown server "runbooks"; servers.yaml defines kubernetes; built in: runbook; did you mean "runbook"?',
    ]);
  });

  it('keep their names: no server of servers.yaml can have one', () => {
    expect(listFaults(() => loadWith({}, ['kubernetes']))).toEqual([
      'servers.yaml:2:3 servers.kubernetes: is the name of a built-in tool source',
    ]);
  });
});

describe('faults', () => {
  it('come all at once, from all files, with line and column', () => {
    expect(
      faults({
        'models.yaml': 'default: flahs\nmodels:\n  flash: {provider: google, thinkingLevel: mediun}\n',
        'agents.yaml':
          'agents:\n  investigator:\n    stratgy: native-thinking\n    model: fast\n    instructions: Look.\n' +
          '    tools: [kubernets.get_logs, kubernetes.]\n    maxIterations: 0\n    toolTimeout: 30\n',
        'chains.yaml':
          'default: investigate\nchains:\n  investigate:\n    stages:\n      - agents: [investigatr]\n',
        'system.yaml': 'retention: 30 days\nmaxIteration: 3\n',
      }),
    ).toEqual([
      'models.yaml:1:10 default: unknown model "flahs"; expected one of flash; did you mean "flash"?',
      'models.yaml:3:3 models.flash.model: is missing; expected text',
      'models.yaml:3:44 models.flash.thinkingLevel: unknown value "mediun"; expected one of minimal, low, medium, high; did you mean "medium"?',
      `agents.yaml:3:5 agents.investigator.stratgy: unknown key; expected one of description, strategy, model, fallback, instructions, tools, asks, nativeTools, combineNativeTools, outsideTools, skills, serviceTier, ${LIMITS}; did you mean "strategy"?`,
      'agents.yaml:4:12 agents.investigator.model: unknown model "fast"; expected one of flash; did you mean "flash"?',
      'agents.yaml:6:13 agents.investigator.tools[0]: unknown server "kubernets"; servers.yaml defines kubernetes; did you mean "kubernetes"?',
      'agents.yaml:6:33 agents.investigator.tools[1]: names no tool after the dot; write kubernetes for all its tools',
      'agents.yaml:7:20 agents.investigator.maxIterations: must be at least 1',
      'agents.yaml:8:18 agents.investigator.toolTimeout: must be a duration such as 120s: a number and one of ms, s, m, h, d',
      'chains.yaml:5:9 chains.investigate.stages[0].name: is missing; expected text',
      'chains.yaml:5:18 chains.investigate.stages[0].agents[0]: unknown agent "investigatr"; expected one of investigator; did you mean "investigator"?',
      'system.yaml:1:12 retention: must be a duration such as 120s: a number and one of ms, s, m, h, d',
      `system.yaml:2:1 maxIteration: unknown key; expected one of sessionDeadline, retention, alertPromptLimit, runbookHosts, runbookLimit, summaryModel, smallModel, judgeModel, embeddingModel, sessionTokens, dailyTokens, sessionsPerHour, reserveForCritical, budgets, serviceTier, ownServices, features, ${LIMITS}; did you mean "maxIterations"?`,
    ]);
  });

  it('of an unknown strategy have their own code', () => {
    const text = 'agents:\n  investigator: {instructions: Look., strategy: native-thinkin}\n';
    expect(() => load({ 'agents.yaml': text })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_UNKNOWN_STRATEGY',
        message: expect.stringContaining('agents.yaml:2:49 agents.investigator.strategy: unknown value'),
      }),
    );
    expect(() => load({ 'agents.yaml': text, 'system.yaml': 'x: 1' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it.each([
    [
      'a syntax error',
      'agents:\n  a: [b\n',
      /^agents\.yaml:3:1 not valid YAML: the indentation .* not closed$/,
    ],
    [
      'a tab',
      'agents:\n\ta: b\n',
      /^agents\.yaml:2:1 not valid YAML: a tab stands in the place of blanks; indent with spaces$/,
    ],
    [
      'an unknown tag',
      'agents: !env AGENTS\n',
      /^agents\.yaml:1:9 not valid YAML: a "!type" is unknown .*; put a text that starts with "!" in quotes$/,
    ],
    ['two documents', 'agents: {}\n---\nagents: {}\n', /^agents\.yaml:2:1 not valid YAML/],
    [
      'a prototype key',
      'agents:\n  __proto__: {instructions: x}\n',
      /^agents\.yaml:2:3 "__proto__" cannot be used as a key/,
    ],
    [
      'an inherited name',
      'agents:\n  toString: {instructions: x}\n',
      /^agents\.yaml:2:3 "toString" cannot be used as a key/,
    ],
    ['a key that is no text', 'agents:\n  ? {a: 1}\n  : 2\n', /^agents\.yaml:2:5 a key must be plain text/],
    ['deep nesting', `agents: ${'['.repeat(50_000)}`, /^agents\.yaml:1:\d+ not (valid|readable as) YAML/],
  ])('report %s with its place', (_, text, expected) => {
    expect(faults({ 'agents.yaml': text })[0]).toMatch(expected);
  });

  it('report a key that is there twice, and continue', () => {
    const text = 'agents:\n  investigator: {instructions: a}\n  investigator: {instructions: b, x: 1}\n';
    expect(faults({ 'agents.yaml': text })).toEqual([
      'agents.yaml:3:3 this key is there twice; keep one of them',
      expect.stringContaining('agents.yaml:3:35 agents.investigator.x: unknown key'),
    ]);
  });

  it('refuse an alias bomb at once', () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `  l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`,
    );
    const text = `agents:\n  l0: &l0 [x, x]\n${levels.join('\n')}\n`;
    expect(faults({ 'agents.yaml': text })[0]).toMatch(
      /^agents\.yaml:1:1 not readable as YAML: it has too many references/,
    );
  });

  it('survive an alias of itself', () => {
    expect(faults({ 'agents.yaml': 'agents: &a\n  b: *a\n' })).not.toEqual([]);
  });

  it('name the type that was expected', () => {
    expect(faults({ 'agents.yaml': 'agents: [a]\n' })[0]).toBe(
      'agents.yaml:1:1 agents: must be a mapping, not a list',
    );
    expect(faults({ 'agents.yaml': '' })[0]).toBe('agents.yaml:1:1 must be a mapping, not empty');
    expect(faults({ 'agents.yaml': 'agents: {a.b: {instructions: x}}\n' })[0]).toBe(
      'agents.yaml:1:10 agents.a.b: must start with a letter and hold only letters, digits, "_" and "-" (63 at most)',
    );
  });

  it('refuse an agent twice in one stage, because both would have the same execution id', () => {
    const text = 'default: c\nchains: {c: {stages: [{name: s, agents: [investigator, investigator]}]}}\n';
    expect(faults({ 'chains.yaml': text })).toEqual([
      'chains.yaml:2:56 chains.c.stages[0].agents[1]: agent "investigator" is already in this stage; write replicas, or a list as its model, to run it more than once',
    ]);
  });

  it('refuse a chain that would not fit into its session', () => {
    const names = Array.from({ length: 8 }, (_, n) => `a${n}`);
    const agents = names.map((name) => `  ${name}: {instructions: "${'x'.repeat(49_000)}"}\n`).join('');
    const chains = `default: c\nchains:\n  c: {stages: [{name: s, agents: [${names.join(', ')}]}]}\n`;
    expect(faults({ 'agents.yaml': `agents:\n${agents}`, 'chains.yaml': chains })).toEqual([
      expect.stringMatching(/^chains\.yaml:3:3 chains\.c: takes \d+ bytes .* at most 200000 fit a session$/),
    ]);
  });

  it('refuse native tools that are unknown or listed twice', () => {
    const agents = (native: string) =>
      `agents:\n  investigator: {instructions: x, nativeTools: [${native}]}\n`;
    expect(faults({ 'agents.yaml': agents('google_serch') })).toEqual([
      'agents.yaml:2:49 agents.investigator.nativeTools[0]: unknown value "google_serch"; expected one of google_search, code_execution, url_context; did you mean "google_search"?',
    ]);
    expect(faults({ 'agents.yaml': agents('url_context, url_context') })).toEqual([
      'agents.yaml:2:62 agents.investigator.nativeTools[1]: url_context is already in this list',
    ]);
  });

  it('refuse to combine native tools on a model that cannot, and to combine nothing', () => {
    const models = 'default: flash\nmodels: {flash: {provider: google, model: gemini-2.5-flash}}\n';
    const agents =
      'agents:\n  investigator:\n    instructions: x\n    nativeTools: [google_search]\n    combineNativeTools: true\n';
    expect(faults({ 'models.yaml': models, 'agents.yaml': agents })).toEqual([
      'agents.yaml:5:25 agents.investigator.combineNativeTools: model "flash" (gemini-2.5-flash) cannot combine native tools with function tools: that needs Gemini 3 or later, on the Gemini API; set combineNativeTools to false, or give the agent another model',
    ]);
    const nothing = agents.replace('[google_search]', '[]');
    expect(faults({ 'agents.yaml': nothing })).toEqual([
      'agents.yaml:5:25 agents.investigator.combineNativeTools: there is nothing to combine: list nativeTools, or remove this',
    ]);
  });

  it('limit times and sizes to those that the platform can hold', () => {
    expect(faults({ 'system.yaml': 'iterationTimeout: 1h\ntoolResultLimit: 1MiB\n' })).toEqual([
      'system.yaml:1:19 iterationTimeout: must be at most 8m',
      'system.yaml:2:18 toolResultLimit: must be at most 400KB',
    ]);
  });

  it('are all that ever comes of a damaged file', () => {
    const files = fc.constantFrom(...(Object.keys(GOOD) as (keyof typeof GOOD)[]));
    const piece = fc.oneof(
      fc.constantFrom(
        '\t',
        '- ',
        ': ',
        '&a ',
        '*a',
        '<<: ',
        '{',
        '[',
        '"',
        '|\n',
        '!!',
        '\0',
        '\ufeff',
        '? ',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(files, fc.nat(120), fc.nat(5), piece, (name, at, removed, inserted) => {
        const text = GOOD[name];
        const damaged = text.slice(0, at) + inserted + text.slice(at + removed);
        // Whatever is no ConfigError is thrown on, and fails the test.
        for (const line of faults({ [name]: damaged })) expect(line).toMatch(/^[a-z]+\.yaml[: ]/);
      }),
      { numRuns: randomRuns(40) },
    );
  });

  it('name missing files and folders', () => {
    expect(listFaults(() => loadConfig(path.join(folder, 'nope'), {}))[0]).toMatch(
      /^nope is not a folder; INQUEST_CONFIG/,
    );
    writeFileSync(path.join(folder, 'agent.yml'), GOOD['agents.yaml']);
    expect(listFaults(() => loadConfig(folder, {}))).toEqual([
      'models.yaml is missing',
      'agents.yaml is missing; rename agent.yml to agents.yaml',
      'chains.yaml is missing',
    ]);
  });
});

describe('resolveChain', () => {
  it('gives the default chain when none is named', () => {
    expect(resolveChain(load()).name).toBe('investigate');
  });

  it.each(['investigat', 'toString', '__proto__', ''])('refuses %j and names the known chains', (name) => {
    const config = load();
    const expected = {
      code: 'CONFIG_UNKNOWN_CHAIN',
      message: expect.stringContaining('expected one of investigate'),
    };
    expect(() => resolveChain(config, name)).toThrow(expect.objectContaining(expected));
    expect(() => config.sessionDeadlineMs(name)).toThrow(TerminalError);
  });
});
