// Functions behind the real functions-framework, in a process of theirs: one function, as Cloud Run would run it, or several.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  type GuardedProcess,
  startProcess,
  untilItAnswers,
} from '../processes/childProcess.ts';
import { accepts } from '../processes/ports.ts';

const HOST = fileURLToPath(new URL('./functionHost.ts', import.meta.url));
/** It answers after 1 to 3 s; a machine may be busy with other things. */
const START_TIMEOUT_MS = 120_000;
/** A function that dies again and again must not keep the machine busy. */
const RESTART_DELAY_MS = 200;

/** A function, and where it is served. */
export interface HostedFunction {
  /** The name it is registered by, for example `ingestAlert`. */
  name: string;
  /** Path of the module that registers it; TypeScript runs as it is. */
  source: string;
  port: number;
}

export interface FunctionOptions {
  /** Those that share the process. */
  functions: readonly HostedFunction[];
  /** The whole environment. A function that is alone finds its name in FUNCTION_TARGET, as on Cloud Run. */
  env: Environment;
  /**
   * Called with each line the process writes, and with a line when it is restarted. `name` is that of its function, or
   * `functions` when it has several.
   */
  onLine?: ((name: string, line: string) => void) | undefined;
  /** Ends the start. */
  signal?: AbortSignal | undefined;
}

export interface RunningFunctions {
  /** Resolves when the process is gone, as a rule within 3 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts functions and waits until they answer. When their process ends later, as an unhandled rejection
 * makes it, it is started again on the same ports, as Cloud Run would give them a new instance.
 * @throws Error when it ends or stays silent (120 s) during its first start, with its last lines of output;
 *   the signal's reason on abort. Nothing is left running then.
 */
export async function startFunctions(options: FunctionOptions): Promise<RunningFunctions> {
  const { functions, env, onLine, signal } = options;
  const [only, ...others] = functions;
  const alone = others.length === 0 ? only?.name : undefined;
  const name = alone ?? 'functions';
  const start = () =>
    startProcess({
      name: alone === undefined ? 'the process of the functions' : `the function ${alone}`,
      command: process.execPath,
      args: [HOST, JSON.stringify(functions)],
      env: { ...env, FUNCTION_TARGET: alone },
      onLine: (line) => onLine?.(name, line),
    });
  const answer = async () => (await Promise.all(functions.map(({ port }) => accepts(port)))).every(Boolean);

  signal?.throwIfAborted();
  let current = start();
  try {
    // A connection is proof: it listens once the module is loaded. To a GET the framework would print a stack trace.
    await untilItAnswers(current, answer, { timeoutMs: START_TIMEOUT_MS, signal });
  } catch (error) {
    await current.stop();
    throw error;
  }

  let stopping = false;
  const keepRunning = async (running: GuardedProcess): Promise<void> => {
    const how = await running.exited;
    if (stopping) return;
    onLine?.(name, `(ended with ${how}; starting it again)`);
    await sleep(RESTART_DELAY_MS, undefined, { ref: false });
    if (stopping) return;
    current = start();
    void keepRunning(current);
  };
  void keepRunning(current);

  return {
    async stop() {
      stopping = true;
      await current.stop();
    },
  };
}
