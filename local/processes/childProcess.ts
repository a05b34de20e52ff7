// A child process under the guard, which ends it with its parent. Its output is read as lines.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { moduleFile } from '../../shared/projectFiles.ts';
import { secondsText } from '../../shared/text/amounts.ts';

const GUARD = moduleFile('local/processes/processGuard.ts');
/** Enough to hold the reason of a failed start, a Java stack trace included. */
const KEPT_LINES = 20;
/** The guard needs about 2 s, more on a busy machine. A guard that needs longer hangs. */
const STOP_TIMEOUT_MS = 60_000;
/** For the rest of the output. It arrives immediately unless another process still holds the pipe. */
const LAST_OUTPUT_MS = 10_000;
const PROBE_INTERVAL_MS = 40;

/** Environment variables; undefined removes one. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface ProcessOptions {
  /** Its name in error messages. */
  name: string;
  /** A program, as a path or a name in `PATH`. */
  command: string;
  /** Arguments of the command, in order. */
  args: string[];
  /** The whole environment of the process; nothing is added. */
  env: Environment;
  /** Called with each line of its output, standard error included. */
  onLine?: (line: string) => void;
}

/** A child process that runs or has ended. */
export interface GuardedProcess {
  /** As in `ProcessOptions`. */
  readonly name: string;
  /** Resolves when it has ended, with `exit code 1` or `signal SIGKILL`. Never rejects. */
  readonly exited: Promise<string>;
  /** The last lines of its output, oldest first. */
  lastLines(): readonly string[];
  /** Ends the process and its descendants; resolves then, usually in 3 s. Can be repeated. */
  stop(): Promise<void>;
}

/**
 * Starts a command under the guard. A command that cannot start ends immediately with exit code 127 and the
 * reason in its output. Ctrl-C on a terminal does not reach it: it ends with `stop` or with its parent.
 */
export function startProcess(options: ProcessOptions): GuardedProcess {
  const guard = spawn(process.execPath, [GUARD, options.command, ...options.args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: options.env.PATH, LOGNAME: options.env.LOGNAME },
  });
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    options.onLine?.(line);
  };
  for (const stream of [guard.stdout, guard.stderr]) createInterface(stream).on('line', keep);
  // The guard can have ended before its input is written.
  guard.stdin.on('error', () => {});
  guard.stdin.write(`${JSON.stringify(options.env)}\n`);

  const closed = new Promise<void>((resolve) => guard.once('close', () => resolve()));
  const exited = new Promise<string>((resolve) => {
    guard.once('error', (error) => resolve(error.message));
    guard.once('exit', (code, signal) => {
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      // The last lines can still be in the pipe.
      void Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]).then(() => resolve(how));
    });
  });

  return {
    name: options.name,
    exited,
    lastLines: () => lines,
    async stop() {
      guard.stdin.end();
      const ended = await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      if (ended === undefined) guard.kill('SIGKILL');
    },
  };
}

/**
 * Polls `answers` until it returns true.
 * @throws Error with the last lines of output when the process ends before or does not answer within
 *   `timeoutMs`; the reason of `signal` when that aborts. The process is not stopped.
 */
export async function waitForAnswer(
  process: GuardedProcess,
  answers: () => Promise<boolean>,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const { timeoutMs, signal } = options;
  const deadline = performance.now() + timeoutMs;
  let ended: string | undefined;
  const exited = process.exited.then((how) => {
    ended = how;
  });
  for (;;) {
    signal?.throwIfAborted();
    if (ended !== undefined) throw startError(process, `ended with ${ended} before it answered`);
    if (await answers()) return;
    if (performance.now() > deadline)
      throw startError(process, `did not answer within ${secondsText(timeoutMs)}`);
    await Promise.race([exited, sleep(PROBE_INTERVAL_MS)]);
  }
}

function startError(process: GuardedProcess, problem: string): Error {
  const lines = process.lastLines();
  const output = lines.length > 0 ? `Its last output:\n  ${lines.join('\n  ')}` : 'It wrote nothing.';
  return new Error(`${process.name} ${problem}. ${output}`);
}
