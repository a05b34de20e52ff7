import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../shared/config/load.ts';
import { callCommand } from '../../test/support/callCommand.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { applyAnswers } from '../init/writeConfig.ts';
import { addPack } from './addPack.ts';
import { compareTools } from './checkPack.ts';
import { checkDownloads, comparePackages, readLock } from './downloads.ts';
import { editFolder } from './folderEdit.ts';
import { indentLines } from './insertYaml.ts';
import {
  describeList,
  describeTrial,
  type PackServer,
  packFile,
  packNames,
  parsePack,
  readPack,
} from './pack.ts';

const NAMES = packNames();

it('every pack makes a configuration that is valid, offers its tools and no other, and has values for its settings', () => {
  for (const name of NAMES) {
    const pack = readPack(name);
    const folder = temporaryFolder();
    const edit = editFolder(folder);
    const values = Object.entries(pack.settings).map(([variable, { default: standard }]) => [
      variable,
      standard ?? 'a-value-7',
    ]);
    const variables = Object.fromEntries(values);
    applyAnswers(edit, {
      alerts: 'alertmanager',
      packs: [pack],
      model: 'gemini',
      results: 'none',
      system: 'here',
      variables,
    });
    edit.save();
    const config = loadConfig(folder, variables);
    expect(Object.keys(config.servers), name).toEqual(pack.servers.map((server) => server.name));
    // As `init --yes` leaves it in FOLDER/.env.
    if ('GCP_QUOTA_PROJECT' in variables)
      for (const server of Object.values(loadConfig(folder, { GCP_QUOTA_PROJECT: '' }).servers))
        expect(server).toMatchObject({ auth: 'google', quotaProject: undefined });
    for (const server of pack.servers)
      expect(config.servers[server.name]).toMatchObject({
        access: 'read',
        trustHints: false,
        readOnly: Object.keys(server.tools),
      });
    const [agent] = config.chains.investigate?.stages[0]?.agents ?? [];
    const tools = [...pack.servers.map((server) => server.name), 'inquest.ledger'];
    expect(agent).toMatchObject({ name: pack.agentName, tools });
    expect(
      agent?.collect.map(({ tool }) => tool),
      name,
    ).toEqual(pack.collect.map(({ tool }) => tool));
  }
});

it('every pack whose server npm has was compared with this server, and no other', () => {
  for (const name of NAMES) {
    const { servers, listChecked, roles } = readPack(name);
    expect(roles.length, name).toBeGreaterThan(0);
    const isStarted = servers.every(({ downloads }) => downloads !== undefined);
    expect(listChecked.against === 'server', name).toBe(isStarted);
  }
});

it('every pack that starts npx has a lock of all packages with their digests', () => {
  for (const name of NAMES)
    for (const { name: server, server: entry, downloads = '' } of readPack(name).servers) {
      if (entry.command !== 'npx') continue;
      const packages = readLock(server);
      const [version] = downloads.split('@').slice(-1);
      const folder = `node_modules/${downloads.slice(0, -1 - (version ?? '').length)}`;
      expect(packages.get(folder), server).toMatch(new RegExp(`^${version} sha512-`));
      for (const [, digest] of packages) expect(digest, server).toMatch(/^\S+ sha512-\S{86}==$/);
    }
});

it('a pack that downloads another package than it names, or any version of others, is refused', () => {
  const text = readFileSync(packFile('prometheus'), 'utf8');
  for (const [from, to] of [
    ['downloads: prometheus-mcp@1.1.3', 'downloads: prometheus-mcp@1.1.4'],
    ['downloads: prometheus-mcp@1.1.3', ''],
    ['npm_config_before: 2026-11-28', ''],
  ] as const)
    expect(() => parsePack('bad', text.replace(from, to))).toThrow(/must name the package in args/);
});

