// Firestore and Pub/Sub over one database, until this process is asked to end.

import { openDatabase } from './database/database.ts';
import { withFileErrors } from './database/databaseFile.ts';
import { eraseDatabase } from './database/eraseDatabase.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { createPubsubService } from './pubsub/service.ts';
import { startGrpcServer } from './server/grpcServer.ts';

/** What the process serves. */
export interface CloudHostOptions {
  /** Where each listens; one without a port is not served. */
  ports: { firestore?: number; pubsub?: number };
  /** Path of the database; in memory when absent. */
  file?: string | undefined;
  /** Whether what the file holds is removed first. */
  fresh?: boolean | undefined;
}

/**
 * Resolves when all listen. SIGINT and SIGTERM end the process in order, as does damage to the file, with exit code 1.
 * @throws Error when a port is taken or the database cannot be opened.
 */
export async function serveCloud({ ports, file, fresh }: CloudHostOptions): Promise<void> {
  if (fresh && file !== undefined) eraseDatabase(file);
  const database = openDatabase(file);
  const { firestore, pubsub } = withFileErrors(file ?? 'the database in memory', () => ({
    firestore: createFirestoreService(database),
    // Their functions have other addresses at every start, and what listens at the old ones now may be anything.
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
    // The client that met the damage is answered before its connection ends.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    await stopServing();
    // The database is not closed: that would put the log into the damaged file.
    process.exit(1);
  });
}
