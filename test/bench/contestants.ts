// What the bench of the local cloud compares: the local cloud in memory and in a file, the official emulators
// where they are installed, and a server that answers at once.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmulators } from '../../local/emulators/emulators.ts';
import { EmulatorUnavailableError } from '../../local/emulators/findEmulators.ts';
import { canConnect, freePorts } from '../../local/processes/ports.ts';
import type { LocalCloudOptions } from '../../packages/local-cloud/src/index.ts';
import { PROJECT } from './documents.ts';

const CLOUD_HOST = fileURLToPath(new URL('../../packages/local-cloud/src/cloudHost.ts', import.meta.url));
const FLOOR_SERVER = fileURLToPath(new URL('./floorServer.ts', import.meta.url));
const PROBE_MS = 5;

/** A Firestore and a Pub/Sub that run. */
export interface Contestant {
  name: string;
  /** `host:port` */
  firestore: string;
  pubsub: string;
  stop(): Promise<void>;
}

/** How one is started; undefined when it is not on this machine. */
export type Start = () => Promise<Contestant | undefined>;

/** @param folder where the local cloud's file is put. */
export function contestants(folder: string): Record<'memory' | 'file' | 'official' | 'floor', Start> {
  let files = 0;
  return {
    memory: () => startLocal('local, memory'),
    file: () => startLocal('local, file', join(folder, `cloud-${++files}.sqlite`)),
    official: startOfficial,
    floor: startFloor,
  };
}

async function startLocal(name: string, file?: string): Promise<Contestant> {
  const [firestore = 0, pubsub = 0] = await freePorts(2);
  const options: LocalCloudOptions = { ports: { firestore, pubsub }, file };
  return startNode(name, [CLOUD_HOST, JSON.stringify(options)], firestore, pubsub);
}

async function startFloor(): Promise<Contestant> {
  const [port = 0] = await freePorts(1);
  return startNode('client only', [FLOOR_SERVER, String(port)], port, port);
}

async function startNode(
  name: string,
  args: string[],
  firestore: number,
  pubsub: number,
): Promise<Contestant> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const places = [`127.0.0.1:${firestore}`, `127.0.0.1:${pubsub}`] as const;
  for (const place of places) {
    while (!(await canConnect(place))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with exit code ${child.exitCode}`);
      await sleep(PROBE_MS);
    }
  }
  return {
    name,
    firestore: places[0],
    pubsub: places[1],
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function startOfficial(): Promise<Contestant | undefined> {
  // Those that the environment names would not be started here.
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: undefined, PUBSUB_EMULATOR_HOST: undefined };
  try {
    const { firestoreHost, pubsubHost, stop } = await startEmulators({
      projectId: PROJECT,
      official: true,
      env,
    });
    return { name: 'official', firestore: firestoreHost, pubsub: pubsubHost, stop };
  } catch (error) {
    if (error instanceof EmulatorUnavailableError) return undefined;
    throw error;
  }
}
