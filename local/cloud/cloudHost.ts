// The local cloud as a process: Firestore and Pub/Sub, each on a port of 127.0.0.1, over one database.
// Argument: a JSON `CloudHostOptions`.

import { errorMessage } from '../../shared/errors.ts';
import { openDatabase } from './database.ts';
import { withFileErrors } from './databaseFile.ts';
import { eraseDatabase } from './eraseDatabase.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { startGrpcServer } from './grpcServer.ts';
import { createPubsubService } from './pubsub/service.ts';

/** What the process serves. */
export interface CloudHostOptions {
  /** Where each listens; one without a port is not served. */
  ports: { firestore?: number; pubsub?: number };
  /** Path of the database; in memory when absent. */
  file?: string | undefined;
  /** Whether what the file holds is removed first. */
  fresh?: boolean | undefined;
}

try {
  await serve(JSON.parse(process.argv[2] ?? '') as CloudHostOptions);
} catch (error) {
  console.error(errorMessage(error));
  process.exit(1);
}

async function serve({ ports, file, fresh }: CloudHostOptions): Promise<void> {
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

  const stop = async () => {
    pubsub.close();
    await Promise.all(servers.map((server) => server.stop()));
    database.close();
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
}
