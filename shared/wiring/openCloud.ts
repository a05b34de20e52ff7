// Opens the store and the publisher that the environment names. Nothing else chooses them.

import type { Publisher } from '../contract/publisher.ts';
import type { Store } from '../contract/store.ts';
import { projectIdOf } from '../environment.ts';
import { emulatorOf } from '../store/emulator.ts';
import { createFirestoreStore } from '../store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../store/pubsub/pubsubPublisher.ts';

/** The store and the publisher of one project. Both connect with their first call. */
export interface Cloud {
  projectId: string;
  /** Project and emulator, for people: `project demo-inquest, emulator 127.0.0.1:8080`. */
  where: string;
  store: Store;
  publisher: Publisher;
  /** Releases the connections of both. Never rejects. */
  close(): Promise<void>;
}

/**
 * Opens Firestore and Pub/Sub of `GOOGLE_CLOUD_PROJECT`, or their emulators.
 * @param env this process's environment; Google's clients also read the addresses of emulators from it.
 * @param options.storeTimeoutMs timeout of a store call including all retries, in milliseconds. Default: 30,000.
 * @throws TerminalError `CONFIG_INVALID` when the project is required and not set.
 */
export function openCloud(env: NodeJS.ProcessEnv, options: { storeTimeoutMs?: number } = {}): Cloud {
  const { storeTimeoutMs: timeoutMs } = options;
  const projectId = projectIdOf(env);
  const emulator = emulatorOf('firestore', env);
  const store = createFirestoreStore({ projectId, ...(timeoutMs !== undefined && { timeoutMs }) });
  const publisher = createPubsubPublisher({ projectId });
  return {
    projectId,
    where: `project ${projectId}${emulator === undefined ? '' : `, emulator ${emulator}`}`,
    store,
    publisher,
    async close() {
      await Promise.allSettled([publisher.close(), store.close()]);
    },
  };
}
