// A process of ours on this machine: started under the guard, so that it never outlives us, with its output as lines.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url));
/** Enough to hold the reason of a failed start, a Java stack trace included. */
const KEPT_LINES = 20;
/** The guard needs little over 2 s at most, on a busy machine more; one that takes longer is stuck. */
const STOP_TIMEOUT_MS = 60_000;
/** What is left in a pipe arrives at once, unless another process still holds the pipe. */
const LAST_WORDS_MS = 10_000;
const PROBE_INTERVAL_MS = 40;

/** Environment variables; undefined removes one. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProcessOptions {
  /** What people call it, for error messages. */
  name: string;
  command: string;
  args: string[];
  /** The whole environment of the process; nothing is added. */
  env: Environment;
  /** Called with each line of its output, standard error included. */
  onLine?: (line: string) => void;
}

export interface GuardedProcess {
  readonly name: string;
  /** Resolves when it has ended, with how: `exit code 1`. Never rejects. */
  readonly exited: Promise<string>;
  /** The last lines of its output, oldest first. */
  lastLines(): readonly string[];
  /** Ends it and all it started; resolves when it is gone, as a rule within 3 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts a command under the guard. A command that cannot be started ends at once with code 127 and says why in its output.
 * Ctrl-C on a terminal does not reach it: the caller decides when it ends, or dies, which ends it too.
 */
export function startProcess(options: ProcessOptions): GuardedProcess {
  const guard = spawn(process.execPath, [GUARD, options.command, ...options.args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...options.env },
  });
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    options.onLine?.(line);
  };
  for (const stream of [guard.stdout, guard.stderr]) createInterface(stream).on('line', keep);
  // Writing the end of input to a guard that has just died is not worth an exception.
  guard.stdin.on('error', () => {});

  const closed = new Promise<void>((resolve) => guard.once('close', () => resolve()));
  const exited = new Promise<string>((resolve) => {
    guard.once('error', (error) => resolve(error.message));
    guard.once('exit', (code, signal) => {
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      // Its last words may still be in the pipe.
      void Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })]).then(() => resolve(how));
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
 * Waits until a process answers: until `answers`, asked again and again, says so.
 * @throws Error when it ends before (at once), or does not answer within `timeoutMs`, with the last lines of its output;
 *   the reason of `signal` when that aborts. The process is left as it is.
 */
export async function untilItAnswers(
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
      throw startError(process, `did not answer within ${timeoutMs / 1000} s`);
    await Promise.race([exited, sleep(PROBE_INTERVAL_MS)]);
  }
}

function startError(process: GuardedProcess, what: string): Error {
  const lines = process.lastLines();
  const output = lines.length > 0 ? `Its last output:\n  ${lines.join('\n  ')}` : 'It wrote nothing.';
  return new Error(`${process.name} ${what}. ${output}`);
}
