// Finds the Firestore and Pub/Sub emulators of this machine from its environment and files.

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { projectFile } from '../../shared/projectFiles.ts';
import { EMULATOR_VARIABLES, type Emulator, readEmulatorAddress } from '../../shared/store/emulator.ts';
import type { Environment } from '../processes/childProcess.ts';

const EMULATORS: Emulator[] = ['firestore', 'pubsub'];

/** Where an emulator comes from. */
export type EmulatorSource =
  /** It already runs, at `host` (`127.0.0.1:8080`). */
  | { from: 'environment'; host: string }
  /** The local cloud serves it. */
  | { from: 'local' }
  /** `path` is the jar (Firestore) or start script (Pub/Sub) in a gcloud SDK. */
  | { from: 'gcloud'; path: string; java: string }
  /** `command` is the `firebase` executable. */
  | { from: 'firebase-tools'; command: string };

/** The parts of a machine that discovery reads. */
export interface Machine {
  /** Addresses of running emulators, `PATH`, and the location of a gcloud SDK. */
  env: Environment;
  /** The user's home folder, which can contain a gcloud SDK. */
  homeFolder: string;
  /** The folder whose `deploy/node_modules` or `node_modules` can contain firebase-tools. */
  projectFolder: string;
  /** Whether a path leads to a file. */
  isFile(path: string): boolean;
  /** Whether a path leads to a file that this user can execute. */
  isExecutable(path: string): boolean;
  /** The path with symbolic links resolved; the path itself when it does not exist. */
  realPath(path: string): string;
}

/** The name of each emulator, the variable with its address, its path in a gcloud SDK, and its packages. */
export const EMULATOR_FACTS = {
  firestore: {
    title: 'Firestore',
    variable: EMULATOR_VARIABLES.firestore,
    sdkPath: 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar',
    aptPackage: 'google-cloud-cli-firestore-emulator',
    component: 'cloud-firestore-emulator',
  },
  pubsub: {
    title: 'Pub/Sub',
    variable: EMULATOR_VARIABLES.pubsub,
    sdkPath: 'platform/pubsub-emulator/bin/cloud-pubsub-emulator',
    aptPackage: 'google-cloud-cli-pubsub-emulator',
    component: 'pubsub-emulator',
  },
} as const;

/** No emulator is installed, or the environment's does not answer. The message has the fix. */
export class EmulatorUnavailableError extends Error {
  override readonly name = 'EmulatorUnavailableError';
}

/** Folders of the SDK by package: apt, rpm, Docker images, snap, Homebrew, the install script. */
const SDK_FOLDERS = [
  '/usr/lib/google-cloud-sdk',
  '/usr/lib64/google-cloud-sdk',
  '/usr/share/google-cloud-sdk',
  '/usr/local/google-cloud-sdk',
  '/usr/local/share/google-cloud-sdk',
  '/opt/google-cloud-sdk',
  '/opt/google-cloud-cli',
  '/google-cloud-sdk',
  '/snap/google-cloud-cli/current',
  '/snap/google-cloud-sdk/current',
  '/opt/homebrew/share/google-cloud-sdk',
  '/opt/homebrew/Caskroom/gcloud-cli/latest/google-cloud-sdk',
  '/opt/homebrew/Caskroom/google-cloud-sdk/latest/google-cloud-sdk',
  '/usr/local/Caskroom/gcloud-cli/latest/google-cloud-sdk',
  '/usr/local/Caskroom/google-cloud-sdk/latest/google-cloud-sdk',
];

/**
 * The first available source of each emulator: the environment, then the local cloud. With `official`, a
 * gcloud SDK with Java and then firebase-tools replace the local cloud.
 * @throws EmulatorUnavailableError with the searched places and installation steps.
 */
