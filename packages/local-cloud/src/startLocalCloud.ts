// Starts Firestore and Pub/Sub over one database.

import { readFileSync } from 'node:fs';
import { openDatabase } from './database/database.ts';
import { eraseDatabase, withFileErrors } from './database/databaseFile.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import type { IndexFile } from './firestore/indexes/indexFile.ts';
import { systemClock } from './protocol/clock.ts';
import { errorMessage, type StatusError } from './protocol/status.ts';
import { createPubsubService } from './pubsub/service.ts';
import { startGrpcServer } from './server/grpcServer.ts';

/** What is served, and where its state is. */
export interface LocalCloudOptions {
  /**
   * The port of each service on 127.0.0.1; 0: a free port. A service without a port is not served.
   * Default: both, on free ports.
   */
  ports?: { firestore?: number; pubsub?: number };
  /** Path of the database; in memory when absent. */
  file?: string | undefined;
  /** Whether to erase the file first. Default: false. */
  fresh?: boolean | undefined;
  /** Path of a firestore.indexes.json: queries that need other indexes are refused. Absent: none is. */
  indexes?: string | undefined;
  /**
   * The limits of production, of rates and of sizes; a number is that of writes of one document per second.
   * `GET /limits` on Firestore's port lists exceeded limits. Default: false; true: one write a second.
   */
  limits?: boolean | number | undefined;
  /**
   * Whether stored subscriptions start without their push endpoints, because those have new addresses.
   * Default: false.
   */
  forgetEndpoints?: boolean | undefined;
}

/**
 * "After 3,000 outstanding messages per region, the window increases linearly":
 * https://cloud.google.com/pubsub/docs/push#delivery_rate
 */
const PUSHES_OF_PRODUCTION = 3000;

/** A running local cloud. */
export interface LocalCloud {
  /** `127.0.0.1:8080`, for `FIRESTORE_EMULATOR_HOST`; undefined when Firestore is not served. */
  firestore: string | undefined;
  /** `127.0.0.1:8081`, for `PUBSUB_EMULATOR_HOST`; undefined when Pub/Sub is not served. */
  pubsub: string | undefined;
  /** Resolves with the fault when damage of the file is found. Nothing can be written then. */
  damaged: Promise<StatusError>;
  /** Ends all calls, stops listening and closes the database, unless it is damaged. */
  stop(): Promise<void>;
}

/**
 * Starts the services. Resolves when all listen.
 * @throws Error when a port is taken, the database cannot be opened, or the indexes cannot be read.
 */
export async function startLocalCloud(options: LocalCloudOptions = {}): Promise<LocalCloud> {
  const { ports = { firestore: 0, pubsub: 0 }, file, fresh, indexes, forgetEndpoints = false } = options;
  const writesPerSecond = Number(options.limits ?? 0);
  const hasLimits = writesPerSecond > 0;
  if (fresh && file !== undefined) eraseDatabase(file);
  const indexFile = indexes === undefined ? undefined : readIndexFile(indexes);
  const database = openDatabase(file);
  const { firestore, pubsub } = withFileErrors(file ?? 'the database in memory', () => ({
    firestore: createFirestoreService(
      database,
      indexFile,
      hasLimits ? { writesPerSecond, clock: systemClock } : undefined,
    ),
    pubsub: createPubsubService(database, {
      forgetEndpoints,
      maxOutstanding: hasLimits ? PUSHES_OF_PRODUCTION : undefined,
    }),
  }));
  const started = await Promise.allSettled([
    ports.firestore === undefined ? undefined : startGrpcServer([firestore], ports.firestore),
    ports.pubsub === undefined ? undefined : startGrpcServer(pubsub.services, ports.pubsub),
  ]);
  const servers = started.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  let isDamaged = false;
  void database.damaged.then(() => {
    isDamaged = true;
  });
  const stop = async () => {
    pubsub.close();
    firestore.close();
    await Promise.all(servers.map((server) => server?.stop()));
    // Closing the database would write the log into the damaged file.
    if (!isDamaged) database.close();
  };
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { firestore: servers[0]?.host, pubsub: servers[1]?.host, damaged: database.damaged, stop };
}

function readIndexFile(file: string): IndexFile {
  try {
    const { indexes = [], fieldOverrides = [] } = JSON.parse(readFileSync(file, 'utf8'));
    return { indexes, fieldOverrides };
  } catch (error) {
    throw new Error(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
