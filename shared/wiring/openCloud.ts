// Opens the store and the publisher that the environment names. Nothing else chooses them.

import type { Publisher } from '../core/contract/publisher.ts';
import type { Store } from '../core/contract/store.ts';
import { readDatabaseName, readInstallationName, readProjectId } from '../environment.ts';
import { PARTS } from '../lists/parts.ts';
import { checkParts } from '../store/checkedParts.ts';
import { readEmulatorAddress } from '../store/emulator.ts';
import { createFirestoreStore } from '../store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../store/pubsub/pubsubPublisher.ts';

/** The store and the publisher of one project. Both connect with their first call. */
export interface Cloud {
  /** `GOOGLE_CLOUD_PROJECT`, or the project of the emulators. */
  projectId: string;
  /** Project, named database, and emulator, for people: `project demo-inquest, emulator 127.0.0.1:8080`. */
  where: string;
  /** Firestore. */
  store: Store;
  /** Pub/Sub. */
  publisher: Publisher;
  /** Releases the connections of both. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens the database `FIRESTORE_DATABASE` and the topics of `INQUEST_NAME` in `GOOGLE_CLOUD_PROJECT`, or in
 * their emulators.
 * @param env this process's environment; Google's clients also read the addresses of emulators from it.
 * @param options.storeTimeoutMs timeout of a store call including all retries, in milliseconds. Default:
 * 30,000.
 * @throws TerminalError `CONFIG_INVALID` when the project is required and not set, or a name is invalid.
 */
export function openCloud(env: NodeJS.ProcessEnv, options: { storeTimeoutMs?: number } = {}): Cloud {
  const { storeTimeoutMs: timeoutMs } = options;
  const projectId = readProjectId(env);
  const emulator = readEmulatorAddress('firestore', env);
  const databaseId = readDatabaseName(env);
  const firestore = createFirestoreStore({
    projectId,
    databaseId,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const store = checkParts(firestore, PARTS);
  const publisher = createPubsubPublisher({ projectId, installation: readInstallationName(env) });
  return {
    projectId,
    where: [
      `project ${projectId}`,
      ...(databaseId === undefined ? [] : [`database ${databaseId}`]),
      ...(emulator === undefined ? [] : [`emulator ${emulator}`]),
    ].join(', '),
    store,
    publisher,
    async close() {
      await Promise.allSettled([publisher.close(), store.close()]);
    },
  };
}
