import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

const MODULE = JSON.stringify(new URL('./interrupt.ts', import.meta.url).href);
/** Writes its process id, waits for the signal, and ends in order. */
const COMMAND = `
  import { interruptSignal } from ${MODULE};
  const signal = interruptSignal();
  const timer = setInterval(() => {}, 1000);
  signal.addEventListener('abort', () => {
    console.log(signal.reason.message);
    process.exitCode = signal.reason.exitCode;
    clearInterval(timer);
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
