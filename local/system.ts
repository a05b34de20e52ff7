// The whole system on one machine: Firestore, Pub/Sub, functions, topics, started and stopped together.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  API_NAME,
  FUNCTION_NAMES,
  FUNCTIONS,
  type FunctionName,
  isDeployed,
  mapFunctions,
} from '../functions/manifest.ts';
import type { LocalCloudOptions } from '../packages/local-cloud/src/index.ts';
import { loadOff } from '../shared/config/switches.ts';
import { OFF_VARIABLE } from '../shared/contract/switches.ts';
import { DEFAULT_PROJECT, readConfigFolder, readInstallationName } from '../shared/environment.ts';
import { moduleFile } from '../shared/projectFiles.ts';
import { readEmulatorAddress } from '../shared/store/emulator.ts';
import { planEmulators, type RunningEmulators } from './emulators/emulators.ts';
import type { DataFile } from './emulators/launchEmulators.ts';
import { functionEnvironment } from './functions/functionEnvironment.ts';
import { type RunningFunctions, startFunctions } from './functions/functionsServer.ts';
import type { Environment } from './processes/childProcess.ts';
import { freePorts } from './processes/ports.ts';
import { createSubscriptions, deleteSubscriptions, refuseUsedProject } from './subscriptions.ts';

/** Milliseconds to remove topics after an interruption; the same as for a process to end. */
const REMOVAL_MS = 2_000;

type Hosted = FunctionName | typeof API_NAME;

/** Options of `startSystem`. */
export interface SystemOptions {
  /** Default: `demo-inquest`. */
  projectId?: string;
  /** Added to this process's environment for emulators and functions; undefined removes a variable. */
  env?: Environment;
  /** Whether emulators that do not run are the official ones. Default: the local cloud. */
  official?: boolean;
  /** Where the local cloud keeps documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** The limits of production on the local cloud, as its option. Default: none. */
  limits?: LocalCloudOptions['limits'];
  /** How often the sweep is called, in milliseconds. Default: the manifest's 60 s. */
  sweepEveryMs?: number;
  /** Deliveries before an iteration message becomes a dead letter, 5 to 100. Default: 100. */
  maxDeliveryAttempts?: number;
  /**
   * Whether each function has its own process, as in production, with its own settings only. Default: they
   * share one, which starts sooner. The API always has its own: it must answer while the functions are busy.
   */
  separate?: boolean;
  /** Added to the environment of every function, also of functions that get their own settings only. */
  functionEnv?: Environment;
  /** Whether to serve the HTTP API. Default: false. */
  api?: boolean;
  /** Modules to load instead of the functions. */
  functionSources?: Partial<Record<FunctionName, string>>;
  /** Called with a readable line when a part is ready. */
  onProgress?: (text: string) => void;
  /** Called with each line a function writes. */
  onLine?: (functionName: string, line: string) => void;
  /** Where parts listen on 127.0.0.1. Default: any free ports. */
  ports?: Partial<Record<'firestore' | 'pubsub' | Hosted, number>>;
  /** Whether `stop` deletes topics and subscriptions: for projects of one user on shared emulators. */
  temporary?: boolean;
  /** Cancels the start and stops all parts. Without effect after the start: use `stop`. */
  signal?: AbortSignal;
}

interface ClientEnvironment {
  /** The project that the emulators serve. */
  GOOGLE_CLOUD_PROJECT: string;
  /** `host:port` */
  FIRESTORE_EMULATOR_HOST: string;
  /** `host:port` */
  PUBSUB_EMULATOR_HOST: string;
  /** `none`: emulators need no credentials, and the search for Google's metadata server takes time. */
  METADATA_SERVER_DETECTION?: string;
}

/** A system whose parts all answer. */
export interface RunningSystem {
  /** The project that the emulators serve. */
  projectId: string;
  /** Emulators as `host:port`, functions as `http://host:port`; empty for one whose feature is off. */
  endpoints: { firestore: string; pubsub: string; api?: string } & Record<FunctionName, string>;
  /** The environment that a client of this system needs. */
  env: ClientEnvironment;
  /** Resolves with the error of an emulator that dies before the system is stopped. Never rejects. */
  died: Promise<Error>;
  /** Stops every part that was started here, usually within 3 s. Can be called repeatedly. */
  stop(): Promise<void>;
}

