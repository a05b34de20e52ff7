// What is found before anything runs: by `check-config`, and by the commands that run the system.

import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../cli/system/inspectConfig.ts';
import { exampleNames, findExample } from '../../local/examples.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { callCommand } from '../support/callCommand.ts';
import { exportsOf, startCommand } from '../support/cli.ts';
import { findTenFreePorts } from '../support/freePorts.ts';
import { createDataPath, ownConfig, ownScript, temporaryFolder, writeFiles } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { marked } from '../support/processes.ts';

const fixture = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const stdio = (path: string, ...args: string[]) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [fixture(path), ...args],
});
/** The configuration of an example, in a folder outside of the project. */
function copyOf(name: string): string {
  const folder = join(temporaryFolder(), 'copied');
  cpSync(findExample(name).configFolder, folder, { recursive: true });
  return folder;
}
const good = stdio('../tools/stdioServer.ts');

describe('check-config', () => {
  const check = async (folder: string, ...options: string[]) => {
    const { env, running } = marked();
    const result = await callCommand(['check-config', folder, ...options], env);
    await expect.poll(running).toEqual([]);
    return { ...result, said: result.stderr.join('\n') };
  };

  it('reports a copy of an example that can be used, with the tools of its servers, and exits with 0', async () => {
    const { code, stdout, stderr } = await check(copyOf('crashloop'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
    expect(stdout).toContain('chains         investigate (default)');
    expect(stdout.join('\n')).toMatch(/^server {9}kubernetes: 8 tools: .*get_events/m);
  });

  it.each(exampleNames())('a copy of the configuration of %s has all that its servers need', async (name) => {
    const folder = copyOf(name);
    const { servers } = readConfig(folder, process.env);
    const paths = Object.values(servers).flatMap((server) =>
      server.transport === 'stdio' ? server.args : [],
    );
    for (const path of paths.filter((one) => one.includes('/')))
      expect(existsSync(resolve(folder, path)), path).toBe(true);
    expect((await check(folder, '--no-connect')).code).toBe(0);
  });

  it('accepts servers that cases answer for, and states that; a start refuses them', async () => {
    const INQUEST_CONFIG = ownConfig({});
    cpSync(fixture('../../examples/cases/config'), INQUEST_CONFIG, { recursive: true });
    const { code, stdout, stderr } = await check(INQUEST_CONFIG);
    expect({ code, stderr }).toEqual({ code: 0, stderr: [] });
    for (const server of ['kubernetes', 'prometheus', 'logging'])
      expect(stdout.join('\n')).toMatch(
        new RegExp(`^note +server ${server} is recorded: cases .* start and build refuse`, 'm'),
      );
    const started = await callCommand(['start'], { INQUEST_CONFIG });
    expect(started.code).toBe(1);
    expect(started.stderr.join('\n')).toMatch(
      /servers\.yaml:3:\d+ servers\.kubernetes\.transport: has no connection: /,
    );
  });

  /** A usable configuration with files changed or added. */
  const withFiles = (files: Record<string, string>) => writeFiles(files, ownConfig({}));
  const chain = (alerts: string) =>
    `default: look\nchains:\n  look:\n    alerts: [${alerts}]\n    stages:\n      - name: look\n        agents: [looker]\n`;
  const schema = (properties: string, extra = '') =>
    `type: object\ndescription: Look.\nproperties:\n  answer: ${properties}\njson_schema_extra:\n  name: s\n${extra}`;

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a label that no alert has',
      { 'chains.yaml': chain('{labels: {__name__: up}}') },
      /chains\.yaml:4:24 \S+labels\.__name__: no alert has the label "__name__": .*; write "name"$/m,
    ],
    [
      'a label value that no alert has',
      { 'triage.yaml': 'rules:\n  - { name: a, labels: { pod: "a  b" }, action: drop }\n' },
      /triage\.yaml:2:\d+ rules\[0\]\.labels\.pod: can never match: .* as "a b"$/m,
    ],
    [
      'a regular expression in a label',
      { 'chains.yaml': chain('{labels: {namespace: "^shop.*$", team: [a, b|c]}}') },
      /chains\.yaml:4:\d+ \S+labels\.namespace: looks like a regular expression, .* only \* has a meaning; write "shop\*"\n.*labels\.team\[1\]: looks .*; write a list of values/m,
    ],
    [
      'a chain whose alerts an earlier chain takes',
      {
        'chains.yaml':
          `${chain('{labels: {team: "shop*"}, severity: [page, critical]}')}  cart:\n    alerts: [{labels: {team: shop-cart, a: b}, severity: Critical}]\n    stages: [{ name: look, agents: [looker] }]\n`
            .replace('default: look', 'default: other')
            .replace('chains:', 'chains:\n  other: { stages: [{ name: look, agents: [looker] }] }'),
      },
      /chains\.yaml:9:3 chains\.cart: no alert reaches this chain: look is before it and takes them; define this chain before look$/m,
    ],
    [
      'a name in the place of a mapping under notify',
      {
        'destinations.yaml': 'destinations:\n  slack: { kind: webhook, url: "https://example.com/x" }\n',
        'chains.yaml': chain('{labels: {a: b}}').replace(
          '    stages',
          '    notify:\n      - slack\n    stages',
        ),
      },
      /chains\.yaml:6:9 chains\.look\.notify\[0\]: must be a mapping, not text; write "to: slack"$/m,
    ],
    [
      'a label of a correlation and of an argument',
      { 'triage.yaml': 'correlate:\n  - { labels: [__cluster__] }\n' },
      /triage\.yaml:2:\d+ correlate\[0\]\.labels\[0\]: no alert has the label "__cluster__"/,
    ],
    [
      'a text that a comma cuts',
      { 'agents/s.yaml': schema('{ type: string, description: The cause, in two sentences }') },
      /s\.yaml:4:\d+ "in two sentences" has no value: within \{ \} a comma ends the text of "description"; put that text in quotes$/m,
    ],
    [
      'a text of an agent that a comma cuts',
      { 'agents.yaml': 'agents:\n  looker: {description: Looks at pods, services, instructions: Look.}\n' },
      /agents\.yaml:2:\d+ .*"services" has no value: .* the text of "description"/,
    ],
    ['a file that is not read', { 'notes.yaml': '' }, /notes\.yaml is not read; move it to another folder$/m],
    [
      'a file with another case',
      { 'Triage.yml': '' },
      /triage\.yaml is missing; rename Triage\.yml to triage\.yaml$/m,
    ],
    [
      'a file beside agents',
      { 'agents/x.json': '{}' },
      /x\.json is not read; only files that end with \.yaml are$/m,
    ],
    [
      'a file of another form',
      { 'Servers.json': '{}' },
      /Servers\.json is not read; write it as YAML in servers\.yaml, or move it/,
    ],
    [
      'a folder in agents',
      { 'agents/a/x.yaml': '' },
      /agents\/a is a folder, which is not read; move its files/,
    ],
    [
      'a file in skills',
      { 'skills/disk.md': 'x' },
      /disk\.md is not read; a skill is a folder: disk\/SKILL\.md$/m,
    ],
    [
      'a skill in a file of another case',
      { 'skills/disk/skill.md': 'x' },
      /disk\/SKILL\.md is missing; rename skill\.md to SKILL\.md, or remove the folder disk$/m,
    ],
    [
      'a runbook of another form',
      { 'runbooks/a.rst': 'x' },
      /a\.rst is not read; only files that end with \.md or/,
    ],
    [
      'a table without a lookup',
      { 'enrich/a.csv': 'x' },
      /a\.csv is not read; no lookup of enrich\.yaml names it$/m,
    ],
    [
      'a folder that is not read',
      { 'chain/x.yaml': '' },
      /chain is not read; rename it to chains, or move it$/m,
    ],
    [
      'a star without quotes',
      { 'chains.yaml': chain('{labels: {service: *}}') },
      /chains\.yaml:4:33 not valid YAML: .*; put a text that starts with "\*" in quotes$/m,
    ],
    [
      'a text with a colon without quotes',
      { 'agents.yaml': 'agents:\n  looker:\n    description: Finds: the cause\n    instructions: Look.\n' },
      /agents\.yaml:3:18 not valid YAML: .*; put a text that contains ": " in quotes$/m,
    ],
    [
      'a tab as indentation',
      { 'triage.yaml': 'rules:\n\t- name: a\n' },
      /triage\.yaml:2:1 not valid YAML: .*; indent with spaces$/m,
    ],
    [
      'an exclamation mark without quotes',
      { 'chains.yaml': chain('{labels: {service: !prod}}') },
      /chains\.yaml:4:33 not valid YAML: .*; put a text that starts with "!" in quotes$/m,
    ],
    [
      'an unknown role of a member',
      { 'access.yaml': 'members:\n  - { email: a@example.com, role: operator }\n' },
      /access\.yaml:2:5 members\[0\]: unknown role "operator"; expected one of viewer, responder, admin$/m,
    ],
    [
      'a star before a word without quotes',
      { 'chains.yaml': chain('{labels: {service: *prod}}') },
      /chains\.yaml:4:33 no "&prod" is before this alias; put a text that starts with "\*" in quotes$/m,
    ],
    [
      'a list in the place of a chain',
      { 'chains.yaml': 'default: look\nchains:\n  look:\n    - name: look\n      agents: [looker]\n' },
      /chains\.yaml:3:3 chains\.look: must be a mapping, not a list; put this list under a key "stages"$/m,
    ],
    [
      'a list in the place of an agent',
      { 'agents.yaml': 'agents:\n  looker:\n    - instructions: Look.\n' },
      /agents\.yaml:2:3 agents\.looker: must be a mapping, not a list; write its keys without "- "$/m,
    ],
    [
      'a text in the place of a list',
      { 'chains.yaml': chain('{labels: {a: b}}').replace('[looker]', 'looker') },
      /chains\.yaml:7:\d+ \S+agents: must be a list, not text; write \[looker\]$/m,
    ],
    [
      'a mapping in the place of a list',
      {
        'chains.yaml':
          'default: look\nchains:\n  look:\n    stages:\n      name: look\n      agents: [looker]\n',
      },
      /chains\.yaml:4:5 \S+stages: must be a list, not a mapping; start each entry with "- "$/m,
    ],
    [
      'a label with a line break, in one line',
      { 'chains.yaml': chain('{labels: {"a\\nb": c}}') },
      /chains\.yaml:4:24 \S+labels\.a b: no alert has the label "a b": .*; write "a b"$/m,
    ],
    [
      'an empty label',
      { 'chains.yaml': chain('{labels: {"": c}}') },
      /chains\.yaml:4:\d+ \S+labels\.: must not be empty$/m,
    ],
    [
      'a tool of a schema without its key',
      { 'agents/s.yaml': schema('{ type: string }', '  tools:\n    - good.echo\n') },
      /s\.yaml:8:7 \S+tools\[0\]: must be a mapping, not text; write \{ name: good\.echo \}$/m,
    ],
    [
      'an agent that is there twice',
      { 'agents/looker.yaml': schema('{ type: string }').replace('name: s', 'name: looker') },
      /looker\.yaml:6:9 json_schema_extra\.name: this agent is already defined \(\S*agents\.yaml:2\)/,
    ],
    [
      'an agent in a file of another name',
      { 'agents/other.yaml': schema('{ type: string }') },
      /other\.yaml:6:9 json_schema_extra\.name: the file must be called s\.yaml, or the agent "other"/,
    ],
  ])('finds %s, and exits with 1', async (_, files, found) => {
    const { code, said } = await check(withFiles(files), '--no-connect');
    expect(said).toMatch(found);
    expect(code).toBe(1);
  });

  it('leaves labels of tools, texts without commas, and other files unchanged', async () => {
    const folder = withFiles({
      'agents/s.yaml': schema('{ type: string, description: "The cause, in two sentences" }'),
      'chains.yaml': chain('{labels: {"team": ["a*", "b"]}}'),
      'README.md': 'Ours.',
      '.hidden.yaml': '',
    });
    expect(await check(folder, '--no-connect')).toMatchObject({ code: 0, stderr: [] });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a key that looks like a known one',
      { 'agents/s.yaml': schema('{ type: string }', '  max_iteration: 3\n') },
      /s\.yaml:7:3 \S+max_iteration: is kept and has no effect; did you mean maxIterations\?$/m,
    ],
    [
      'a keyword of a schema that looks like a known one',
      { 'agents/s.yaml': `require: [answer]\n${schema('{ type: string }')}` },
      /s\.yaml:1:1 require: is kept and has no effect; did you mean required\?$/m,
    ],
    [
      'a keyword of a field within a field',
      { 'agents/s.yaml': schema('{ type: array, items: { type: object, propertys: {} } }') },
      /s\.yaml:4:\d+ properties\.answer\.items\.propertys: is kept and .*; did you mean properties\?$/m,
    ],
    [
      'a key of a tool',
      { 'agents/s.yaml': schema('{ type: string }', '  tools: [{ name: search, desciption: Look. }]\n') },
      /s\.yaml:7:\d+ \S+tools\[0\]\.desciption: is kept and .*; did you mean description\?$/m,
    ],
    [
      'a text with a comma and a colon',
      { 'agents/s.yaml': schema('{ type: string, description: One of these, for example: high }') },
      /s\.yaml:4:\d+ properties\.answer\.for example: is kept and has no effect; .* put that text in quotes/m,
    ],
    [
      'members whom nothing identifies',
      { 'access.yaml': 'members: [{ email: a@example.com, role: viewer }]\n' },
      /access\.yaml:1:1 members: have access to the service console only, .* elsewhere add iap or firebase/m,
    ],
  ])('notes %s, also of a configuration that cannot be loaded', async (_, files, text) => {
    const note = new RegExp(`^note +\\S+${text.source}`, 'm');
    const loaded = await check(withFiles(files), '--no-connect');
    expect(loaded).toMatchObject({ code: 0, stderr: [] });
    expect(loaded.stdout.join('\n')).toMatch(note);
    const failed = await check(withFiles({ ...files, 'chains.yaml': 'default: nothing\n' }), '--no-connect');
    expect(failed.code).toBe(1);
    expect(failed.stdout.join('\n')).toMatch(note);
  });

  it('notes a chain that nothing names', async () => {
    const folder = withFiles({
      'chains.yaml':
        'default: a\nchains:\n  a: &a { stages: [{ name: look, agents: [looker] }] }\n  b: *a\n  c: *a\n',
      'schedules.yaml': 'schedules:\n  daily: { cron: "0 6 * * *", chain: c, question: Well? }\n',
    });
    const { code, stdout } = await check(folder, '--no-connect');
    expect(code).toBe(0);
    const noted = stdout.filter((line) => /only an alert whose message names this chain/.test(line));
    expect(noted).toEqual([expect.stringMatching(/^note +\S+chains\.yaml:4:3 chains\.b: /)]);
  });

  it('notes a tool of a schema that its server does not have: the agent goes without it', async () => {
    const folder = ownConfig({ servers: { good } });
    mkdirSync(join(folder, 'agents'));
    writeFileSync(
      join(folder, 'agents', 's.yaml'),
      schema('{ type: string }', '  tools: [{ name: good.echo }, { name: good.nosuch }]\n'),
    );
    const { code, stdout } = await check(folder);
    expect(code).toBe(0);
    expect(stdout.join('\n')).toMatch(/^agents +\S+s\.yaml:7:\d+ .*the server "good" has no tool "nosuch"/m);
  });

  it('prints findings as JSON, one a line, then the configuration', async () => {
    const folder = withFiles({ 'chains.yaml': chain('{labels: {__name__: up}}') });
    const { code, stdout, stderr } = await check(folder, '--no-connect', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: [] });
    expect(stdout.map((line) => JSON.parse(line))).toEqual([
      {
        type: 'fault',
        code: 'CONFIG_INVALID',
        file: join(folder, 'chains.yaml'),
        line: 4,
        column: 24,
        path: expect.stringMatching(/labels\.__name__$/),
        message: expect.stringMatching(/^no alert has the label/),
      },
      { type: 'configuration', folder, ok: false, chains: ['look'], servers: {}, secrets: {} },
    ]);
    const absent = await check('/nosuch/folder', '--json');
    expect(absent.code).toBe(1);
    expect(absent.stdout.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'fault', file: '/nosuch/folder', line: null },
      { type: 'configuration', ok: false },
    ]);
  });

  it('holds the arguments of collect to the schemas of their tools', async () => {
    const cluster = {
      ...stdio('../../local/mcp/clusterServer.ts', fixture('../../examples/crashloop/cluster')),
      readOnly: ['*'],
    };
    const folder = ownConfig({
      servers: { cluster },
      tools: ['cluster'],
    });
    const calls = [
      `{ tool: cluster.list_pods, arguments: { namespace: "$${'{labels.pod}'}" } }`,
      '{ tool: cluster.list_pods, arguments: { namespace: 3 } }',
      '{ tool: cluster.get_logs }',
      '{ tool: cluster.list_pods, arguments: { namespace: shop, limt: "3" } }',
    ];
    writeFileSync(
      join(folder, 'chains.yaml'),
      `${chain('{labels: {pod: a}}')}        collect:\n${calls.map((call) => `          - ${call}\n`).join('')}`,
    );
    const { code, said, stdout } = await check(folder);
    expect(stdout.join('\n')).toMatch(
      /chains\.yaml:12:\d+ \S+collect\[3\]\.arguments\.limt: cluster\.list_pods does not describe this argument, and can ignore it; expected one of namespace$/m,
    );
    expect(said.split('\n')).toEqual([
      expect.stringMatching(
        /chains\.yaml:10:\d+ \S+collect\[1\]\.arguments: cluster\.list_pods does not take these arguments: The argument "namespace" must be of type string, not number\.$/,
      ),
      expect.stringMatching(
        /chains\.yaml:11:\d+ \S+collect\[2\]\.tool: .*The argument "namespace" is missing\.$/,
      ),
    ]);
    expect(code).toBe(1);
  });

  it('names the sources of webhooks, and a secret that is not set here', async () => {
    const folder = ownConfig({});
    writeFileSync(
      join(folder, 'webhooks.yaml'),
      'grafana:\n  secretEnv: HOOK\n  chain: look\n  tenant: acme\n',
    );
    const { code, stdout, said } = await check(folder);
    expect(code).toBe(1);
    expect(stdout).toContain('webhooks       grafana (chain look, tenant acme)');
    expect(said).toMatch(
      /^inquest: \S+webhooks\.yaml:2:14 grafana\.secretEnv: environment variable HOOK is not set; /,
    );
    expect((await check(folder, '--no-keys')).code).toBe(0);
  });

  it.each<[string, Parameters<typeof ownConfig>[0], RegExp]>([
    [
      'a tool that its server does not have, with a suggestion',
      { servers: { good }, tools: ['good.echo', 'good.ehco'] },
      /^inquest: \S+agents\.yaml:6:9 agents\.looker\.tools\[1\]: the server "good" has no tool "ehco"; it has echo, .*; did you mean "good\.echo"\?$/,
    ],
    [
      'a command that is not there',
      { servers: { files: { transport: 'stdio', command: 'no-such-command' } } },
      /^inquest: \S+servers\.yaml:4:14 servers\.files\.command: the command "no-such-command" is not on PATH;/,
    ],
    [
      'a file that cannot be run',
      { servers: { files: { transport: 'stdio', command: './server.sh' } } },
      /servers\.yaml:4:14 servers\.files\.command: "\.\/server\.sh" is not an executable file; relative paths start at /,
    ],
    [
      'a working directory that is not there',
      { servers: { files: { ...good, cwd: 'nosuch' } } },
      /servers\.yaml:\d+:\d+ servers\.files\.cwd: \S+nosuch is not a folder/,
    ],
    [
      'a server that dies with a stack trace, by its own words',
      { servers: { orders: stdio('./fixtures/crashingServer.ts') }, tools: ['orders'] },
      /servers\.yaml:2:3 servers\.orders: MCP server "orders" is unavailable: .* \(its last words: Error: ORDERS_URL is not set\)$/,
    ],
    [
      'a secret that is not set',
      { servers: { files: { ...good, env: { TOKEN: `$${'{NOSUCH_TOKEN}'}` } } } },
      /servers\.yaml:\d+:\d+ servers\.files\.env\.TOKEN: environment variable NOSUCH_TOKEN is not set/,
    ],
  ])('names %s, and exits with 1', async (_, config, said) => {
    const result = await check(ownConfig(config));
    expect(result.code).toBe(1);
    expect(result.said).toMatch(said);
  });

  it('names a remote server that does not answer, and exits with 1', async () => {
    const [port] = await freePorts(1);
    const folder = ownConfig({
      servers: { far: { transport: 'http', url: `http://127.0.0.1:${port}/mcp` } },
    });
    const { code, stdout, said } = await check(folder);
    expect(code).toBe(1);
    expect(said).toMatch(/servers\.yaml:2:3 servers\.far: MCP server "far" is unavailable: .*ECONNREFUSED/);
    expect(stdout).toContain('server         far: does not answer');
  });

  it('names the system behind the server of a pack that does not answer, and exits with 1', async () => {
    const folder = ownConfig({
      servers: { prometheus: stdio('./fixtures/silentPrometheus.ts') },
      tools: ['prometheus'],
    });
    vi.stubEnv('PROMETHEUS_URL', 'http://me:secret@127.0.0.1:1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const fault =
      /servers\.prometheus: Prometheus at http:\/\/127\.0\.0\.1:1 does not answer: prometheus_build_info gives: fetch failed/;
    const { code, stdout, said } = await check(folder);
    expect(code).toBe(1);
    expect(said).toMatch(fault);
    expect(stdout).toContain('server         prometheus: 1 tools: prometheus_build_info');
    const examined = await callCommand(['doctor', '--config', folder], {});
    expect(examined.stdout.join('\n')).toMatch(fault);
  });

  it('asks no server with --no-connect', async () => {
    const folder = ownConfig({
      servers: { good, orders: stdio('./fixtures/crashingServer.ts') },
      tools: ['good.ehco'],
    });
    const { code, stdout } = await check(folder, '--no-connect');
    expect(code).toBe(0);
    expect(stdout).toContain('servers        not asked');
  });

  it('names a fallback model that cannot be asked, except with --no-keys, and exits with 1', async () => {
    const folder = ownConfig({
      fallback: {
        gpt: { provider: 'openai', model: 'gpt-5' },
        claude: { provider: 'anthropic', model: 'claude' },
        pro: { provider: 'google', model: 'gemini-3.8-pro' },
      },
    });
    writeFileSync(
      join(folder, 'chains.yaml'),
      'default: look\nchains:\n  look:\n    stages:\n      - name: look\n        agents: [{agent: looker, fallback: [gpt]}]\n',
    );
    const env = { OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined, ANTHROPIC_API_KEY: 'a-key' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, said } = await check(folder, '--no-connect');
    expect(code).toBe(1);
    expect(said.split('\n')).toEqual([
      expect.stringMatching(
        /agents\.yaml:6:9 agents\.looker\.fallback\[0\]: model "gpt" cannot take over: OPENAI_API_KEY is not set here; set it, or give --no-keys$/,
      ),
      expect.stringMatching(
        /agents\.yaml:7:9 agents\.looker\.fallback\[1\]: model "claude" cannot take over: .* npm install @langchain\/anthropic$/,
      ),
      expect.stringMatching(
        /chains\.yaml:6:45 chains\.look\.stages\[0\]\.agents\[0\]\.fallback\[0\]: model "gpt"/,
      ),
    ]);
    expect((await check(folder, '--no-connect', '--no-keys')).code).toBe(0);
  });

  it('reports a folder that does not exist, and exits with 1', async () => {
    const { code, said } = await check('/nosuch/folder');
    expect(code).toBe(1);
    expect(said).toMatch(/^inquest: \/nosuch\/folder is not a folder/);
  });
});

