// The entry of all commands, in a project with stand-in commands: it tests who runs them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../test/support/ownConfig.ts';

const ENTRY = fileURLToPath(new URL('./inquest.js', import.meta.url));
const NEWER = '999.0.0';

interface ProjectOptions {
  /** Version of the Node that the project brings. */
  node: string;
  /** The oldest Node that it is installed with. Default: one that is older than this. */
  oldest?: string;
  /** What is installed: everything, nothing, or packages without that Node. */
  installed: 'all' | 'nothing' | 'without node';
  /** What cli.ts does. */
  commands: string;
}

/** A project with the entry; returns its folder, with a slash at the end. */
function project({ node, oldest = '20', installed, commands }: ProjectOptions): string {
  const folder = temporaryFolder();
  const bin = join(folder, 'node_modules/node/bin');
  if (installed !== 'nothing') mkdirSync(bin, { recursive: true });
  if (installed === 'all') symlinkSync(process.execPath, join(bin, 'node'));
  mkdirSync(join(folder, 'cli'));
  copyFileSync(ENTRY, join(folder, 'cli/inquest.js'));
  writeFileSync(join(folder, 'cli/cli.ts'), commands);
  const manifest = { type: 'module', engines: { node: `>=${oldest}` }, devDependencies: { node } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  return `${folder}/`;
}

/** Starts `inquest` in a project. */
function start(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(folder, 'cli/inquest.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const ended = output.then(([stdout, stderr, [code, signal]]) => ({ code, signal, stdout, stderr }));
  return { child, ended };
}

const REPORT = 'const words: string[] = process.argv.slice(2); console.log(process.ppid, ...words);';
const REPORT_PATH = "console.log(process.env.PATH?.split(':')[0]);";

describe('inquest', () => {
  it('asks for npm ci when nothing is installed, or not the Node it needs', async () => {
    for (const installed of ['nothing', 'without node'] as const) {
      const folder = project({ node: NEWER, installed, commands: REPORT });
      expect(await start(folder, 'demo').ended).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `inquest: run \`npm ci\` in ${folder} first: its packages are not installed\n`,
      });
    }
  });

  it('asks for a newer Node, too, where npm ci would need one', async () => {
    const folder = project({ node: NEWER, oldest: '900', installed: 'nothing', commands: REPORT });
    expect(await start(folder, 'demo').ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `inquest: this is Node ${process.versions.node}: install Node 900 or newer, then run \`npm ci\` in ${folder}\n`,
    });
  });

  it('runs the compiled commands of the package, or asks for the Node that the package needs', async () => {
    for (const oldest of ['18', '900']) {
      const folder = project({ node: NEWER, oldest, installed: 'nothing', commands: '' });
      rmSync(join(folder, 'cli/cli.ts'));
      mkdirSync(join(folder, 'lib/cli'), { recursive: true });
      writeFileSync(join(folder, 'lib/cli/cli.js'), 'console.log("compiled")');
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ type: 'module', engines: { node: `>=${oldest}` } }),
      );
      const { code, stdout, stderr } = await start(folder, 'demo').ended;
      const asks = `inquest: this is Node ${process.versions.node}: install Node 900 or newer\n`;
      expect([code, stdout, stderr]).toEqual(oldest === '18' ? [0, 'compiled\n', ''] : [1, '', asks]);
    }
  });

  it('is installed, as the README describes, with Node 20, and has no syntax that Node 14 cannot parse', async () => {
    const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(engines).toEqual({ node: '>=20' });
    const entry = readFileSync(ENTRY, 'utf8');
    const { code } = await transform(entry, { target: 'node14.18', format: 'esm' });
    const { code: newest } = await transform(entry, { target: 'esnext', format: 'esm' });
    expect(code).toBe(newest);
  });

  it('runs the commands itself when it runs on the Node of the project, or a newer one', async () => {
    for (const node of ['18.0.0', process.versions.node]) {
      const folder = project({ node, installed: 'without node', commands: REPORT });
      const { ended } = start(folder, 'demo', '--json');
      expect(await ended).toMatchObject({ code: 0, stdout: `${process.pid} demo --json\n` });
    }
  });

  it('hands them to the Node of the project when it runs on an older one', async () => {
    const folder = project({ node: NEWER, installed: 'all', commands: `${REPORT} process.exitCode = 7;` });
    const { child, ended } = start(folder, 'publish', 'a file.json');
    expect(await ended).toMatchObject({ code: 7, stdout: `${child.pid} publish a file.json\n`, stderr: '' });
  });

  it('passes that Node on to the processes that they start', async () => {
    const folder = project({ node: NEWER, installed: 'all', commands: REPORT_PATH });
    expect(await start(folder).ended).toMatchObject({ stdout: `${folder}node_modules/node/bin\n` });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('passes %s on, once', async (signal) => {
    const commands = `
      let count = 0;
      process.on('${signal}', () => { count++; setTimeout(() => { console.log(count); process.exit(42); }, 200); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const { child, ended } = start(project({ node: NEWER, installed: 'all', commands }));
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 42, signal: null, stdout: 'ready\n1\n' });
  });

  it.each([
    ['runs them itself', '18.0.0'],
    ['hands them to the Node of the project', NEWER],
  ])('obeys a Ctrl-C that comes while their modules load, where it %s', async (_, node) => {
    const interrupt = JSON.stringify(new URL('./process/interrupt.ts', import.meta.url).href);
    const commands = `
      import { interruptSignal } from ${interrupt};
      // Handed on, the commands get the signal of the entry below.
      if (${node !== NEWER}) process.kill(process.pid, 'SIGINT');
      const signal = interruptSignal();
      const timer = setInterval(() => {}, 1000);
      signal.addEventListener('abort', () => clearInterval(timer));`;
    const folder = project({ node, installed: 'all', commands });
    // In the entry: as soon as it listens, and before it starts the commands.
    const listening = `
      process.on('newListener', function entryListens(name) {
        if (name !== 'SIGHUP') return;
        process.off('newListener', entryListens);
        process.kill(process.pid, 'SIGINT');
      });`;
    const preload = node === NEWER ? [`--import=data:text/javascript,${encodeURIComponent(listening)}`] : [];
    const child = spawn(process.execPath, [...preload, join(folder, 'cli/inquest.js')]);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([130, null]);
  });

  it('ends with the code of the signal that ended the commands', async () => {
    const commands = "process.kill(process.pid, 'SIGKILL');";
    const { ended } = start(project({ node: NEWER, installed: 'all', commands }));
    expect(await ended).toMatchObject({ code: 137, signal: null });
  });
});