/**
 * Starts the system; resolves when all parts answer and messages flow.
 * @throws EmulatorUnavailableError, Error with the last output of the part that did not start, or the reason
 *   of the signal. Every part that was started here has stopped then.
 */
export async function startSystem(options: SystemOptions = {}): Promise<RunningSystem> {
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  signal.throwIfAborted();
  const plan = await planSystem(options, signal);
  const starting = {
    emulators: plan.startEmulators(),
    functions: groupByProcess(plan.hosted, options.separate === true).map((functions) =>
      startProcess(functions, plan, options, signal),
    ),
  };
  // Loads both SDKs while this process waits for the others: subscriptions and readers need them next.
  void Promise.allSettled([
    import('../shared/store/pubsub/pubsubSdk.ts'),
    import('../shared/store/firestore/firestoreSdk.ts'),
  ]);
  const stopping = createStopping(options.signal, [starting.emulators, ...starting.functions]);

  try {
    const [emulators] = await Promise.all([starting.emulators, ...starting.functions]);
    const endpoints = mapFunctions((name) => findEndpoint(plan.hosted, name));
    const { projectId, installation } = plan;
    const place = { projectId, installation, pubsubHost: emulators.pubsubHost };
    const { maxDeliveryAttempts } = options;
    const subscriptions = createSubscriptions({ ...place, endpoints, maxDeliveryAttempts });
    if (options.temporary) {
      stopping.onRemove(async () => {
        await Promise.allSettled([subscriptions]);
        await deleteSubscriptions(place);
      });
    }
    await Promise.race([subscriptions, rejectOnAbort(signal)]);
    const { sweepEveryMs = FUNCTIONS.sweep.everySeconds * 1000 } = options;
    stopping.onStop(startSchedule(endpoints.sweep, sweepEveryMs));
    options.onProgress?.('functions, topics and subscriptions: ready');
    return {
      projectId: plan.projectId,
      endpoints: {
        firestore: emulators.firestoreHost,
        pubsub: emulators.pubsubHost,
        ...endpoints,
        ...(options.api && { api: findEndpoint(plan.hosted, API_NAME) }),
      },
      env: plan.clientEnv,
      died: emulators.died,
      stop: stopping.stop,
    };
  } catch (error) {
    failed.abort(error);
    await stopping.stop();
    throw error;
  }
}

/** A function or the API, its module and its port. */
interface HostedFunction {
  /** Name of the function, or that of the API. */
  name: Hosted;
  /** Path of the module. */
  source: string;
  /** The port on 127.0.0.1. */
  port: number;
}

/** All addresses and environments, before anything starts. */
interface SystemPlan {
  /** The project that the emulators serve. */
  projectId: string;
  /** Prefix of the ids of topics and subscriptions. */
  installation: string | undefined;
  /** The functions and the API, in the order of their start. */
  hosted: HostedFunction[];
  /** The environment for clients of the system. */
  clientEnv: ClientEnvironment;
  /** The environment of a process that hosts several functions. */
  functionEnv: Environment;
  /** Starts the missing emulators on the planned ports. */
  startEmulators: () => Promise<RunningEmulators>;
}