describe('before anything is started,', () => {
  const script = () => ownScript({ text: 'Done.' });
  /** Runs a command that must fail, and looks that no part of the system was started. */
  const refused = async (args: string[], env: Record<string, string | undefined> = {}) => {
    const { code, stdout, stderr } = await callCommand(args, { ...ownEmulators, ...env });
    const said = stderr.join('\n');
    expect(said).not.toMatch(/^Firestore|^Pub\/Sub|^\w+: http|^\s+at /m);
    expect(stdout).toEqual([]);
    return { code, said };
  };

  it.each(['start', 'demo'])('%s finds a tool that its server does not have', async (command) => {
    const schema = 'type: object\njson_schema_extra: { name: noter, tools: [{ name: good.nosuch }] }\n';
    const files = { 'agents/noter.yaml': `description: Look.\n${schema}` };
    const INQUEST_CONFIG = writeFiles(files, ownConfig({ servers: { good }, tools: ['good.ehco'] }));
    const { code, said } = await refused([command, '--script', script()], { INQUEST_CONFIG });
    expect(code).toBe(1);
    expect(said).toMatch(/agents\.yaml:5:9 agents\.looker\.tools\[0\]: .*did you mean "good\.echo"\?/);
    // That of a schema is a warning: its agent works without the tool.
    expect(said).toMatch(/warning: .*noter\.yaml:.*the server "good" has no tool "nosuch"/);
  });

  it('start refuses to answer for a configuration of one’s own from the script of an example', async () => {
    const INQUEST_CONFIG = ownConfig({});
    const { code, said } = await refused(['start'], { INQUEST_CONFIG });
    expect(code).toBe(2);
    expect(said).toMatch(
      /^inquest: no model answers for \S+: set GEMINI_API_KEY, or give a script of answers with --script FILE \(one to copy: \S+examples\/crashloop\/model\.yaml\)$/,
    );
  });

  it.each<[string, string, RegExp]>([
    [
      'a mistyped key',
      'conversations:\n  - turns:\n      - txet: Hello\n',
      /model\.yaml:3:9 conversations\[0\]\.turns\[0\]\.txet: unknown key; expected one of .*did you mean "text"\?/,
    ],
    ['broken YAML', 'conversations: [\n', /model\.yaml:\d+:\d+ not valid YAML: /],
  ])('demo names %s in a script with file, line and the expected form', async (_, text, said) => {
    const file = join(temporaryFolder(), 'model.yaml');
    writeFileSync(file, text);
    const result = await refused(['demo', '--script', file]);
    expect(result.code).toBe(1);
    expect(result.said).toMatch(said);
  });

  it('demo reports a script that cannot be read', async () => {
    const { code, said } = await refused(['demo', '--script', '/nosuch.yaml']);
    expect(code).toBe(1);
    expect(said).toMatch(/^inquest: \/nosuch\.yaml cannot be read: .*no such file/);
  });

  it('start names a port that is taken, its part and the way out', async () => {
    const first = await findTenFreePorts();
    const taken = createServer();
    await once(taken.listen(first + 2, '127.0.0.1'), 'listening');
    onTestFinished(() => void taken.close());
    const { code, said } = await refused(['start', '--port', `${first}`]);
    expect(code).toBe(1);
    expect(said).toContain(
      `inquest: port ${first + 2} (pubsub) is taken: stop the program that listens there, or choose another first port with --port`,
    );
  });
});

