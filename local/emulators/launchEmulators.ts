// Starts processes for Firestore and Pub/Sub: local cloud, gcloud SDK's emulators, firebase-tools.

import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalCloudOptions } from '../../packages/local-cloud/src/index.ts';
import { moduleFile, projectFile } from '../../shared/projectFiles.ts';
import type { Emulator } from '../../shared/store/emulator.ts';
import { type Environment, type GuardedProcess, startProcess } from '../processes/childProcess.ts';
import { EMULATOR_FACTS, type EmulatorSource } from './findEmulators.ts';

/** Emulators run for minutes: one compiler and the serial collector take a fifth less CPU time. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const RULES_FILE = projectFile('firestore.rules');
const INDEXES_FILE = projectFile('firestore.indexes.json');
const CLOUD_HOST = moduleFile('packages/local-cloud/src/cloudHost.ts');

/** The database file of the local cloud. */
export interface DataFile {
  /** Its path. */
  file: string;
  /** Whether to erase it first. Default: false. */
  fresh?: boolean;
}

/** The environment of the processes. */
interface LaunchOptions {
  /** The project that the emulators serve. */
  projectId: string;
  /** The environment that the processes inherit. */
  env: Environment;
  /** Security rules for the official emulator, if the file exists. Default: `firestore.rules`. */
  rulesFile?: string;
  /** Where the local cloud keeps documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** The limits of production on the local cloud, as its option. Default: none. */
  limits?: LocalCloudOptions['limits'];
}

/** An emulator and its address. */
export interface Place {
  /** Firestore or Pub/Sub. */
  emulator: Emulator;
  /** Where the emulator comes from. */
  source: EmulatorSource;
  /** `127.0.0.1:8080` */
  host: string;
}

/** Emulators that become ready together. */
export interface Launch {
  /** The emulators with their addresses. */
  places: Place[];
  /** The process that serves them. Absent for emulators that already run. */
  process?: GuardedProcess;
  /** Removes temporary files. Called after the process has ended. */
  cleanUp?: () => void;
}

/** Starts missing emulators. The local cloud and firebase-tools serve both in one process. */
export function launchEmulators(places: readonly Place[], options: LaunchOptions): Launch[] {
  const from = (source: EmulatorSource['from']) => places.filter((place) => place.source.from === source);
  const [local, firebase] = [from('local'), from('firebase-tools')];
  return [
    ...from('environment').map((place) => ({ places: [place] })),
    ...from('gcloud').map((place) => launchOfficial(place, options)),
    ...(local.length > 0 ? [launchLocal(local, options)] : []),
    ...(firebase.length > 0 ? [launchFirebase(firebase, options)] : []),
  ];
}

function launchLocal(places: Place[], { env, data, limits }: LaunchOptions): Launch {
  const ports = Object.fromEntries(places.map(({ emulator, host }) => [emulator, parseHostPort(host)]));
  // Functions have new addresses at every start, and other programs can listen at the old ones.
  const shared = { indexes: INDEXES_FILE, forgetEndpoints: true };
  const options: LocalCloudOptions = { ports, ...data, ...shared, limits };
  const args = [CLOUD_HOST, JSON.stringify(options)];
  return { places, process: startProcess({ name: 'the local cloud', command: process.execPath, args, env }) };
}

const parseHostPort = (host: string): number => Number(host.split(':')[1]);

/** Starts one emulator of a gcloud SDK directly, without Python and a second JVM. */
function launchOfficial(place: Place, options: LaunchOptions): Launch {
  const { emulator, source, host } = place;
  if (source.from !== 'gcloud') throw new Error(`the ${emulator} emulator is not of a gcloud SDK`);
  const { title } = EMULATOR_FACTS[emulator];
  const port = parseHostPort(host);
  const name = `the ${title} emulator`;
  if (emulator === 'pubsub') {
    // The script prefers JAVA_HOME to PATH, and fails when it is wrong.
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

/** Starts firebase-tools' emulators in a temporary folder, without another firebase.json. */
function launchFirebase(places: Place[], options: LaunchOptions): Launch {
  const source = places[0]?.source;
  if (source?.from !== 'firebase-tools') throw new Error('no emulator to start with firebase-tools');
  const folder = mkdtempSync(join(tmpdir(), 'inquest-firebase-'));
  const rulesFile = options.rulesFile ?? RULES_FILE;
  const hasRules = existsSync(rulesFile);
  // firebase-tools refuses rules outside the folder of its configuration.
  if (hasRules) cpSync(rulesFile, join(folder, 'firestore.rules'));
  const emulators = places.map(({ emulator, host }) => [
    emulator,
    { host: '127.0.0.1', port: parseHostPort(host) },
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
