// Which project a command works on: never one that nobody named.

import { projectIdOf } from '../shared/environment.ts';

/**
 * The project the environment names, for a command that needs Firestore and Pub/Sub.
 * @throws Error when it names neither a project nor emulators, or an emulator for one of the two only.
 */
export function projectOfCommand(env: NodeJS.ProcessEnv): string {
  const firestore = Boolean(env.FIRESTORE_EMULATOR_HOST);
  const pubsub = Boolean(env.PUBSUB_EMULATOR_HOST);
  if (!pubsub && !firestore && !env.GOOGLE_CLOUD_PROJECT) {
    throw new Error(
      'nothing says which system is meant: set the variables that `npm start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  if (pubsub !== firestore) {
    const missing = pubsub ? 'FIRESTORE_EMULATOR_HOST' : 'PUBSUB_EMULATOR_HOST';
    throw new Error(
      `${missing} is not set: one half of the system would be an emulator, the other half real`,
    );
  }
  return projectIdOf(env);
}
