import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { beforeAbort, untilAborted } from './interrupt.ts';

const MODULE = JSON.stringify(new URL('./interrupt.ts', import.meta.url).href);
/** Writes its process id, waits for the signal, and ends in order. */
const COMMAND = `
  import { interruptSignal } from ${MODULE};
  const signal = interruptSignal();
  const timer = setInterval(() => {}, 1000);
  signal.addEventListener('abort', () => {
    console.log(signal.reason.message);
    process.exitCode = signal.reason.exitCode;
    // A signal that is repeated meets the process at work, and not while Node takes its handlers down.
    setTimeout(() => clearInterval(timer), 100);
  });
  console.log(process.pid);`;

/** Starts a command, and waits for the process id it writes. */
async function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const output = text(child.stdout);
  const [line] = await once(child.stdout, 'data');
  const pid = Number(line);
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  });
  return { child, pid, output };
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s is one request to end, also when npm repeats it, with exit code %i', async (signal, code) => {
  const { child, pid, output } = await start(process.execPath, ['--input-type=module', '--eval', COMMAND]);
  child.kill(signal);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
  expect(await output).toBe(`${pid}\nstopped by ${signal}\n`);
});

it('the death of the shell under npx is a request to end', async () => {
  // A second command keeps the shell from giving its process to the first.
  const script = `"${process.execPath}" --input-type=module --eval "$COMMAND"; true`;
  const { child, pid, output } = await start('sh', ['-c', script], { COMMAND, npm_command: 'exec' });
  child.kill('SIGTERM');
  expect(await output).toBe(`${pid}\nstopped by SIGTERM\n`);
});

it('the death of that shell while modules load is a request to end', async () => {
  const loading = `
    import { interruptSignal } from ${MODULE};
    const shell = process.ppid;
    console.log(process.pid);
    while (process.ppid === shell) await new Promise(setImmediate);
    const signal = interruptSignal();
    const timer = setInterval(() => {}, 1000);
    signal.addEventListener('abort', () => {
      console.log(signal.reason.message);
      clearInterval(timer);
    });`;
  const script = `"${process.execPath}" --input-type=module --eval "$COMMAND"; true`;
  const { child, pid, output } = await start('sh', ['-c', script], { COMMAND: loading, npm_command: 'exec' });
  child.kill('SIGTERM');
  expect(await output).toBe(`${pid}\nstopped by SIGTERM\n`);
});

it('a second Ctrl-C ends a process at once whose work does not stop', async () => {
  const stubborn = `
    import { interruptSignal } from ${MODULE};
    const signal = interruptSignal();
    signal.addEventListener('abort', () => console.log('stopping'));
    setInterval(() => {}, 1000);
    console.log(process.pid);`;
  const { child, output } = await start(process.execPath, ['--input-type=module', '--eval', stubborn]);
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  // Repeated at once it is an echo of the first.
  const again = setInterval(() => child.kill('SIGINT'), 50);
  onTestFinished(() => clearInterval(again));
  expect(await ended).toEqual([130, null]);
  expect(await output).toMatch(/^\d+\nstopping\n$/);
});

it('a process whose work does not stop ends after the deadline', async () => {
  const stubborn = `
    import { interruptSignal } from ${MODULE};
    interruptSignal({ deadlineMs: 20 });
    setInterval(() => {}, 1000);
    console.log(process.pid);`;
  const { child } = await start(process.execPath, ['--input-type=module', '--eval', stubborn]);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

it('the code of the signal wins over the exit code of the process', async () => {
  const done = `
    import { interruptSignal } from ${MODULE};
    const signal = interruptSignal();
    process.exitCode = 1;
    const timer = setInterval(() => {}, 1000);
    signal.addEventListener('abort', () => clearInterval(timer));
    console.log(process.pid);`;
  const { child } = await start(process.execPath, ['--input-type=module', '--eval', done]);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

describe('waiting for the end', () => {
  const reason = new Error('enough');

  it('is over at once when the signal has aborted before', async () => {
    await expect(untilAborted(AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(beforeAbort(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('returns the result of the work, or the reason, whichever comes first', async () => {
    const abort = new AbortController();
    expect(await beforeAbort(Promise.resolve(1), abort.signal)).toBe(1);
    const waiting = [untilAborted(abort.signal), beforeAbort(new Promise(() => {}), abort.signal)];
    abort.abort(reason);
    expect(await Promise.allSettled(waiting)).toEqual(Array(2).fill({ status: 'rejected', reason }));
  });
});