it('start --port gives every part a port from it on, --script answers for a configuration of one’s own, and servers can be absent', async () => {
  const first = await findTenFreePorts();
  const absentServers = {
    orders: stdio('./fixtures/crashingServer.ts'),
    nosuch: { transport: 'stdio', command: 'nosuch-command' },
  };
  const command = startCommand(
    [
      'start',
      '--quiet',
      '--data',
      createDataPath(),
      '--port',
      `${first}`,
      '--script',
      ownScript({ text: 'All is well.' }),
    ],
    { INQUEST_CONFIG: ownConfig({ servers: absentServers, tools: ['orders', 'nosuch'] }), ...ownEmulators },
  );
  await command.line(/^Ctrl-C stops everything/);
  const warned = command.stderr.join('\n');
  expect(warned).toMatch(/servers\.orders: .*ORDERS_URL is not set/);
  expect(warned).toMatch(/continuing without an answer: .*servers\.nosuch: .*nosuch-command/);
  const printed = command.stdout.flatMap((line) => /^[\w/]+ .*127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? []);
  // The dashboard and the API share one.
  expect([...new Set(printed.map(Number))]).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 0].map((offset) => first + offset),
  );
  const stray = await fetch(`http://127.0.0.1:${first + 3}/v1/webhooks/generic`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await stray.text()).toContain(`the API is at http://127.0.0.1:${first}/v1/webhooks/generic`);

  const published = await callCommand(['publish', findExample('crashloop').alertFile], exportsOf(command));
  expect(published.code).toBe(0);
  expect(published.stdout.join('\n')).toContain('All is well.');
  const ask = (path: string) => fetch(`http://127.0.0.1:${first}/v1/sessions${path}`);
  const { sessions } = (await (await ask('')).json()) as { sessions: { sessionId: string }[] };
  const events = await (await ask(`/${sessions[0]?.sessionId}/events`)).text();
  expect(events).toContain('All is well.');
  expect(events).toContain('event: end\n');
  command.kill('SIGINT');
  expect((await command.ended).code).toBe(130);
});
