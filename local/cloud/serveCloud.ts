// Serves Firestore and Pub/Sub over one database until a signal ends the process.

import { readFileSync } from 'node:fs';
import { openDatabase } from './database/database.ts';
import { eraseDatabase, withFileErrors } from './database/databaseFile.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { createPubsubService } from './pubsub/service.ts';
import { startGrpcServer } from './server/grpcServer.ts';

/** The services of the process. */
export interface CloudHostOptions {
  /** The port of each service on 127.0.0.1. A service without a port is not served. */
  ports: { firestore?: number; pubsub?: number };
  /** Path of the database; in memory when absent. */
  file?: string | undefined;
  /** Whether to erase the file first. Default: false. */
  fresh?: boolean | undefined;
  /** Path of a firestore.indexes.json: queries that need other indexes are refused. Absent: none is. */
  indexes?: string | undefined;
}

/**
 * Resolves when all services listen. SIGINT and SIGTERM end the process regularly; damage to the file ends it
 * with exit code 1.
 * @throws Error when a port is taken or the database cannot be opened, or the indexes cannot be read.
 */
export async function serveCloud({ ports, file, fresh, indexes }: CloudHostOptions): Promise<void> {
  if (fresh && file !== undefined) eraseDatabase(file);
  const indexFile = indexes === undefined ? undefined : JSON.parse(readFileSync(indexes, 'utf8'));
  const database = openDatabase(file);
  const { firestore, pubsub } = withFileErrors(file ?? 'the database in memory', () => ({
    firestore: createFirestoreService(database, indexFile),
    // Functions have new addresses at every start, and other programs can listen at the old ones.
    pubsub: createPubsubService(database, { forgetEndpoints: true }),
  }));
  const served = [
    { port: ports.firestore, services: [firestore] },
    { port: ports.pubsub, services: pubsub.services },
  ].filter(({ port }) => port !== undefined);
  const servers = await Promise.all(served.map(({ services, port }) => startGrpcServer(services, port)));

  const stopServing = async () => {
    pubsub.close();
    await Promise.all(servers.map((server) => server.stop()));
  };
  const stop = async () => {
    await stopServing();
    database.close();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
  void database.damaged.then(async ({ details }) => {
    console.error(details);
    // Answers the current client before its connection ends.
    for (let step = 0; step < 2; step++) await new Promise(setImmediate);
    await stopServing();
    // Closing the database would write the log into the damaged file.
    process.exit(1);
  });
}
