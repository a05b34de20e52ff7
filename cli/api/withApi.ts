// Opens the API of a command: at `--url`, or in this process on the environment's database.

import { firstDeath } from '../../local/emulators/emulatorWatch.ts';
import { readEmulatorAddress } from '../../shared/store/emulator.ts';
import type { ApiOptions } from '../options/commandOptions.ts';
import { checkDatabaseAnswers, checkDatabaseIsNamed, checkSystemIsNamed } from '../options/project.ts';
import { beforeAbort } from '../process/interrupt.ts';
import { type ApiClient, servedApi } from './apiClient.ts';
import { checkConsumers, listMonitoredEmulators, NOTHING_PUBLISHED } from './checkConsumers.ts';

/** The requirements of a command. */
interface Needs extends ApiOptions {
  /**
   * Whether it publishes messages, so that the environment must also name Pub/Sub. `alerts`: requests to the
   * API in this process also require a consumer of alerts, and the work ends when an emulator dies.
   */
  publishes?: boolean | 'alerts';
  /** Whether an empty memory database replaces a missing one. Default: false, it is required. */
  withoutDatabase?: boolean;
  /** The configuration folder. Default: the one that the environment names. */
  config?: string | undefined;
  /** The environment. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Aborts when the command is interrupted, without closing the API. Default: never. */
  signal?: AbortSignal;
}

/**
 * Runs `work` with the API. `signal` aborts as that of `needs`, and when an emulator dies that `work` needs.
 * @throws UsageError for an invalid address, and when the environment names no system; Error with a remedy
 *   when the database does not answer, when no consumer would receive alerts, and when an emulator dies;
 *   errors of `work`; the signal's reason.
 */
export async function withApi<T>(
  needs: Needs,
  work: (api: ApiClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { withoutDatabase = false, publishes = false, env = process.env } = needs;
  const { signal = new AbortController().signal } = needs;
  const served = servedApi(needs, env);
  if (served !== undefined) return await beforeAbort(work(served, signal), signal);
  const isNamed = readEmulatorAddress('firestore', env) !== undefined || Boolean(env.GOOGLE_CLOUD_PROJECT);
  if (isNamed || !withoutDatabase) {
    (publishes ? checkSystemIsNamed : checkDatabaseIsNamed)(env);
    const end = publishes === 'alerts' ? `. ${NOTHING_PUBLISHED}` : '';
    await beforeAbort(checkDatabaseAnswers(env, end), signal);
  }
  // Loaded here because a command with `--url` needs neither the code of the API nor of the database.
  const { openOwnApi } = await import('./ownApi.ts');
  const own = openOwnApi({
    ...needs,
    env,
    database: isNamed ? 'cloud' : 'memory',
    ...(publishes === 'alerts' && { beforePost: () => checkConsumers(env) }),
  });
  const ended = new AbortController();
  const died = new AbortController();
  if (publishes === 'alerts')
    void firstDeath(listMonitoredEmulators(env), ended.signal).then((error) => died.abort(error));
  const stopped = AbortSignal.any([signal, died.signal]);
  try {
    return await beforeAbort(work(own.api, stopped), stopped);
  } finally {
    ended.abort();
    // An interrupted process exits soon, and a connection to an emulator that died cannot be closed.
    if (!stopped.aborted) await own.close();
  }
}
