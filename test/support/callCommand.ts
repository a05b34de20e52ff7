// A command in this process: what it says and its exit code, without the half second that a process of its
// own takes to start. What a command does with signals, terminals and its end is tested with `runCommand`.

import { vi } from 'vitest';
import { runProgram } from '../../cli/program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Environment = Record<string, string | undefined>;

let isRunning = false;

/**
 * Runs `inquest ARGS` to its end. `env` is added to this process's environment; undefined removes a variable.
 * @throws Error while another command runs: both would write to the same streams.
 */
export async function callCommand(args: string[], env: Environment = {}) {
  if (isRunning) throw new Error('commands at the same time need processes of their own: runCommand');
  isRunning = true;
  const said = { stdout: '', stderr: '' };
  const before = { ...process.env };
  const listeners = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const spies = [
    ...(['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
        said[stream] += chunk;
        return true;
      }),
    ),
    vi.spyOn(console, 'error').mockImplementation((text) => {
      said.stderr += `${text}\n`;
    }),
  ];
  setEnvironment(env);
  const exitCode = process.exitCode;
  process.exitCode = undefined;
  try {
    const code = (await runProgram(args)) ?? process.exitCode ?? 0;
    return { code, stdout: linesOf(said.stdout), stderr: linesOf(said.stderr) };
  } finally {
    isRunning = false;
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
    setEnvironment({ ...Object.fromEntries(Object.keys(env).map((name) => [name, undefined])), ...before });
    for (const [signal, kept] of listeners) {
      process.removeAllListeners(signal);
      for (const listener of kept) process.on(signal, listener);
    }
  }
}

function setEnvironment(env: Environment): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
