// Opens the system that the environment names, for a command about its sessions.

import { isRefused } from '../../local/emulatorWatch.ts';
import type { RawDocuments } from '../../shared/contract/rawDocuments.ts';
import { RetryableError } from '../../shared/errors.ts';
import { SchemaVersionError } from '../../shared/schema/documentType.ts';
import { EMULATOR_VARIABLES, emulatorOf } from '../../shared/store/emulator.ts';
import { type Cloud, openCloud } from '../../shared/wiring/openCloud.ts';
import { openRawDocuments } from '../../shared/wiring/openRawDocuments.ts';

/** How long Firestore may take to answer, with all retries. */
const TIMEOUT_MS = 10_000;

/** The system, and its documents as they are stored. */
export interface Sessions extends Cloud {
  documents: RawDocuments;
}

/**
 * Runs `work` on the system, and closes it afterwards.
 * @param signal of a command that is interrupted in order; nothing is closed then.
 * @throws Error that says what to do when nothing answers, or when the same command may succeed later; what `work` throws.
 */
export async function withSessions<T>(
  work: (sessions: Sessions) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const host = emulatorOf('firestore', process.env);
  if (host !== undefined && (await isRefused(host))) {
    throw new Error(
      `nothing answers at ${host} (${EMULATOR_VARIABLES.firestore}): run \`inquest start\`, and set the variables that it prints`,
    );
  }
  const cloud = openCloud(process.env, { storeTimeoutMs: TIMEOUT_MS });
  const documents = openRawDocuments(process.env, TIMEOUT_MS);
  try {
    return await work({ ...cloud, documents });
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    if (!signal?.aborted) await Promise.all([cloud.close(), documents.close()]);
  }
}
