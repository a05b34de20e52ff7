// Gives a command the API it works with: the one at `--url`, or one in this process on the database of the environment.

import { emulatorOf } from '../../shared/store/emulator.ts';
import { checkDatabaseIsNamed, checkSystemIsNamed } from '../options/project.ts';
import { type ApiClient, type ApiOptions, servedApi } from './apiClient.ts';
import { checkDatabaseAnswers } from './withDatabase.ts';

/** What a command needs. */
interface Needs extends ApiOptions {
  /** Whether it publishes messages, so that the environment has to name Pub/Sub as well. */
  publishes?: boolean;
  /** Whether an empty database in memory serves where the environment names none. Default: a database is required. */
  withoutDatabase?: boolean;
  /** The folder of the configuration, where it matters. Default: that of the environment. */
  config?: string | undefined;
  /** Of a command that is interrupted in order; nothing is closed then. */
  signal?: AbortSignal;
}

/**
 * Runs `work` with the API.
 * @throws UsageError for an address that is wrong, and when the environment names no system; Error that says what to do when
 *   nothing answers; what `work` throws.
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
  // Loaded only here: a command with an address needs neither the API's code nor that of the database.
  const { openOwnApi } = await import('./ownApi.ts');
  const own = openOwnApi(needs, isNamed ? 'cloud' : 'memory');
  try {
    return await work(own.api);
  } finally {
    if (!signal?.aborted) await own.close();
  }
}
