// Opens the database that the environment names, for commands that work on it directly.

import { RetryableError } from '../../shared/core/errors.ts';
import { SchemaVersionError } from '../../shared/core/schema/documentType.ts';
import { type Cloud, openCloud } from '../../shared/wiring/openCloud.ts';
import { checkDatabaseAnswers, checkDatabaseIsNamed } from '../options/project.ts';

/** Timeout of Firestore, including all retries. */
const TIMEOUT_MS = 10_000;

/**
 * Runs `work` with the database, and closes it afterwards.
 * @throws UsageError when the environment names none; Error with a remedy when it does not answer or a retry
 *   can succeed; errors of `work`.
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
