// Checks that the environment names the system a command works on, so that no command uses the default
// project by accident, and that its database answers.

import { isRefused } from '../../local/emulators/emulatorWatch.ts';
import { EMULATOR_VARIABLES, emulatorHostFault, readEmulatorAddress } from '../../shared/store/emulator.ts';
import { UsageError } from '../process/usageError.ts';

/** Help of commands that need Firestore and Pub/Sub: the variables that name the system. */
export const SYSTEM_HELP = `
Environment, which names the system (\`inquest start\` prints it for the one it runs):
  GOOGLE_CLOUD_PROJECT     the project
  FIRESTORE_EMULATOR_HOST  Firestore's emulator, as host:port; not set: the real Firestore of the project
  PUBSUB_EMULATOR_HOST     Pub/Sub's emulator, as host:port; not set: the real Pub/Sub of the project
  FIRESTORE_DATABASE       the database of Firestore; not set: (default)
  INQUEST_NAME             the name of an installation beside others, the prefix of its topics`;

/** Help of commands that need Firestore only. */
export const DATABASE_HELP = `
Environment, which names the database (\`inquest start\` prints it for the one it runs):
  GOOGLE_CLOUD_PROJECT     the project
  FIRESTORE_EMULATOR_HOST  Firestore's emulator, as host:port; not set: the real Firestore of the project
  FIRESTORE_DATABASE       the database of Firestore; not set: (default)`;

/**
 * Checks that the environment names a database.
 * @throws UsageError when it names neither a project nor an emulator, or when the emulator is not given as
 * host:port.
 */
export function checkDatabaseIsNamed(env: NodeJS.ProcessEnv): void {
  if (!readEmulatorAddress('firestore', env) && !env.GOOGLE_CLOUD_PROJECT) {
    throw new UsageError(
      'no database is named: set the variables that `inquest start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  const fault = emulatorHostFault('firestore', env);
  if (fault !== undefined) throw new UsageError(fault);
}

/**
 * Checks that the emulator that the environment names answers.
 * @param end ends the message. Default: nothing.
 * @throws Error with a remedy.
 */
export async function checkDatabaseAnswers(env: NodeJS.ProcessEnv, end = ''): Promise<void> {
  const host = readEmulatorAddress('firestore', env);
  if (host !== undefined && (await isRefused(host)))
    throw new Error(
      `nothing answers at ${host} (${EMULATOR_VARIABLES.firestore}): run \`inquest start\`, and set the variables that it prints${end}`,
    );
}

/**
 * Checks that the environment names a whole system, for a command that needs Firestore and Pub/Sub.
 * @throws UsageError when it names neither a project nor emulators, only one of the two emulators, or an
 *   emulator that is not given as host:port.
 */
export function checkSystemIsNamed(env: NodeJS.ProcessEnv): void {
  const firestore = readEmulatorAddress('firestore', env);
  const pubsub = readEmulatorAddress('pubsub', env);
  if (!pubsub && !firestore && !env.GOOGLE_CLOUD_PROJECT) {
    throw new UsageError(
      'no system is named: set the variables that `inquest start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  const fault = emulatorHostFault('firestore', env) ?? emulatorHostFault('pubsub', env);
  if (fault !== undefined) throw new UsageError(fault);
  if (!pubsub !== !firestore) {
    const missing = EMULATOR_VARIABLES[pubsub ? 'firestore' : 'pubsub'];
    throw new UsageError(
      `${missing} is not set: one half of the system would be an emulator, the other half real`,
    );
  }
}
