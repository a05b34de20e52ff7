// Has Firestore and Pub/Sub answer on this machine, starting those that do not run, and stops what it started.

import { type Emulator, emulatorHostFault } from '../../shared/store/emulator.ts';
import { type Environment, untilItAnswers } from '../processes/childProcess.ts';
import { answersHttp, connects, freePorts } from '../processes/ports.ts';
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

/** The official ones answer after 2 to 6 s; a machine may be busy, and firebase-tools may have to download them first. */
const START_TIMEOUT_MS = 120_000;
/** Of one request or connection. Where nothing listens, it is refused at once. */
const PROBE_TIMEOUT_MS = 20_000;

export interface EmulatorOptions {
  projectId: string;
  /** Whether those that do not run are the official ones. Default: the local cloud. */
  official?: boolean;
  /** Where the local cloud keeps documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** Where they are looked for, and what they run with. Default: this process's environment. */
  env?: Environment;
  /** Ends the start: what was started is stopped and the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called with a line for people whenever one is ready. */
  onProgress?: (text: string) => void;
  /** Security rules the Firestore emulator enforces, if the file exists. Default: the project's `firestore.rules`. */
  rulesFile?: string;
  /** How long one may take to answer. Default: 120 s. */
  startTimeoutMs?: number;
  /** Where those that are started listen on 127.0.0.1. Default: any free ports. */
  ports?: { firestore?: number; pubsub?: number };
}

/** Where emulators are, as `host:port`. */
interface EmulatorHosts {
  firestoreHost: string;
  pubsubHost: string;
}

export interface RunningEmulators extends EmulatorHosts {
  /** Resolves with the error of the first one that dies before it is stopped. Never rejects. */
  died: Promise<Error>;
  /** Stops those that were started here; resolves when they are gone, as a rule within 3 s. May be called repeatedly. */
  stop(): Promise<void>;
}

/** Emulators whose places are known, before they run: what depends on them can be started at the same time. */
export interface PlannedEmulators extends EmulatorHosts {
  /** Starts them, once. Throws what `startEmulators` throws. */
  start(): Promise<RunningEmulators>;
}

/**
 * Has both emulators answer, starting those that do not run.
 * @throws EmulatorUnavailableError when one cannot be had, or the one the environment names does not answer;
 *   Error when one ends or stays silent during its start, with its last lines of output. Nothing is left running then.
 */
export async function startEmulators(options: EmulatorOptions): Promise<RunningEmulators> {
  return (await planEmulators(options)).start();
}

/** The first half of `startEmulators`: finds them and chooses ports. */
export async function planEmulators(options: EmulatorOptions): Promise<PlannedEmulators> {
  const env = options.env ?? process.env;
  const sources = findEmulators(thisMachine(env), options.official);
  const [firestorePort = 0, pubsubPort = 0] = await freePorts(2);
  const { ports = {} } = options;
  const fault = emulatorHostFault('firestore', env) ?? emulatorHostFault('pubsub', env);
  if (fault !== undefined) throw new EmulatorUnavailableError(fault);
  const firestore = placeOf('firestore', sources.firestore, ports.firestore ?? firestorePort);
  const pubsub = placeOf('pubsub', sources.pubsub, ports.pubsub ?? pubsubPort);
  return {
    firestoreHost: firestore.host,
    pubsubHost: pubsub.host,
    async start() {
      const started = await startPlaces([firestore, pubsub], { ...options, env });
      return { firestoreHost: firestore.host, pubsubHost: pubsub.host, ...started };
    },
  };
}

function placeOf(emulator: Emulator, source: EmulatorSource, port: number): Place {
  const host = source.from === 'environment' ? source.host : `127.0.0.1:${port}`;
  return { emulator, source, host };
}

/** Starts what does not run, and waits for all. */
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
  // The first to fail ends the waiting for the others.
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const waits = launches.map((started) => untilReady(started, { ...options, signal }));
  try {
    await Promise.all(waits);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(waits);
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

async function untilReady({ places, process }: Launch, options: EmulatorOptions): Promise<void> {
  const { signal, onProgress, startTimeoutMs: timeoutMs = START_TIMEOUT_MS } = options;
  const begin = performance.now();
  for (const { emulator, host, source } of places) {
    const { title, variable } = EMULATOR_FACTS[emulator];
    // One that speaks nothing but gRPC answers no GET; the official ones accept connections before they are ready.
    const connected = () => connects(host, PROBE_TIMEOUT_MS, signal);
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
    await untilItAnswers(process, isLocal ? connected : answers, { timeoutMs, signal });
    const ready = `ready after ${((performance.now() - begin) / 1000).toFixed(1)} s`;
    onProgress?.(
      isLocal
        ? `${title}: ${host} (local cloud, ${placeOfData(options)}, ${ready})`
        : `${title} emulator: ${host} (from ${source.from}, ${ready})`,
    );
  }
}

function placeOfData({ data }: EmulatorOptions): string {
  return data === undefined ? 'in memory' : shortPath(data.file);
}
