// The whole system on one machine: emulators, functions, topics and subscriptions, started together and stopped together.

import { fileURLToPath } from 'node:url';
import type { Environment } from './childProcess.ts';
import { planEmulators } from './emulators.ts';
import { type RunningFunction, startFunction } from './functionsServer.ts';
import { freePorts } from './ports.ts';
import { createSubscriptions, type Redelivery } from './subscriptions.ts';

export const DEFAULT_PROJECT_ID = 'demo-inquest';

/** Where the modules of the functions are. */
const FUNCTION_SOURCES = {
  ingestAlert: fileURLToPath(new URL('../functions/ingestAlert.ts', import.meta.url)),
  runIteration: fileURLToPath(new URL('../functions/runIteration.ts', import.meta.url)),
};
export type FunctionName = keyof typeof FUNCTION_SOURCES;

export interface SystemOptions {
  /** Default: `demo-inquest`. */
  projectId?: string;
  /** Added to this process's environment for emulators and functions; undefined removes a variable. */
  env?: Environment;
  /** Back-off of redelivery. Default: as in production, 10 to 600 s. */
  subscriptionRetry?: Redelivery;
  /** Other modules in the place of the functions. */
  functionSources?: Partial<Record<FunctionName, string>>;
  /** Called with a line for people whenever a part is ready. */
  onProgress?: (text: string) => void;
  /** Called with each line a function writes. */
  onLine?: (functionName: string, line: string) => void;
  /** Ends the start and stops everything. Has no effect afterwards: use `stop`. */
  signal?: AbortSignal;
}

export interface ClientEnvironment {
  GOOGLE_CLOUD_PROJECT: string;
  FIRESTORE_EMULATOR_HOST: string;
  PUBSUB_EMULATOR_HOST: string;
  /** `none`: emulators need no credentials, and looking for Google's metadata server costs time and a warning. */
  METADATA_SERVER_DETECTION?: string;
}

export interface RunningSystem {
  projectId: string;
  /** Emulators as `host:port`, functions as `http://host:port`. */
  endpoints: { firestore: string; pubsub: string } & Record<FunctionName, string>;
  /** What a client of this system needs in its environment. */
  env: ClientEnvironment;
  /** Stops all that was started here; resolves when it is gone, within 5 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts the system; resolves when all parts answer and messages flow.
 * @throws EmulatorUnavailableError, Error with the last output of what did not start, or the signal's reason.
 *   Nothing that was started here is left running then.
 */
export async function startSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const { projectId = DEFAULT_PROJECT_ID, onProgress, onLine, subscriptionRetry: retry } = options;
  const baseEnv = { ...process.env, ...options.env };
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  signal.throwIfAborted();

  const planned = await planEmulators({ projectId, env: baseEnv, signal, ...(onProgress && { onProgress }) });
  const [ingestPort = 0, iterationPort = 0] = await freePorts(2);
  const clientEnv: ClientEnvironment = {
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: planned.firestoreHost,
    PUBSUB_EMULATOR_HOST: planned.pubsubHost,
    ...(needsMetadataServer(baseEnv) ? {} : { METADATA_SERVER_DETECTION: 'none' }),
  };
  const startOne = async (name: FunctionName, port: number): Promise<RunningFunction> => {
    const source = options.functionSources?.[name] ?? FUNCTION_SOURCES[name];
    const env = { ...baseEnv, ...clientEnv };
    const running = await startFunction({ name, source, port, env, onLine, signal });
    onProgress?.(`${name}: ${running.endpoint}`);
    return running;
  };
  const parts = [
    planned.start(),
    startOne('ingestAlert', ingestPort),
    startOne('runIteration', iterationPort),
  ] as const;
  const stopStarted = async () => {
    const started = await Promise.allSettled(parts);
    await Promise.all(started.map((part) => part.status === 'fulfilled' && part.value.stop()));
  };

  try {
    const [emulators, ingestAlert, runIteration] = await Promise.all(parts);
    const subscriptions = createSubscriptions({
      projectId,
      pubsubHost: emulators.pubsubHost,
      endpoints: { alerts: ingestAlert.endpoint, iterations: runIteration.endpoint },
      retry,
    });
    await Promise.race([subscriptions, rejectOnAbort(signal)]);
    onProgress?.('topics and subscriptions: ready');
    return {
      projectId,
      endpoints: {
        firestore: emulators.firestoreHost,
        pubsub: emulators.pubsubHost,
        ingestAlert: ingestAlert.endpoint,
        runIteration: runIteration.endpoint,
      },
      env: clientEnv,
      stop: stopStarted,
    };
  } catch (error) {
    failed.abort(error);
    await stopStarted();
    throw error;
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Whether the caller has decided about the metadata server, or Vertex may take its credentials from there. */
function needsMetadataServer(env: Environment): boolean {
  const vertex = [env.GOOGLE_GENAI_USE_VERTEXAI, env.GOOGLE_GENAI_USE_ENTERPRISE];
  return Boolean(env.METADATA_SERVER_DETECTION) || vertex.some((value) => value?.toLowerCase() === 'true');
}
