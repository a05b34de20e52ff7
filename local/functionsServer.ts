// One function behind the real functions-framework, in a process of its own, as Cloud Run would run it.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, type GuardedProcess, startProcess, untilItAnswers } from './childProcess.ts';
import { accepts } from './ports.ts';

const HOST = fileURLToPath(new URL('./functionHost.ts', import.meta.url));
/** It answers after 1 to 3 s; a machine may be busy with other things. */
const START_TIMEOUT_MS = 120_000;
/** A function that dies again and again must not keep the machine busy. */
const RESTART_DELAY_MS = 200;

export interface FunctionOptions {
  /** The name it is registered by, for example `ingestAlert`. */
  name: string;
  /** Path of the module that registers it; TypeScript runs as it is. */
  source: string;
  port: number;
  /** Its whole environment. */
  env: Environment;
  /** Called with each line the function writes, and with a line when it is restarted. */
  onLine?: ((name: string, line: string) => void) | undefined;
  /** Ends the start. */
  signal?: AbortSignal | undefined;
}

export interface RunningFunction {
  /** `http://127.0.0.1:PORT` */
  endpoint: string;
  /** Resolves when the process is gone, as a rule within 3 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts a function and waits until it answers. When its process ends later, as an unhandled rejection
 * makes it, it is started again on the same port, as Cloud Run would give it a new instance.
 * @throws Error when it ends or stays silent (120 s) during its first start, with its last lines of output;
 *   the signal's reason on abort. Nothing is left running then.
 */
export async function startFunction(options: FunctionOptions): Promise<RunningFunction> {
  const { name, source, port, env, onLine, signal } = options;
  const endpoint = `http://127.0.0.1:${port}`;
  // Told by environment, as on Cloud Run.
  const target = {
    FUNCTION_TARGET: name,
    FUNCTION_SOURCE: source,
    PORT: String(port),
  };
  const start = () =>
    startProcess({
      name: `the function ${name}`,
      command: process.execPath,
      args: [HOST],
      env: { ...env, ...target },
      onLine: (line) => onLine?.(name, line),
    });

  signal?.throwIfAborted();
  let current = start();
  try {
    // A connection is proof: it listens once the module is loaded. To a GET the framework would print a stack trace.
    await untilItAnswers(current, () => accepts(port), { timeoutMs: START_TIMEOUT_MS, signal });
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
    endpoint,
    async stop() {
      stopping = true;
      await current.stop();
    },
  };
}
