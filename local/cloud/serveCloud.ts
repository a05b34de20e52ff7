// Firestore and Pub/Sub over one database, until this process is asked to end.

import type { CloudHostOptions } from './cloudHost.ts';
import { openDatabase } from './database.ts';
import { eraseDatabase } from './eraseDatabase.ts';
import { createFirestoreService } from './firestore/firestoreService.ts';
import { startGrpcServer } from './grpcServer.ts';
import { createPubsubService } from './pubsub/service.ts';

/**
 * Resolves when all listen. SIGINT and SIGTERM end the process in order.
 * @throws Error when a port is taken or the database cannot be opened.
 */
export async function serveCloud({ ports, file, fresh }: CloudHostOptions): Promise<void> {
  if (fresh && file !== undefined) eraseDatabase(file);
  const database = openDatabase(file);
  // Their functions have other addresses at every start, and what listens at the old ones now may be anything.
  const pubsub = createPubsubService(database, { forgetEndpoints: true });
  const served = [
    { port: ports.firestore, services: [createFirestoreService(database)] },
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
