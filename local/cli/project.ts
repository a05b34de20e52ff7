// Which project a command works on: never one that nobody named.

import { projectIdOf } from '../../shared/environment.ts';

/**
 * The project the environment names.
 * @throws Error when it names neither a project nor an emulator.
 */
export function projectOfCommand(env: NodeJS.ProcessEnv): string {
  if (!env.PUBSUB_EMULATOR_HOST && !env.FIRESTORE_EMULATOR_HOST && !env.GOOGLE_CLOUD_PROJECT) {
    throw new Error(
      'nothing says which system is meant: set the variables that `npm start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  return projectIdOf(env);
}
