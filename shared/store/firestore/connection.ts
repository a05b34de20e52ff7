// The connection to a Firestore database: made at the first call, and used by every call with a time limit.
// The SDK is imported at the first call, because loading it takes longer than all other code of a function.

import type { Firestore } from '@google-cloud/firestore';
import { RetryableError } from '../../core/errors.ts';
import { emulatorSettings } from '../emulator.ts';
import { callFirestore, isTransient, translateError } from './firestoreCall.ts';

/** The SDK and its client, connected. */
export interface Client {
  /** The module of Firestore's classes, loaded. */
  sdk: typeof import('./firestoreSdk.ts');
  /** Firestore's client of the database. */
  db: Firestore;
}

/** The database to connect to. */
export interface ConnectionOptions {
  /** Google Cloud project of the database; any name with an emulator. */
  projectId: string;
  /** `(default)` when absent. */
  databaseId?: string | undefined;
  /**
   * How long a call can take with all of the SDK's retries, in milliseconds; then it fails with
   * `STORE_UNAVAILABLE`. Without a limit the SDK retries for ten minutes. 30 s when absent.
   */
  timeoutMs?: number | undefined;
  /** Whether integers are read as `bigint`, with all of their 64 bits. False when absent. */
  useBigInt?: boolean;
}

/** A connection that several operations share. */
export interface Connection {
  /** The client, which the first caller loads. For watches, which no time limit ends. */
  client(): Promise<Client>;
  /** Makes `close` leave the client as it is, because a request that nobody waits for can still run. */
  keepOpen(): void;
  /**
   * Runs one call with the time limit.
   * @param action names the call in messages, for example `reading sessions/1`.
   * @throws as `callFirestore`; `STORE_UNAVAILABLE` also after `close`.
   */
  call<T>(action: string, work: (client: Client) => Promise<T>): Promise<T>;
  /**
   * As `call`, for a read: it is tried a second time after a transient error, or beside the first attempt
   * when half of its time has passed, because the SDK waits ever longer between its own retries. Each attempt
   * has the time limit.
   */
  read<T>(action: string, work: (client: Client) => Promise<T>): Promise<T>;
  /**
   * Waits for running calls and releases the client. Never throws.
   * @param releaseOthers releases connections of the caller's own, at the same time.
   */
  close(releaseOthers?: () => Promise<void> | undefined): Promise<void>;
}

/** A connection to a database; `FIRESTORE_EMULATOR_HOST` points it at an emulator. */
export function createConnection(options: ConnectionOptions): Connection {
  const { timeoutMs = 30_000 } = options;
  let loading: Promise<Client> | undefined;
  let isClosed = false;
  let isKeptOpen = false;
  const running = new Set<Promise<unknown>>();

  const client = (): Promise<Client> => {
    loading ??= loadClient(options);
    return loading;
  };

  const callClient = async <T>(action: string, work: (client: Client) => Promise<T>): Promise<T> => {
    // The limit is the database's: a busy machine can take seconds to load the SDK.
    const loaded = await client().catch((error: unknown) => {
      throw translateError(error, action);
    });
    let answered = false;
    const runAndMark = async () => {
      try {
        return await work(loaded);
      } finally {
        answered = true;
      }
    };
    try {
      return await callFirestore(action, timeoutMs, runAndMark);
    } finally {
      isKeptOpen ||= !answered;
    }
  };

  const call: Connection['call'] = async (action, work) => {
    if (isClosed) throw new RetryableError('STORE_UNAVAILABLE', `${action}: the store is closed`);
    const result = callClient(action, work);
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };

  return {
    client,
    call,

    keepOpen() {
      isKeptOpen = true;
    },

    read: (action, work) => tryTwice(() => call(action, work), timeoutMs / 2),

    async close(releaseOthers) {
      isClosed = true;
      // If the SDK is terminated during a hanging call, it causes a rejection that no caller catches.
      await Promise.allSettled(running);
      if (loading === undefined || isKeptOpen) return;
      const release = ({ db }: Client) => Promise.all([db.terminate(), releaseOthers?.()]);
      await callClient('closing', release).catch(() => undefined);
    },
  };
}

async function loadClient({ projectId, databaseId, useBigInt = false }: ConnectionOptions): Promise<Client> {
  const sdk = await import('./firestoreSdk.ts');
  const settings = { projectId, ...(databaseId && { databaseId }), ...(useBigInt && { useBigInt }) };
  return { sdk, db: new sdk.Firestore({ ...settings, ...emulatorSettings('firestore') }) };
}

/** The first result of up to two attempts. @param afterMs when the second one starts beside the first. */
async function tryTwice<T>(attempt: () => Promise<T>, afterMs: number): Promise<T> {
  const again = Promise.withResolvers<void>();
  const timer = setTimeout(again.resolve, afterMs);
  const first = attempt();
  const second = again.promise.then(attempt);
  first
    .catch((error: unknown) => (isTransient(error) ? again.resolve() : again.reject(error)))
    .finally(() => clearTimeout(timer));
  try {
    return await Promise.any([first, second]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  }
}
