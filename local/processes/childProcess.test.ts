import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { type GuardedProcess, startProcess, waitForAnswer } from './childProcess.ts';

const started: GuardedProcess[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.stop()));
});

/** Runs a line of JavaScript under the guard. */
function start(code: string, onLine?: (line: string) => void): GuardedProcess {
  return startCommand(process.execPath, ['-e', code], onLine);
}

function startCommand(command: string, args: string[], onLine?: (line: string) => void): GuardedProcess {
  const created = startProcess({
    name: 'the test',
    command,
    args,
    env: process.env,
    ...(onLine && { onLine }),
  });
  started.push(created);
  return created;
}

/** Starts `code`, and gives the numbers of its first line: process ids, by convention. */
async function pidsOf(code: string): Promise<{ running: GuardedProcess; pids: number[] }> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = start(code, resolve);
  return { running, pids: (await promise).split(' ').map(Number) };
}

/** Whether a process runs. One that is dead but not yet collected by its parent does not. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

const FOREVER = 'setInterval(() => {}, 1000);';
/** Starts a grandchild in a process group of its own, as firebase-tools does with its emulators. */
const WITH_DETACHED_CHILD = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', '${FOREVER}'], { detached: true });
  console.log(process.pid, child.pid); ${FOREVER}`;

describe('a guarded process', () => {
  it('gives its output as lines and reports how it ended', async () => {
    const lines: string[] = [];
    const running = start('console.log("one"); console.error("two"); process.exitCode = 3', (line) =>
      lines.push(line),
    );
    expect(await running.exited).toBe('exit code 3');
    expect(lines.sort()).toEqual(['one', 'two']);
  });

  it('that cannot be started ends at once with the reason', async () => {
    const running = startCommand('/no/such/command', []);
    expect(await running.exited).toBe('exit code 127');
    expect(running.lastLines().join()).toContain('/no/such/command');
  });

  it('is gone when stop resolves', async () => {
    const { running, pids } = await pidsOf(`console.log(process.pid); ${FOREVER}`);
    await running.stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('can be stopped again after it ended', async () => {
    const running = start('');
    await running.exited;
    await expect(Promise.all([running.stop(), running.stop()])).resolves.toBeDefined();
  });

  it('is killed when it ignores the request to end', async () => {
    const { running, pids } = await pidsOf(
      `process.on('SIGTERM', () => {}); console.log(process.pid); ${FOREVER}`,
    );
    await running.stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('stops processes that it started, even in other process groups', async () => {
    const { running, pids } = await pidsOf(WITH_DETACHED_CHILD);
    expect(pids.filter(isAlive)).toHaveLength(2);
    await running.stop();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGINT', 'uncaught exception'])('ends when its parent ends by %s', async (how) => {
    const module = JSON.stringify(new URL('./childProcess.ts', import.meta.url).href);
    const parent = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { startProcess } from ${module};
         process.stdin.once('data', () => { throw new Error('on purpose') });
         startProcess({
           name: 'test', command: process.execPath, args: ['-e', process.env.CODE], env: process.env, onLine: console.log,
         });`,
      ],
      { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, CODE: WITH_DETACHED_CHILD } },
    );
    const [line] = await once(createInterface(parent.stdout), 'line');
    const pids = String(line).split(' ').map(Number);
    expect(pids.filter(isAlive)).toHaveLength(2);
    if (how === 'uncaught exception') parent.stdin.write('now');
    else parent.kill(how as NodeJS.Signals);
    await once(parent, 'exit');
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

describe('waiting for a process', () => {
  const never = async () => false;

  it('ends at once with its last words when it ends', async () => {
    const running = start('console.error("port taken"); process.exit(1)');
    const waiting = waitForAnswer(running, never, { timeoutMs: 600_000 });
    await expect(waiting).rejects.toThrow(
      'the test ended with exit code 1 before it answered. Its last output:\n  port taken',
    );
  });

  it('ends with its last words when it stays silent too long', async () => {
    const spoken = Promise.withResolvers<string>();
    const running = start(`console.log('thinking'); ${FOREVER}`, spoken.resolve);
    await spoken.promise;
    const waiting = waitForAnswer(running, never, { timeoutMs: 1 });
    await expect(waiting).rejects.toThrow(
      'the test did not answer within 0.001 s. Its last output:\n  thinking',
    );
  });

  it('ends without last words when it had none', async () => {
    const waiting = waitForAnswer(start(FOREVER), never, { timeoutMs: 1 });
    await expect(waiting).rejects.toThrow('the test did not answer within 0.001 s. It wrote nothing.');
  });

  it('ends with the reason of an abort', async () => {
    const abort = new AbortController();
    const waiting = waitForAnswer(start(FOREVER), never, { timeoutMs: 600_000, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
