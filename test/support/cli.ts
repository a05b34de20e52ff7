// The command line, as a user starts it, in a process of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
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
  /** Waits for a line on either stream. Fails with what it wrote when it ends without one. */
  line(pattern: RegExp): Promise<void>;
  /** Its standard input; ends at once unless the command was started with `stdin`. */
  stdin: Writable | null;
  /** Reads no more of its standard output, as `head` does. */
  closeStdout(): void;
  kill(signal: NodeJS.Signals): void;
  /** How it ended, once its output is complete. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a command. `env` is added to this process's environment; undefined removes a variable. */
export function startCommand(
  args: string[],
  env: Record<string, string | undefined> = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
): RunningCommand {
  const removed = Object.fromEntries(REMOVED.map((name) => [name, undefined]));
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: [stdin, 'pipe', 'pipe'],
    env: { ...process.env, ...removed, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stdout: string[] = [];
  const stderr: string[] = [];
  const waiting = new Map<RegExp, () => void>();
  const keep = (lines: string[]) => (line: string) => {
    lines.push(line);
    for (const [pattern, found] of waiting) if (pattern.test(line)) found();
  };
  createInterface(child.stdout as Readable).on('line', keep(stdout));
  createInterface(child.stderr as Readable).on('line', keep(stderr));
  const silence = once(child, 'close').then(() => false);
  return {
    stdout,
    stderr,
    stdin: child.stdin,
    async line(pattern) {
      if ([...stdout, ...stderr].some((line) => pattern.test(line))) return;
      const found = new Promise<boolean>((resolve) => waiting.set(pattern, () => resolve(true)));
      if (await Promise.race([found, silence])) return;
      throw new Error(`no line ${pattern}; on standard error: ${stderr.join('\n')}`);
    },
    async firstLine(stream) {
      const lines = createInterface((stream === 'stdout' ? child.stdout : child.stderr) as Readable);
      const line = once(lines, 'line').then(() => true);
      if (await Promise.race([line, silence])) return;
      throw new Error(`nothing on ${stream}; on standard error: ${stderr.join('\n')}`);
    },
    closeStdout: () => void child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
}

/** Runs a command to its end, with `input` as its standard input. */
export async function runCommand(
  args: string[],
  env: Record<string, string | undefined> = {},
  input?: string | Uint8Array,
) {
  const command = startCommand(args, env, input === undefined ? 'ignore' : 'pipe');
  command.stdin?.end(input);
  const { code } = await command.ended;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** The variables that `start` prints for other terminals. */
export function exportsOf({ stdout }: RunningCommand): Record<string, string> {
  return Object.fromEntries(
    stdout.flatMap((line) => {
      const [, name, value] = /^ {2}export (\w+)=(\S+)$/.exec(line) ?? [];
      return name && value ? [[name, value]] : [];
    }),
  );
}
