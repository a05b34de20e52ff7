// Starts what is missing of the official Firestore and Pub/Sub emulators, and stops what it started.

import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Emulator, emulatorHostFault } from '../shared/store/emulator.ts';
import { type Environment, type GuardedProcess, startProcess, untilItAnswers } from './childProcess.ts';
import { firstDeath } from './emulatorWatch.ts';
import {
  EMULATOR_FACTS,
  type EmulatorSource,
  EmulatorUnavailableError,
  findEmulators,
  thisMachine,
} from './findEmulators.ts';
import { answersHttp, connects, freePorts } from './ports.ts';

/** They answer after 2 to 6 s; a machine may be busy, and firebase-tools may have to download them first. */
const START_TIMEOUT_MS = 120_000;
/** Of one request or connection. Where nothing listens, it is refused at once. */
const PROBE_TIMEOUT_MS = 20_000;
/** They live for minutes: without the second compiler, and with one thread to collect garbage, they need a fifth less. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const RULES_FILE = fileURLToPath(new URL('../firestore.rules', import.meta.url));

export interface EmulatorOptions {
  projectId: string;
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
  const sources = findEmulators(thisMachine(env));
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

interface Place {
  emulator: Emulator;
  source: EmulatorSource;
  host: string;
}

function placeOf(emulator: Emulator, source: EmulatorSource, port: number): Place {
  const host = source.from === 'environment' ? source.host : `127.0.0.1:${port}`;
  return { emulator, source, host };
}

/** Something to wait for: a process that serves some emulators, or none for those that run already. */
interface Launch {
  places: Place[];
  process?: GuardedProcess;
  cleanUp?: () => void;
}

/** Starts what does not run, and waits for all. */
async function startPlaces(
  places: Place[],
  options: EmulatorOptions & { env: Environment },
): Promise<Pick<RunningEmulators, 'died' | 'stop'>> {
  options.signal?.throwIfAborted();
  const firebase = places.filter(({ source }) => source.from === 'firebase-tools');
  const launches = places.filter((place) => !firebase.includes(place)).map((place) => launch(place, options));
  if (firebase.length > 0) launches.push(launchFirebase(firebase, options));

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
    places.map(({ emulator, host }) => ({
      name: `the ${EMULATOR_FACTS[emulator].title} emulator at ${host}`,
      host,
      process,
    })),
  );
  return { died: firstDeath(watched, stopped.signal), stop };
}

async function untilReady({ places, process }: Launch, options: EmulatorOptions): Promise<void> {
  const begin = performance.now();
  for (const { emulator, host, source } of places) {
    const { title, variable } = EMULATOR_FACTS[emulator];
    const url = `http://${host}/`;
    if (process === undefined || source.from === 'environment') {
      // It runs, so it is ready; and it may speak nothing but gRPC.
      if (!(await connects(host, PROBE_TIMEOUT_MS, options.signal))) {
        options.signal?.throwIfAborted();
        throw new EmulatorUnavailableError(
          `${variable} is ${host}, but nothing answers there: start that emulator, or unset ${variable} to have one started`,
        );
      }
      options.onProgress?.(`${title} emulator: ${host} (${variable})`);
    } else {
      const timeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
      const answers = () => answersHttp(url, PROBE_TIMEOUT_MS, options.signal);
      await untilItAnswers(process, answers, { timeoutMs, signal: options.signal });
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      options.onProgress?.(`${title} emulator: ${host} (from ${source.from}, ready after ${seconds} s)`);
    }
  }
}

/** Starts one emulator of a gcloud SDK by its own command: no Python, no second JVM. */
function launch(place: Place, options: EmulatorOptions & { env: Environment }): Launch {
  const { emulator, source, host } = place;
  if (source.from !== 'gcloud') return { places: [place] };
  const { title } = EMULATOR_FACTS[emulator];
  const port = host.split(':')[1];
  const name = `the ${title} emulator`;
  if (emulator === 'pubsub') {
    // The script takes JAVA_HOME before PATH, and fails when it is wrong.
    const usesHome = options.env.JAVA_HOME && source.java.startsWith(options.env.JAVA_HOME);
    const env = {
      ...options.env,
      ...(!usesHome && { JAVA_HOME: undefined }),
      CLOUD_PUBSUB_EMULATOR_OPTS: options.env.CLOUD_PUBSUB_EMULATOR_OPTS ?? JAVA_OPTIONS.join(' '),
    };
    const args = ['--host=127.0.0.1', `--port=${port}`];
    return { places: [place], process: startProcess({ name, command: source.path, args, env }) };
  }
  const rulesFile = options.rulesFile ?? RULES_FILE;
  const main = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
  const args = [...JAVA_OPTIONS, '-Duser.language=en', '-cp', source.path, main];
  args.push('start', '--host=127.0.0.1', `--port=${port}`);
  if (existsSync(rulesFile)) args.push(`--rules=${rulesFile}`);
  return { places: [place], process: startProcess({ name, command: source.java, args, env: options.env }) };
}

/** Starts the emulators of firebase-tools, configured by a folder of their own, so that no other firebase.json is read. */
function launchFirebase(places: Place[], options: EmulatorOptions & { env: Environment }): Launch {
  const source = places[0]?.source;
  if (source?.from !== 'firebase-tools') throw new Error('no emulator to start with firebase-tools');
  const folder = mkdtempSync(join(tmpdir(), 'inquest-firebase-'));
  const rulesFile = options.rulesFile ?? RULES_FILE;
  const hasRules = existsSync(rulesFile);
  // firebase-tools refuses rules outside the folder of its configuration.
  if (hasRules) cpSync(rulesFile, join(folder, 'firestore.rules'));
  const emulators = places.map(({ emulator, host }) => [
    emulator,
    { host: '127.0.0.1', port: Number(host.split(':')[1]) },
  ]);
  const config = {
    ...(hasRules && { firestore: { rules: 'firestore.rules' } }),
    emulators: { ...Object.fromEntries(emulators), ui: { enabled: false }, singleProjectMode: false },
  };
  const configFile = join(folder, 'firebase.json');
  writeFileSync(configFile, JSON.stringify(config, null, 2));
  const only = places.map(({ emulator }) => emulator).join(',');
  const args = ['emulators:start', '--only', only, '--project', options.projectId, '--config', configFile];
  args.push('--non-interactive');
  const process = startProcess({
    name: 'firebase-tools (it needs Java 21 or newer)',
    command: source.command,
    args,
    env: options.env,
  });
  return { places, process, cleanUp: () => rmSync(folder, { recursive: true, force: true }) };
}
