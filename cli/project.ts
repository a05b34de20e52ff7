// Whether the environment says which system a command is to work on.

import { EMULATOR_VARIABLES, emulatorOf } from '../shared/store/emulator.ts';

/**
 * Checks that the environment names a whole system, for a command that needs Firestore and Pub/Sub: without that it
 * would work on the default project.
 * @throws Error when it names neither a project nor emulators, or an emulator for one of the two only.
 */
export function checkSystemIsNamed(env: NodeJS.ProcessEnv): void {
  const firestore = emulatorOf('firestore', env);
  const pubsub = emulatorOf('pubsub', env);
  if (!pubsub && !firestore && !env.GOOGLE_CLOUD_PROJECT) {
    throw new Error(
      'nothing says which system is meant: set the variables that `npm start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  if (!pubsub !== !firestore) {
    const missing = EMULATOR_VARIABLES[pubsub ? 'firestore' : 'pubsub'];
    throw new Error(
      `${missing} is not set: one half of the system would be an emulator, the other half real`,
    );
  }
}
