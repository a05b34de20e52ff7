// The clouds that the Pub/Sub suite runs on: the local one, with time of its own, and the official emulator.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openDatabase } from '../../../packages/local-cloud/src/database/database.ts';
import { createPubsubService } from '../../../packages/local-cloud/src/pubsub/service.ts';
import { startGrpcServer } from '../../../packages/local-cloud/src/server/grpcServer.ts';
import { type Clock, systemClock } from '../../../shared/core/kernel/deps.ts';
import { createTestClock, type TestClock } from '../../support/testClock.ts';

/** A Pub/Sub that runs. */
export interface Cloud {
  /** `host:port` */
  host: string;
  /** Lets time pass: at once where the clock is the test's, by waiting where it is not. */
  pass(ms: number): Promise<void>;
  /** Repeats `check` until it is true, while time passes. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

export interface LocalCloud extends Cloud {
  clock: TestClock;
}

/** @param file where it stores its messages; in memory when absent. */
export async function startLocalCloud(file?: string, clock = createTestClock()): Promise<LocalCloud> {
  const server = await startServer(file, clock);
  return {
    ...server,
    clock,
    pass: async (ms) => clock.advance(ms),
    async until(check) {
      // Slow enough that no deadline of 600 s passes while a request is on its way.
      const checkLater = () => {
        clock.advance(50);
        return check();
      };
      await expect.poll(checkLater, { interval: 10 }).toBe(true);
    },
  };
}

/** The local cloud with the time of this machine. */
export async function startLocalCloudInRealTime(): Promise<Cloud> {
  return { ...(await startServer(undefined, systemClock)), ...realTime };
}

async function startServer(file: string | undefined, clock: Clock) {
  const database = openDatabase(file);
  const pubsub = createPubsubService(database, { clock });
  const server = await startGrpcServer(pubsub.services);
  return {
    host: server.host,
    async stop() {
      pubsub.close();
      await server.stop();
      database.close();
    },
  };
}

const realTime: Pick<Cloud, 'pass' | 'until'> = {
  pass: async (ms) => void (await sleep(ms)),
  async until(check) {
    await expect.poll(check, { interval: 50 }).toBe(true);
  },
};

/** The emulator of the global setup. It keeps its own time: what has to pass is waited for. */
export async function startOfficialCloud(): Promise<Cloud> {
  return { host: process.env.PUBSUB_EMULATOR_HOST ?? '', stop: async () => {}, ...realTime };
}

/** For `describeSides`: what holds for both. */
export const CLOUDS = [
  { name: 'the local cloud', isOfficial: false, start: (): Promise<Cloud> => startLocalCloud() },
  { name: 'the official emulator', isOfficial: true, start: startOfficialCloud },
];
