// The whole system on one machine: Firestore, Pub/Sub, functions, topics and subscriptions, started together and stopped together.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  API_NAME,
  FUNCTION_NAMES,
  FUNCTIONS,
  type FunctionName,
  mapFunctions,
} from '../functions/manifest.ts';
import { DEFAULT_PROJECT } from '../shared/environment.ts';
import { emulatorOf } from '../shared/store/emulator.ts';
import { planEmulators } from './emulators/emulators.ts';
import type { DataFile } from './emulators/launchEmulators.ts';
import { functionEnvironment } from './functions/functionEnvironment.ts';
import { type RunningFunctions, startFunctions } from './functions/functionsServer.ts';
import type { Environment } from './processes/childProcess.ts';
import { freePorts } from './processes/ports.ts';
import { createSubscriptions, deleteSubscriptions, refuseUsedProject } from './subscriptions.ts';

/** After an interruption, for the topics and subscriptions of a temporary project; as long as a process has to end. */
const REMOVAL_MS = 2_000;

/** A function, or the API, which is served as one. */
type Hosted = FunctionName | typeof API_NAME;

/** What `startSystem` starts, and what it reports meanwhile. */
export interface SystemOptions {
  /** Default: `demo-inquest`. */
  projectId?: string;
  /** Added to this process's environment for emulators and functions; undefined removes a variable. */
  env?: Environment;
  /** Whether emulators that do not run are the official ones. Default: the local cloud. */
  official?: boolean;
  /** Where the local cloud keeps documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** How often the sweep is called, in milliseconds. Default: the manifest's 60 s. */
  sweepEveryMs?: number;
  /** Deliveries before an iteration message becomes a dead letter, 5 to 100. Default: 100. */
  maxDeliveryAttempts?: number;
  /**
   * Whether each function has its own process, as in production, with its own settings only. Default: they share one, which
   * starts sooner. The API always has its own: it must answer while the functions are busy.
   */
  separate?: boolean;
  /** Added to the environment of every function, also of those that are given their own settings alone. */
  functionEnv?: Environment;
  /** Whether the HTTP API is served, too. Default: no. */
  api?: boolean;
  /** Other modules in the place of the functions. */
  functionSources?: Partial<Record<FunctionName, string>>;
  /** Called with a line for people whenever a part is ready. */
  onProgress?: (text: string) => void;
  /** Called with each line a function writes. */
  onLine?: (functionName: string, line: string) => void;
  /** Where parts listen on 127.0.0.1. Default: any free ports. */
  ports?: Partial<Record<'firestore' | 'pubsub' | Hosted, number>>;
  /** Whether `stop` deletes the topics and subscriptions: for a project that nothing else uses, on emulators that go on. */
  temporary?: boolean;
  /** Ends the start and stops everything. Has no effect afterwards: use `stop`. */
  signal?: AbortSignal;
}

/** Environment variables with which Google's clients find the system. */
interface ClientEnvironment {
  GOOGLE_CLOUD_PROJECT: string;
  FIRESTORE_EMULATOR_HOST: string;
  PUBSUB_EMULATOR_HOST: string;
  /** `none`: emulators need no credentials, and looking for Google's metadata server costs time and a warning. */
  METADATA_SERVER_DETECTION?: string;
}

/** A system whose parts all answer. */
export interface RunningSystem {
  projectId: string;
  /** Emulators as `host:port`, functions as `http://host:port`. */
  endpoints: { firestore: string; pubsub: string; api?: string } & Record<FunctionName, string>;
  /** What a client of this system needs in its environment. */
  env: ClientEnvironment;
  /** Resolves with the error of an emulator that dies before the system is stopped. Never rejects. */
  died: Promise<Error>;
  /** Stops all that was started here; resolves when it is gone, as a rule within 3 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts the system; resolves when all parts answer and messages flow.
 * @throws EmulatorUnavailableError, Error with the last output of what did not start, or the signal's reason.
 *   Nothing that was started here is left running then.
 */
export async function startSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const { projectId = DEFAULT_PROJECT, onProgress, onLine, maxDeliveryAttempts } = options;
  const { sweepEveryMs = FUNCTIONS.sweep.everySeconds * 1000 } = options;
  const baseEnv = { ...process.env, ...options.env };
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  signal.throwIfAborted();

