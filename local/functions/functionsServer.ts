// Runs functions with the functions-framework in a child process: one function, as on Cloud Run, or several.

import { setTimeout as sleep } from 'node:timers/promises';
import { moduleFile } from '../../shared/projectFiles.ts';
import {
  type Environment,
  type GuardedProcess,
  startProcess,
  waitForAnswer,
} from '../processes/childProcess.ts';
import { acceptsConnections } from '../processes/ports.ts';

const HOST = moduleFile('local/functions/functionHost.ts');
/** It answers after 1 to 3 s, later on a busy machine. */
const START_TIMEOUT_MS = 120_000;
/** Limits the load of a function that crashes repeatedly. */
const RESTART_DELAY_MS = 200;

/** A function and its port. */
export interface HostedFunction {
  /** The registered name, for example `ingestAlert`. */
  name: string;
  /** Path of the module that registers it, in TypeScript or JavaScript. */
  source: string;
  /** On 127.0.0.1. */
  port: number;
}

interface FunctionOptions {
  /** At least one. */
  functions: readonly HostedFunction[];
  /** The whole environment. A single function also gets its name in INQUEST_SERVICE, as on Cloud Run. */
  env: Environment;
  /**
   * Called with each line of output, and with a line at each restart. `name` is the name of a single
   * function, or `functions`.
   */
  onLine?: ((name: string, line: string) => void) | undefined;
  /** The address of the API, for requests that reach a function in its place. Absent: none is served. */
  api?: string | undefined;
  /** Cancels the start. */
  signal?: AbortSignal | undefined;
}

/** A process whose functions answer. */
export interface RunningFunctions {
  /** Stops the process, usually within 3 s. Can be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts functions and waits until they answer. When the process ends later, for example after an unhandled
 * rejection, it is restarted on the same ports, as Cloud Run starts a new instance.
 * @throws Error with the last lines of output when the first start ends or does not answer within 120 s; the
 *   reason of the signal on abort. The process has stopped then.
 */
export async function startFunctions(options: FunctionOptions): Promise<RunningFunctions> {
  const { functions, env, api, onLine, signal } = options;
  const [first, ...others] = functions;
  const single = others.length === 0 ? first?.name : undefined;
  const name = single ?? 'functions';
  const start = () =>
    startProcess({
      name: single === undefined ? 'the process of the functions' : `the function ${single}`,
      command: process.execPath,
      args: [HOST, JSON.stringify(functions), ...(api === undefined ? [] : [api])],
      env: { ...env, INQUEST_SERVICE: single },
      onLine: (line) => onLine?.(name, line),
    });
  const allAccept = async () =>
    (await Promise.all(functions.map(({ port }) => acceptsConnections(port)))).every(Boolean);

  signal?.throwIfAborted();
  let current = start();
  try {
    // The server listens after loading: a connection suffices. A GET would print a stack trace.
    await waitForAnswer(current, allAccept, { timeoutMs: START_TIMEOUT_MS, signal });
  } catch (error) {
    await current.stop();
    throw error;
  }

  let stopping = false;
  const keepRunning = async (running: GuardedProcess): Promise<void> => {
    const how = await running.exited;
    if (stopping) return;
    onLine?.(name, `(ended with ${how}; restarting)`);
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