/** @throws Error when another system uses the project on an emulator that already runs. */
async function planSystem(options: SystemOptions, signal: AbortSignal): Promise<SystemPlan> {
  const { projectId = DEFAULT_PROJECT, ports = {}, onProgress } = options;
  const env = { ...process.env, ...options.env };
  const installation = readInstallationName(env);
  const planned = await planEmulators({
    projectId,
    env,
    ports,
    signal,
    official: options.official === true,
    data: options.data,
    limits: options.limits,
    ...(onProgress && { onProgress }),
  });
  if (readEmulatorAddress('pubsub', env))
    await refuseUsedProject({ projectId, installation, pubsubHost: planned.pubsubHost });
  const off = loadOff(readConfigFolder(env));
  const functions = FUNCTION_NAMES.filter((name) => isDeployed(name, off));
  const names: Hosted[] = [...functions, ...(options.api ? ([API_NAME] as const) : [])];
  const free = await freePorts(names.length);
  const clientEnv: ClientEnvironment = {
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: planned.firestoreHost,
    PUBSUB_EMULATOR_HOST: planned.pubsubHost,
    ...(needsMetadataServer(env) ? {} : { METADATA_SERVER_DETECTION: 'none' }),
  };
  const hosted = names.map((name, index) => ({
    name,
    source:
      (name === API_NAME ? undefined : options.functionSources?.[name]) ?? moduleFile(`functions/${name}.ts`),
    port: ports[name] ?? free[index] ?? 0,
  }));
  // Messages link to the local dashboard, unless it has another address.
  const page = options.api ? findEndpoint(hosted, API_NAME) : undefined;
  const PUBLIC_URL = env.PUBLIC_URL || page;
  const functionEnv = {
    ...env,
    [OFF_VARIABLE]: [...off].join(','),
    ...(PUBLIC_URL && { PUBLIC_URL }),
    ...clientEnv,
  };
  return { projectId, installation, hosted, clientEnv, functionEnv, startEmulators: () => planned.start() };
}

const findEndpoint = (hosted: readonly HostedFunction[], name: Hosted): string => {
  const port = hosted.find((one) => one.name === name)?.port;
  return port === undefined ? '' : `http://127.0.0.1:${port}`;
};

/** Starts one process. The API, or a function with a process of its own, gets its own settings only. */
async function startProcess(
  functions: HostedFunction[],
  { hosted, functionEnv }: SystemPlan,
  options: SystemOptions,
  signal: AbortSignal,
): Promise<RunningFunctions> {
  const [first, ...others] = functions;
  const single = others.length === 0 ? first?.name : undefined;
  const base = single === undefined ? functionEnv : functionEnvironment(single, functionEnv);
  return startFunctions({
    functions,
    env: { ...base, ...options.functionEnv },
    onLine: options.onLine,
    ...(options.api && { api: findEndpoint(hosted, API_NAME) }),
    signal,
  });
}

/** Everything that `stop` has to undo, collected while the system starts. */
interface Stopping {
  /** Sets the function that ends the schedule. */
  onStop(end: () => void): void;
  /** Sets the function that deletes topics and subscriptions. It runs once. */
  onRemove(remove: () => Promise<void>): void;
  /** Ends the schedule, removes the subscriptions and stops all parts. Can be called repeatedly. */
  stop(): Promise<void>;
}

/** @param signal the caller's: an interrupted stop waits at most `REMOVAL_MS` for the removal. */
function createStopping(
  signal: AbortSignal | undefined,
  parts: readonly Promise<{ stop(): Promise<void> }>[],
): Stopping {
  let endSchedule = () => {};
  let removeSubscriptions = () => Promise.resolve();
  return {
    onStop(end) {
      endSchedule = end;
    },
    onRemove(remove) {
      removeSubscriptions = runOnce(remove);
    },
    async stop() {
      endSchedule();
      const removed = removeSubscriptions();
      const started = await Promise.allSettled(parts);
      await Promise.all(started.map((part) => part.status === 'fulfilled' && part.value.stop()));
      const limit = signal?.aborted ? [sleep(REMOVAL_MS, undefined, { ref: false })] : [];
      await Promise.race([removed, ...limit]);
    },
  };
}

/** The functions of each process: one each, or the API and all others. */
function groupByProcess<T extends { name: Hosted }>(hosted: readonly T[], separate: boolean): T[][] {
  if (separate) return hosted.map((one) => [one]);
  const isApi = ({ name }: T) => name === API_NAME;
  return [hosted.filter((one) => !isApi(one)), hosted.filter(isApi)].filter(({ length }) => length > 0);
}

/** Replaces Cloud Scheduler. A failed call is in the function's log; the next makes up for it. */
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

function runOnce(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}

/** Whether the caller has configured the metadata server, or Vertex can take its credentials from there. */
function needsMetadataServer(env: Environment): boolean {
  const vertex = [env.GOOGLE_GENAI_USE_VERTEXAI, env.GOOGLE_GENAI_USE_ENTERPRISE];
  return Boolean(env.METADATA_SERVER_DETECTION) || vertex.some((value) => value?.toLowerCase() === 'true');
}
