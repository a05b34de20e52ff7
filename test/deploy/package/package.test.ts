// The package, as a user installs it: in an empty folder, from its tarball. Only `npm run test:long` installs
// its dependencies and runs its commands.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { IS_LONG } from '../../support/fullTests.ts';
import { ownEmulators } from '../../support/ownEmulators.ts';
import { marked } from '../../support/processes.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Unpacked, without dependencies. */
const MAX_BYTES = 19_000_000;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'inquest-package-'));
const installed = join(folder, 'node_modules/inquest');
/** Without a key, and without the compiled modules of the checkout. */
const env = { ...process.env, ...ownEmulators, GEMINI_API_KEY: undefined, NODE_COMPILE_CACHE: undefined };

beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['deploy/pack.ts'], { cwd: ROOT });
  const tarball = join(ROOT, stdout.trim());
  if (!IS_LONG) {
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
    return;
  }
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder, env });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a command of the package in the folder where it is installed. */
function inquest(args: string[], more: Record<string, string> = {}): ChildProcess {
  const command = spawn(process.execPath, [join(folder, 'node_modules/.bin/inquest'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...more },
  });
  onTestFinished(() => void command.kill('SIGKILL'));
  return command;
}

/** Runs a command of the package to its end. */
async function output(...args: string[]): Promise<{ code: number | null; text: string }> {
  const command = inquest(args);
  let text = '';
  for (const stream of [command.stdout, command.stderr]) stream?.on('data', (data) => (text += data));
  const [code] = await once(command, 'close');
  return { code, text };
}

/** The files of the package, without folders. */
const files = (): string[] =>
  globSync('**/*', { cwd: installed }).filter((name) => statSync(join(installed, name)).isFile());

it('the package has compiled modules, no TypeScript, no tests and no documentation', () => {
  const names = files();
  expect(names).toEqual(expect.arrayContaining(['lib/cli/cli.js', 'NOTICE', 'LICENSE', 'CHANGELOG.md']));
  // A workspace of npm: its modules are compiled, because it is no package of a registry.
  expect(names).toContain('lib/packages/local-cloud/src/cloudHost.js');
  expect(names.filter((name) => /\.tsx?$|\.test\.|^(docs|test)\//.test(name))).toEqual([]);
});

it('the package has at most 19 MB without its dependencies', () => {
  const bytes = files().reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
  expect(bytes).toBeLessThan(MAX_BYTES);
});

it('the package contains no path of the machine that made it', () => {
  const naming = files().filter((name) => readFileSync(join(installed, name), 'utf8').includes(ROOT));
  expect(naming).toEqual([]);
});

it('the package names every dependency by version, and the Node that it needs', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest.engines).toEqual({ node: '>=24' });
  expect(manifest.dependencies).toHaveProperty('avsc');
  expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@inquest/'))).toEqual([]);
  const versions = Object.values(manifest.dependencies);
  expect(versions.length).toBeGreaterThan(10);
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
});

it.runIf(IS_LONG)('`inquest demo` of the package investigates with its tool server', async () => {
  const { code, text } = await output('demo');
  expect(text).toContain('completed');
  expect(code, text).toBe(0);
  // No tool call failed: the server was started as a compiled module.
  expect(text).not.toContain('MCP_');
});

it.runIf(IS_LONG)(
  '`inquest start` of the package serves the dashboard, and Ctrl-C ends everything',
  async () => {
    const { env: mark, running } = marked();
    const command = inquest(['start'], mark);
    const lines = createInterface(command.stdout as NodeJS.ReadableStream);
    let dashboard = '';
    for await (const line of lines) {
      dashboard = /^dashboard +(\S+)/.exec(line)?.[1] ?? dashboard;
      if (line === 'Ctrl-C stops everything.') break;
    }
    const page = await fetch(dashboard, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<script');
    // Its data is where the command was called.
    expect(statSync(join(folder, '.inquest/cloud.db')).isFile()).toBe(true);
    command.kill('SIGINT');
    expect(await once(command, 'exit')).toEqual([130, null]);
    await expect.poll(running).toEqual([]);
  },
);

it.runIf(IS_LONG)('`inquest check-config` of the package starts the tool server of an example', async () => {
  const { code, text } = await output('check-config', join(installed, 'examples/crashloop/config'));
  expect(text).toMatch(/^server +kubernetes: /m);
  expect(code, text).toBe(0);
});

it.runIf(IS_LONG)(
  '`inquest build` of the package copies its functions and adds a configuration',
  async () => {
    const config = join(installed, 'examples/chain/config');
    const { code, text } = await output('build', '--config', config);
    expect(code, text).toBe(0);
    expect(text).toMatch(/^runIteration: \d+ kB loaded at start, \d+ kB when needed$/m);
    const built = (name: string) => readFileSync(join(folder, 'dist', name), 'utf8');
    for (const name of [
      'start.js',
      'lib/start.js',
      'lib/runIteration.js',
      'lib/shared/masking/maskingWorker.js',
      'NOTICE',
      'sbom.cdx.json',
    ])
      expect(built(name)).toBe(readFileSync(join(installed, 'bundle/functions', name), 'utf8'));
    expect(built('config/servers.yaml')).toBe(readFileSync(join(config, 'servers.yaml'), 'utf8'));
    expect(built('web/dist/index.html')).toContain('<script');
    expect(JSON.parse(built('package.json')).dependencies).toBeUndefined();
    expect(JSON.parse(built('manifest.json')).services).toHaveLength(8);
    expect(text).toMatch(/^archive: \S+\/[0-9a-f]{64}\.tar\.gz \(\d/m);
  },
);
