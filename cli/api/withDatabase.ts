// Opens the database that the environment names, for commands that work on it directly.

import { isRefused } from '../../local/emulators/emulatorWatch.ts';
import { RetryableError } from '../../shared/errors.ts';
import { SchemaVersionError } from '../../shared/schema/documentType.ts';
import { EMULATOR_VARIABLES, emulatorOf } from '../../shared/store/emulator.ts';
import { type Cloud, openCloud } from '../../shared/wiring/openCloud.ts';
import { checkDatabaseIsNamed } from '../options/project.ts';

/** Timeout of Firestore, including all retries. */
const TIMEOUT_MS = 10_000;

/** @throws Error with a remedy when the emulator that the environment names does not answer. */
export async function checkDatabaseAnswers(env: NodeJS.ProcessEnv): Promise<void> {
  const host = emulatorOf('firestore', env);
  if (host !== undefined && (await isRefused(host)))
    throw new Error(
      `nothing answers at ${host} (${EMULATOR_VARIABLES.firestore}): run \`inquest start\`, and set the variables that it prints`,
    );
}

/**
 * Runs `work` with the database, and closes it afterwards.
 * @throws UsageError when the environment names none; Error with a remedy when it does not answer or a retry can succeed;
 *   errors of `work`.
 */
export async function withDatabase<T>(work: (cloud: Cloud) => Promise<T>): Promise<T> {
  checkDatabaseIsNamed(process.env);
  await checkDatabaseAnswers(process.env);
  const cloud = openCloud(process.env, { storeTimeoutMs: TIMEOUT_MS });
  try {
    return await work(cloud);
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    await cloud.close();
  }
}