export function findEmulators(machine: Machine, official = false): Record<Emulator, EmulatorSource> {
  const find = (emulator: Emulator): EmulatorSource | undefined => {
    const host = readEmulatorAddress(emulator, machine.env);
    if (host) return { from: 'environment', host };
    return official ? findOfficial(emulator, machine) : { from: 'local' };
  };
  const [firestore, pubsub] = [find('firestore'), find('pubsub')];
  if (firestore === undefined || pubsub === undefined) {
    const missing = EMULATORS.filter((emulator) => (emulator === 'firestore' ? !firestore : !pubsub));
    throw new EmulatorUnavailableError(installationHelp(missing, machine));
  }
  return { firestore, pubsub };
}

function findOfficial(emulator: Emulator, machine: Machine): EmulatorSource | undefined {
  const path = sdkFolders(machine)
    .map((folder) => join(folder, EMULATOR_FACTS[emulator].sdkPath))
    .find(machine.isFile);
  const java = findJava(machine);
  if (path !== undefined && java !== undefined) return { from: 'gcloud', path, java };
  const command = findFirebase(machine);
  return command === undefined ? undefined : { from: 'firebase-tools', command };
}

/** Candidates for a gcloud SDK: the environment's folder, that of `gcloud` on PATH, usual ones. */
function sdkFolders({ env, homeFolder, isFile, realPath }: Machine): string[] {
  const named = env.CLOUDSDK_ROOT_DIR ? [env.CLOUDSDK_ROOT_DIR] : [];
  const onPath = pathFolders(env)
    .map((folder) => join(folder, 'gcloud'))
    .filter(isFile)
    .map((gcloud) => dirname(dirname(realPath(gcloud))));
  return [...new Set([...named, ...onPath, join(homeFolder, 'google-cloud-sdk'), ...SDK_FOLDERS])];
}

function findJava({ env, isExecutable }: Machine): string | undefined {
  const ofHome = env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java')] : [];
  return [...ofHome, ...pathFolders(env).map((folder) => join(folder, 'java'))].find(isExecutable);
}

function findFirebase({ env, projectFolder, isExecutable }: Machine): string | undefined {
  const own = ['node_modules', 'deploy/node_modules'].map((modules) => join(projectFolder, modules, '.bin'));
  const folders = [...own, ...pathFolders(env)];
  return folders.map((folder) => join(folder, 'firebase')).find(isExecutable);
}

function pathFolders(env: Environment): string[] {
  return (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

function installationHelp(missing: Emulator[], machine: Machine): string {
  const facts = missing.map((emulator) => EMULATOR_FACTS[emulator]);
  const list = (values: string[], between = ' and ') => values.join(between);
  const java = findJava(machine);
  const sdk = sdkFolders(machine).filter((folder) =>
    facts.every(({ sdkPath }) => machine.isFile(join(folder, sdkPath))),
  );
  return `No official ${list(facts.map(({ title }) => title))} emulator was found.
Looked for:
  - ${list(facts.map(({ variable }) => variable))}: not set
  - a gcloud SDK with the emulator: ${sdk[0] ?? `not below ${sdkFolders(machine).join(', ')}`}
  - Java: ${java ?? `not in JAVA_HOME (${machine.env.JAVA_HOME || 'not set'}), not on PATH`}
  - firebase-tools: no "firebase" in node_modules/.bin, in deploy/node_modules/.bin or on PATH
Do one of these:
  1. leave out --emulators: the local cloud needs nothing but Node
  2. Debian, Ubuntu (with Google's apt repository, https://cloud.google.com/sdk/docs/install#deb):
       sudo apt-get install ${list(
         facts.map(({ aptPackage }) => aptPackage),
         ' ',
       )} default-jre-headless
  3. any other gcloud SDK, with Java 11 or newer:
       gcloud components install ${list(
         facts.map(({ component }) => component),
         ' ',
       )}
  4. firebase-tools, with Java 21 or newer:
       npm ci --prefix ${join(machine.projectFolder, 'deploy')}
  5. point ${list(facts.map(({ variable }) => variable))} at running emulators (host:port)`;
}

/** This machine with another environment. */
export function thisMachine(env: Environment): Machine {
  return {
    env,
    homeFolder: homedir(),
    projectFolder: projectFile(''),
    isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    isExecutable: (path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    },
    realPath: (path) => {
      try {
        return realpathSync(path);
      } catch {
        return path;
      }
    },
  };
}