describe('the packages that npm would download now', () => {
  const locked = new Map([
    ['node_modules/a', '1.0.0 sha512-a'],
    ['node_modules/a/node_modules/@x/b', '2.0.0 sha512-b'],
  ]);
  const compare = (change: Record<string, string | undefined>, optional: string[] = []) => {
    const entries = Object.entries({ ...Object.fromEntries(locked), ...change });
    const all = new Map(entries.flatMap(([folder, text]) => (text === undefined ? [] : [[folder, text]])));
    return comparePackages(locked, { all, optional: new Set(optional) });
  };

  it('are those of the lock, beside packages of other platforms', () => {
    expect(compare({})).toEqual([]);
    expect(compare({ 'node_modules/a-darwin': '1.0.0 sha512-c' }, ['node_modules/a-darwin'])).toEqual([]);
  });

  it('are reported where a version or a digest differs, or a package is new or gone', () => {
    expect(compare({ 'node_modules/a': '1.0.0 sha512-other' })).toEqual(['download changed: a 1.0.0']);
    expect(compare({ 'node_modules/c': '3.0.0 sha512-c' })).toEqual(['download added: c 3.0.0']);
    expect(compare({ 'node_modules/a/node_modules/@x/b': undefined })).toEqual(['download gone: @x/b 2.0.0']);
  });

  it('are those of the configured server: another package is a difference, and another command downloads nothing', async () => {
    const [server] = readPack('prometheus').servers;
    const check = (change: object) =>
      checkDownloads(
        server as PackServer,
        { transport: 'stdio', command: 'npx', args: [], env: {}, ...change } as never,
        new AbortController().signal,
      );
    expect(await check({ args: ['--yes', 'prometheus-mcp@9.9.9'] })).toEqual({
      differences: ['download: servers.yaml does not start prometheus-mcp@1.1.3 of the pack'],
      notes: [],
    });
    expect(await check({ command: 'prometheus-mcp' })).toEqual({ differences: [], notes: [] });
    expect(
      await check({
        args: ['prometheus-mcp@1.1.3'],
        env: { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
      }),
    ).toEqual({
      differences: [],
      notes: [expect.stringMatching(/^download not compared: npm could not resolve prometheus-mcp@1\.1\.3/)],
    });
  });
});

it('`packs list` and `packs show` state when the tools were checked and what the pack was tried on, Google Cloud first', async () => {
  const { stdout } = await callCommand(['packs', 'list']);
  expect(stdout).toHaveLength(NAMES.length);
  expect(stdout.slice(0, 3).map((line) => line.split(' ')[0])).toEqual(['gcp', 'gke', 'cloud-run']);
  const lineOf = (name: string) => stdout.find((line) => line.startsWith(`${name} `));
  expect(lineOf('gke')).toMatch(
    /^gke +list checked 2026-\d\d-\d\d, against the documentation +tried on the service: no +verdicts: likely at most +Clusters/,
  );
  expect(lineOf('argocd')).toMatch(/list checked \S+, against the server +tried on the service: no /);
  expect(lineOf('prometheus')).toMatch(
    /tried on the service: 2026-\d\d-\d\d, on Prometheus and Alertmanager of Debian /,
  );
  const shown = await callCommand(['packs', 'show', 'gke']);
  expect(shown.stdout.slice(1, 3)).toEqual([
    expect.stringMatching(/^list checked \S+, against the documentation$/),
    'tried on the service: no',
  ]);
});

it('the table of docs/packs.md has the packs in this order, with these days', () => {
  const text = readFileSync(new URL('../../docs/packs.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `[a-z-]+` \|.*\|.*\|.*\|.*\|$/.test(line));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(cells.map(([, name, , , list, trial]) => [name, list, trial])).toEqual(
    NAMES.map(readPack).map((pack) => [`\`${pack.name}\``, describeList(pack), describeTrial(pack)]),
  );
});

it('the text of a pack uses each of its settings', () => {
  for (const name of NAMES) {
    const { servers, settings } = readPack(name);
    const used = servers.map(({ yaml, probe }) => `${yaml}\n${JSON.stringify(probe)}`).join('\n');
    for (const variable of Object.keys(settings)) expect(used, name).toContain(`\${${variable}`);
  }
});

it('every tool of a pack whose server no test starts is in the list of this server, and changes nothing', () => {
  const lists = parse(readFileSync(new URL('toolLists.yaml', import.meta.url), 'utf8'));
  const listed = NAMES.map(readPack).filter(({ listChecked }) => listChecked.against !== 'server');
  expect(Object.keys(lists).sort()).toEqual(
    listed.flatMap(({ servers }) => servers.map(({ name }) => name)).sort(),
  );
  for (const { servers, listChecked } of listed)
    for (const server of servers) {
      const { reads, changes } = lists[server.name];
      const digests = Object.fromEntries([...reads, ...changes].map((tool: string) => [tool, '']));
      const { lines } = compareTools(server, listChecked.date, {
        digests,
        readOnly: Object.keys(server.tools),
      });
      expect(lines[0], server.name).toMatch(/^no difference/);
      expect(changes.filter((tool: string) => Object.hasOwn(server.tools, tool))).toEqual([]);
    }
});

it('a pack that starts a server names its version', () => {
  const started = NAMES.flatMap((name) =>
    readPack(name).servers.flatMap(({ server }) => ('command' in server ? [{ name, server }] : [])),
  );
  expect(started.map(({ name }) => name)).toContain('prometheus');
  for (const { name, server } of started)
    expect(JSON.stringify(server.args), name).toMatch(/"@?[a-z-]+(?:\/[a-z-]+)?@\d+\.\d+\.\d+"/);
});

it('the pack github can use an App in place of a token', () => {
  const [server] = readPack('github').servers;
  const yaml = server?.yaml.replace(/^ *Authorization: .*\n/m, '').replace(/^# (auth|githubApp): /gm, '$1: ');
  const folder = temporaryFolder();
  const edit = editFolder(folder);
  applyAnswers(edit, {
    alerts: 'alertmanager',
    packs: [readPack('github')],
    model: 'gemini',
    results: 'none',
    system: 'here',
    variables: { GITHUB_MCP_TOKEN: 'a-value-7' },
  });
  edit.save();
  writeFileSync(join(folder, 'servers.yaml'), `servers:\n  github:\n${indentLines(yaml ?? '', 4)}\n`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const env = { GITHUB_APP_ID: '1', GITHUB_INSTALLATION_ID: '2', GITHUB_APP_KEY: key };
  expect(loadConfig(folder, env).servers.github).toMatchObject({
    auth: 'github-app',
    githubApp: { appId: '1', installationId: '2', repositories: ['shop'] },
  });
});

describe('a pack that is added', () => {
  it('extends the files of a user, and gives no chain its agent', () => {
    const folder = temporaryFolder();
    const mine =
      'servers:\n    mine: # of my own\n        transport: http\n        url: http://127.0.0.1:1/mcp\n';
    writeFileSync(join(folder, 'servers.yaml'), mine);
    const edit = editFolder(folder);
    expect(addPack(edit, readPack('prometheus'))).toEqual([
      'server prometheus, with 10 read-only tools',
      'agent prometheus-investigator',
      'runbook prometheus',
    ]);
    expect(edit.changed()).toEqual(['agents.yaml', 'runbooks/prometheus.md', 'servers.yaml']);
    edit.save();
    const text = readFileSync(join(folder, 'servers.yaml'), 'utf8');
    expect(text.startsWith(mine)).toBe(true);
    expect(text).toContain('    prometheus:\n      # npx downloads');
  });

  it('changes no entry and no file that is there already', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'runbooks'));
    writeFileSync(join(folder, 'runbooks/prometheus.md'), 'Mine.\n');
    writeFileSync(
      join(folder, 'servers.yaml'),
      'servers:\n  prometheus: { transport: http, url: "http://127.0.0.1:1" }\n',
    );
    const edit = editFolder(folder);
    expect(addPack(edit, readPack('prometheus'))).toEqual(['agent prometheus-investigator']);
    expect(edit.changed()).toEqual(['agents.yaml']);
  });
});

describe('a pack that is compared with its server', () => {
  const pack = {
    name: 'metrics',
    tools: { query: { yields: 'state', digest: 'aaaaaaaaaaaaaaaa' }, list: { yields: 'text' } },
  } as const;
  const compare = (digests: Record<string, string>, more = {}) =>
    compareTools(pack, '2026-11-24', { digests, readOnly: ['query', 'list'], ...more });

  it('has no difference, and names further tools that are not offered', () => {
    expect(compare({ query: 'aaaaaaaaaaaaaaaa', list: 'b', remove_all: 'c' })).toEqual({
      isSame: true,
      lines: [
        'no difference: metrics has the 2 tools of the pack',
        'not in the pack, and not offered: remove_all',
      ],
    });
  });

  it('reports a tool that the configuration trusts more than the pack', () => {
    const digests = { query: 'aaaaaaaaaaaaaaaa', list: 'b' };
    expect(compare(digests, { yields: { query: 'state' } }).isSame).toBe(true);
    expect(compare(digests, { yields: { '*': 'state' } })).toEqual({
      isSame: false,
      lines: [
        'yields: list returns text that others can write, and servers.yaml has state; remove it from yields',
        'without a field list, so a text to a verdict: query',
        'without a field list, so a text to a verdict: list',
      ],
    });
  });

  it('lists removed, changed and unknown tools, and a failed probe', () => {
    const server = {
      readOnly: ['query', 'list', 'gone', 'new_*'],
      probe: { content: 'no route', isError: true },
    };
    expect(compare({ query: 'eeeeeeeeeeeeeeee', new_tool: 'c' }, server)).toEqual({
      isSame: false,
      lines: [
        'removed: list is not on the server; remove it from readOnly',
        'changed: the definition of query differs from that of 2026-11-24',
        'unknown: gone under readOnly is no tool of the server',
        'probe failed: no route',
        'offered, and not in the pack: new_tool',
      ],
    });
  });
});

it('a pack with a fault is refused with its place', () => {
  const text = readFileSync(packFile('prometheus'), 'utf8');
  expect(() => parsePack('bad', 'servers: [')).toThrow(
    'config/packs/bad.yaml: not valid YAML: the indentation',
  );
  expect(() => parsePack('bad', text.replace('yields: state', 'yields: guess'))).toThrow(
    /packs\/bad\.yaml[\s\S]*yields/,
  );
  expect(() => parsePack('bad', text.replace('against: server', 'against: documentation'))).toThrow(/digest/);
  expect(() => readPack('nothing')).toThrow(/there is no pack "nothing"; there are: .*prometheus/);
});