  const { ports = {} } = options;
  const planned = await planEmulators({
    projectId,
    env: baseEnv,
    ports,
    signal,
    official: options.official === true,
    data: options.data,
    ...(onProgress && { onProgress }),
  });
  if (emulatorOf('pubsub', baseEnv)) await refuseUsedProject(projectId, planned.pubsubHost);
  const names: Hosted[] = [...FUNCTION_NAMES, ...(options.api ? ([API_NAME] as const) : [])];
  const freeOnes = await freePorts(names.length);
  const clientEnv: ClientEnvironment = {
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: planned.firestoreHost,
    PUBSUB_EMULATOR_HOST: planned.pubsubHost,
    ...(needsMetadataServer(baseEnv) ? {} : { METADATA_SERVER_DETECTION: 'none' }),
  };
  const hosted = names.map((name, index) => ({
    name,
    source:
      (name === API_NAME ? undefined : options.functionSources?.[name]) ??
      fileURLToPath(new URL(`../functions/${name}.ts`, import.meta.url)),
    port: ports[name] ?? freeOnes[index] ?? 0,
  }));
  const endpointOf = (name: Hosted) => `http://127.0.0.1:${hosted.find((one) => one.name === name)?.port}`;
  const start = async (functions: typeof hosted): Promise<RunningFunctions> => {
    const whole = { ...baseEnv, ...clientEnv };
    const [only, ...others] = functions;
    const isAlone = only !== undefined && others.length === 0 && only.name !== API_NAME;
    const given = isAlone ? functionEnvironment(only.name as FunctionName, whole) : whole;
    const env = { ...given, ...options.functionEnv };
    const running = await startFunctions({ functions, env, onLine, signal });
    for (const { name } of functions) onProgress?.(`${name}: ${endpointOf(name)}`);
    return running;
  };
  const starting = {
    emulators: planned.start(),
    functions: processesOf(hosted, options.separate === true).map(start),
  };
  // Making subscriptions and following an investigation would wait for them; now this process waits for others anyway.
  void Promise.allSettled([
    import('../shared/store/pubsub/pubsubSdk.ts'),
    import('../shared/store/firestore/firestoreSdk.ts'),
  ]);
  let stopSchedule = () => {};
  let removeSubscriptions = () => Promise.resolve();
  const stopStarted = async () => {
    stopSchedule();
    const removed = removeSubscriptions();
    const started = await Promise.allSettled([starting.emulators, ...starting.functions]);
    await Promise.all(started.map((part) => part.status === 'fulfilled' && part.value.stop()));
    // Who interrupts does not wait for it.
    await Promise.race([
      removed,
      ...(options.signal?.aborted ? [sleep(REMOVAL_MS, undefined, { ref: false })] : []),
    ]);
  };

  try {
    const [emulators] = await Promise.all([starting.emulators, ...starting.functions]);
    const endpoints = mapFunctions(endpointOf);
    const { pubsubHost } = emulators;
    const subscriptions = createSubscriptions({ projectId, pubsubHost, endpoints, maxDeliveryAttempts });
    if (options.temporary) {
      removeSubscriptions = once(async () => {
        await Promise.allSettled([subscriptions]);
        await deleteSubscriptions({ projectId, pubsubHost });
      });
    }
    await Promise.race([subscriptions, rejectOnAbort(signal)]);
    stopSchedule = startSchedule(endpoints.sweep, sweepEveryMs);
    onProgress?.('topics and subscriptions: ready');
    return {
      projectId,
      endpoints: {
        firestore: emulators.firestoreHost,
        pubsub: emulators.pubsubHost,
        ...endpoints,
        ...(options.api && { api: endpointOf(API_NAME) }),
      },
      env: clientEnv,
      died: emulators.died,
      stop: stopStarted,
    };
  } catch (error) {
    failed.abort(error);
    await stopStarted();
    throw error;
  }
}

/** Which functions share a process. */
function processesOf<T extends { name: Hosted }>(hosted: readonly T[], separate: boolean): T[][] {
  if (separate) return hosted.map((one) => [one]);
  const isApi = ({ name }: T) => name === API_NAME;
  return [hosted.filter((one) => !isApi(one)), hosted.filter(isApi)].filter(({ length }) => length > 0);
}

/** What Cloud Scheduler is in production. A failed tick is in the function's log; the next one makes up for it. */
function startSchedule(endpoint: string, everyMs: number): () => void {
  const timer = setInterval(() => {
    fetch(endpoint, { method: 'POST', signal: AbortSignal.timeout(everyMs) })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  }, everyMs);
  return () => clearInterval(timer);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}

/** Whether the caller has decided about the metadata server, or Vertex may take its credentials from there. */
function needsMetadataServer(env: Environment): boolean {
  const vertex = [env.GOOGLE_GENAI_USE_VERTEXAI, env.GOOGLE_GENAI_USE_ENTERPRISE];
  return Boolean(env.METADATA_SERVER_DETECTION) || vertex.some((value) => value?.toLowerCase() === 'true');
}
