// Opens the system that the environment names, for a command that works on the sessions of a tenant.

import { isRefused } from '../../local/emulators/emulatorWatch.ts';
import { RetryableError } from '../../shared/errors.ts';
import { tenantStore } from '../../shared/runtime/tenants/tenantStore.ts';
import { type SessionIndex, tenantSessions } from '../../shared/runtime/views/tenantSessions.ts';
import { SchemaVersionError } from '../../shared/schema/documentType.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { EMULATOR_VARIABLES, emulatorOf } from '../../shared/store/emulator.ts';
import { type Cloud, openCloud } from '../../shared/wiring/openCloud.ts';
import { openRawDocuments } from '../../shared/wiring/openRawDocuments.ts';

/** Timeout of Firestore, including all retries. */
const TIMEOUT_MS = 10_000;

/** The system, restricted to a tenant. `where` also names the tenant, unless it is the default one. */
export interface Sessions extends Cloud {
  sessions: SessionIndex;
}

/**
 * Runs `work` on the sessions of a tenant, and closes the system afterwards. Sessions of other tenants behave as if they did
 * not exist.
 * @param options.signal aborts when the command is interrupted; the system is not closed then.
 * @throws as `withSystem`.
 */
export async function withSessions<T>(
  { tenant, signal }: { tenant: string; signal?: AbortSignal },
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  return await withSystem(async (cloud) => {
    const documents = openRawDocuments(process.env, TIMEOUT_MS);
    try {
      return await work({
        ...ofTenant(cloud, tenant),
        sessions: tenantSessions(documents, tenant),
      });
    } finally {
      if (!signal?.aborted) await documents.close();
    }
  }, signal);
}

/** The system, restricted to a tenant. */
function ofTenant(cloud: Cloud, tenantId: string): Cloud {
  const where = tenantId === DEFAULT_TENANT ? cloud.where : `${cloud.where}, tenant ${tenantId}`;
  return { ...cloud, where, store: tenantStore(cloud.store, tenantId) };
}

/**
 * Runs `work` on the whole system, with the rights of an operator, and closes it afterwards.
 * @param signal aborts when the command is interrupted; the system is not closed then.
 * @throws Error with a remedy when Firestore does not answer or a retry can succeed; errors of `work`.
 */
async function withSystem<T>(work: (cloud: Cloud) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const host = emulatorOf('firestore', process.env);
  if (host !== undefined && (await isRefused(host))) {
    throw new Error(
      `nothing answers at ${host} (${EMULATOR_VARIABLES.firestore}): run \`inquest start\`, and set the variables that it prints`,
    );
  }
  const cloud = openCloud(process.env, { storeTimeoutMs: TIMEOUT_MS });
  try {
    return await work(cloud);
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    if (!signal?.aborted) await cloud.close();
  }
}
