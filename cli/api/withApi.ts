// Opens the API for a command: the one at `--url`, or one in this process on the database that the environment names.

import { emulatorOf } from '../../shared/store/emulator.ts';
import { checkDatabaseIsNamed, checkSystemIsNamed } from '../options/project.ts';
import { type ApiClient, type ApiOptions, servedApi } from './apiClient.ts';
import { checkDatabaseAnswers } from './withDatabase.ts';

/** The requirements of a command. */
interface Needs extends ApiOptions {
  /** Whether it publishes messages, so that the environment must also name Pub/Sub. */
  publishes?: boolean;
  /** Whether an empty in-memory database is used if the environment names none. Default: false, which requires a database. */
  withoutDatabase?: boolean;
  /** The configuration folder. Default: the one that the environment names. */
  config?: string | undefined;
  /** Aborts when the command is interrupted. The API is not closed then. */
  signal?: AbortSignal;
}

/**
 * Runs `work` with the API.
 * @throws UsageError for an invalid address, and when the environment names no system; Error with a remedy when the database
 *   does not answer; errors of `work`.
 */
export async function withApi<T>(needs: Needs, work: (api: ApiClient) => Promise<T>): Promise<T> {
  const served = servedApi(needs);
  if (served !== undefined) return await work(served);
  const { withoutDatabase = false, publishes, signal } = needs;
  const isNamed =
    emulatorOf('firestore', process.env) !== undefined || Boolean(process.env.GOOGLE_CLOUD_PROJECT);
  if (isNamed || !withoutDatabase) {
    (publishes ? checkSystemIsNamed : checkDatabaseIsNamed)(process.env);
    await checkDatabaseAnswers(process.env);
  }
  // Loaded here because a command with `--url` needs neither the code of the API nor of the database.
  const { openOwnApi } = await import('./ownApi.ts');
  const own = openOwnApi(needs, isNamed ? 'cloud' : 'memory');
  try {
    return await work(own.api);
  } finally {
    if (!signal?.aborted) await own.close();
  }
}
