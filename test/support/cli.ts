// The command line, as a user starts it, in a process of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../cli/inquest.js', import.meta.url));
/** What would make the command ask a real model, or colour its output. */
const REMOVED = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'FORCE_COLOR',
];

export interface RunningCommand {
  /** Lines so far. */
  stdout: string[];
  stderr: string[];
  /** Waits for its first line on a stream. Fails with what it wrote when it ends without one. */
  firstLine(stream: 'stdout' | 'stderr'): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** How it ended, once its output is complete. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a command. `env` is added to this process's environment; undefined removes a variable. */
export function startCommand(args: string[], env: Record<string, string | undefined> = {}): RunningCommand {
  const removed = Object.fromEntries(REMOVED.map((name) => [name, undefined]));
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...removed, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface(child.stdout).on('line', (line) => stdout.push(line));
  createInterface(child.stderr).on('line', (line) => stderr.push(line));
  return {
    stdout,
    stderr,
    async firstLine(stream) {
      const lines = createInterface(stream === 'stdout' ? child.stdout : child.stderr);
      const line = once(lines, 'line').then(() => true);
      const silence = once(child, 'close').then(() => false);
      if (await Promise.race([line, silence])) return;
      throw new Error(`nothing on ${stream}; on standard error: ${stderr.join('\n')}`);
    },
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
}

/** Runs a command to its end. */
export async function runCommand(args: string[], env: Record<string, string | undefined> = {}) {
  const command = startCommand(args, env);
  const { code } = await command.ended;
  return { code, stdout: command.stdout, stderr: command.stderr };
}
