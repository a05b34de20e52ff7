// Provides Firestore and Pub/Sub locally: starts missing emulators, and stops those it started.

import type { LocalCloudOptions } from '../../packages/local-cloud/src/index.ts';
import { type Emulator, emulatorHostFault } from '../../shared/store/emulator.ts';
import { type Environment, waitForAnswer } from '../processes/childProcess.ts';
import { answersHttp, canConnect, freePorts } from '../processes/ports.ts';
import { shortPath } from '../processes/shortPath.ts';
import { firstDeath } from './emulatorWatch.ts';
import {
  EMULATOR_FACTS,
  type EmulatorSource,
  EmulatorUnavailableError,
  findEmulators,
  thisMachine,
} from './findEmulators.ts';
import { type DataFile, type Launch, launchEmulators, type Place } from './launchEmulators.ts';

/** Official emulators answer after 2 to 6 s, later on a busy machine or after a download. */
const START_TIMEOUT_MS = 120_000;
/** Of one request or connection. Without a listener, it is refused immediately. */
const PROBE_TIMEOUT_MS = 20_000;

/** Which emulators to start, and how. */
interface EmulatorOptions {
  /** The project that started emulators serve. */
  projectId: string;
  /** Whether to start the official emulators. Default: the local cloud. */
  official?: boolean;
  /** Where the local cloud keeps documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** The limits of production on the local cloud, as its option. Default: none. */
  limits?: LocalCloudOptions['limits'];
  /** Names running emulators; the environment of started ones. Default: this process's. */
  env?: Environment;
  /** Cancels the start: stops started emulators, and rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called with a readable line when an emulator is ready. */
  onProgress?: (text: string) => void;
  /** Security rules for the Firestore emulator, if the file exists. Default: `firestore.rules`. */
  rulesFile?: string;
  /** Limit for the start of one emulator. Default: 120 s. */
  startTimeoutMs?: number;
  /** Ports of started emulators on 127.0.0.1. Default: any free ports. */
  ports?: { firestore?: number; pubsub?: number };
}

/** Addresses of emulators, as `host:port`. */
interface EmulatorHosts {
  /** Value of `FIRESTORE_EMULATOR_HOST`. */
  firestoreHost: string;
  /** Value of `PUBSUB_EMULATOR_HOST`. */
  pubsubHost: string;
}

/** Emulators that answer. */
export interface RunningEmulators extends EmulatorHosts {
  /** Resolves with an error when the first emulator dies before `stop`. Never rejects. */
  died: Promise<Error>;
  /** Stops the emulators that were started here, usually within 3 s. Can be called repeatedly. */
  stop(): Promise<void>;
}

/** Emulators with known addresses before they start: dependent processes can start meanwhile. */
interface PlannedEmulators extends EmulatorHosts {
  /** Starts the emulators, once. Throws like `startEmulators`. */
  start(): Promise<RunningEmulators>;
}

/**
 * Starts the emulators that do not run, and waits until both answer.
 * @throws EmulatorUnavailableError when an emulator is not installed, or the one that the environment names
 *   does not answer; Error with the last lines of output when one ends or does not answer in time. Started
 *   emulators have stopped then.
 * @internal for tests and the bench
 */
export async function startEmulators(options: EmulatorOptions): Promise<RunningEmulators> {
  return (await planEmulators(options)).start();
}

/** First step of `startEmulators`: finds emulators, chooses ports. Throws EmulatorUnavailableError. */
export async function planEmulators(options: EmulatorOptions): Promise<PlannedEmulators> {
  const env = options.env ?? process.env;
  const sources = findEmulators(thisMachine(env), options.official);
  const [firestorePort = 0, pubsubPort = 0] = await freePorts(2);
  const { ports = {} } = options;
  const fault = emulatorHostFault('firestore', env) ?? emulatorHostFault('pubsub', env);
  if (fault !== undefined) throw new EmulatorUnavailableError(fault);
  const firestore = locateEmulator('firestore', sources.firestore, ports.firestore ?? firestorePort);
  const pubsub = locateEmulator('pubsub', sources.pubsub, ports.pubsub ?? pubsubPort);
  return {
    firestoreHost: firestore.host,
    pubsubHost: pubsub.host,
    async start() {
      const started = await startPlaces([firestore, pubsub], { ...options, env });
      return { firestoreHost: firestore.host, pubsubHost: pubsub.host, ...started };
    },
  };
}

function locateEmulator(emulator: Emulator, source: EmulatorSource, port: number): Place {
  const host = source.from === 'environment' ? source.host : `127.0.0.1:${port}`;
  return { emulator, source, host };
}

/** Starts the emulators that do not run, and waits for all. */
async function startPlaces(
  places: Place[],
  options: EmulatorOptions & { env: Environment },
): Promise<Pick<RunningEmulators, 'died' | 'stop'>> {
  options.signal?.throwIfAborted();
  const launches = launchEmulators(places, options);

  const stopped = new AbortController();
  const stop = async () => {
    stopped.abort();
    await Promise.all(launches.map(({ process }) => process?.stop()));
    for (const { cleanUp } of launches) cleanUp?.();
  };
  // The first failure ends the wait for the others.
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const pending = launches.map((started) => waitUntilReady(started, { ...options, signal }));
  try {
    await Promise.all(pending);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(pending);
    await stop();
    throw error;
  }
  const watched = launches.flatMap(({ places, process }) =>
    places.map(({ emulator, host, source }) => ({
      name: `the ${EMULATOR_FACTS[emulator].title} ${source.from === 'local' ? 'of the local cloud' : 'emulator'} at ${host}`,
      host,
      process,
    })),
  );
  return { died: firstDeath(watched, stopped.signal), stop };
}

async function waitUntilReady({ places, process }: Launch, options: EmulatorOptions): Promise<void> {
  const { signal, onProgress, startTimeoutMs: timeoutMs = START_TIMEOUT_MS } = options;
  const startMs = performance.now();
  for (const { emulator, host, source } of places) {
    const { title, variable } = EMULATOR_FACTS[emulator];
    // The local cloud is ready when it accepts connections; official emulators are ready later.
    const connected = () => canConnect(host, PROBE_TIMEOUT_MS, signal);
    const answers = () => answersHttp(`http://${host}/`, PROBE_TIMEOUT_MS, signal);
    if (process === undefined || source.from === 'environment') {
      if (!(await connected())) {
        signal?.throwIfAborted();
        throw new EmulatorUnavailableError(
          `${variable} is ${host}, but nothing answers there: start that emulator, or unset ${variable} to have one started`,
        );
      }
      onProgress?.(`${title} emulator: ${host} (${variable})`);
      continue;
    }
    const isLocal = source.from === 'local';
    await waitForAnswer(process, isLocal ? connected : answers, { timeoutMs, signal });
    const ready = `ready after ${((performance.now() - startMs) / 1000).toFixed(1)} s`;
    onProgress?.(
      isLocal
        ? `${title}: ${host} (local cloud, ${describeData(options)}, ${ready})`
        : `${title} emulator: ${host} (from ${source.from}, ${ready})`,
    );
  }
}

function describeData({ data }: EmulatorOptions): string {
  return data === undefined ? 'in memory' : shortPath(data.file);
}
