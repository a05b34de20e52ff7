// Facts about the project that a deployment needs before Terraform runs.

import { setTimeout as sleep } from 'node:timers/promises';
import { FIRESTORE, RESOURCE_MANAGER, SERVICE_USAGE } from '../google/addresses.ts';
import { type GoogleApi, GoogleApiError } from '../google/googleApi.ts';
import { BOOTSTRAP_APIS } from './apis.ts';
import type { Target } from './target.ts';

const OPERATIONS = `${SERVICE_USAGE}/v1/`;
const POLL_MS = 5_000;
/** Indexes of an empty database are ready within some minutes. */
const INDEXES_MS = 15 * 60_000;

/** Enables the APIs that are needed before the first plan. Those that are enabled stay as they are. */
export async function enableApis(google: GoogleApi, { project }: Target): Promise<void> {
  const operation = await google.call<{ name: string; done?: boolean }>({
    method: 'POST',
    url: `${OPERATIONS}projects/${project}/services:batchEnable`,
    body: { serviceIds: BOOTSTRAP_APIS },
  });
  await google.wait(OPERATIONS, operation);
}

/** The number of the project. @throws Error when it is deleted; GoogleApiError when it cannot be read. */
export async function projectNumber(google: GoogleApi, { project }: Target): Promise<string> {
  const found = await google.call<{ projectNumber: string; lifecycleState?: string }>({
    url: `${RESOURCE_MANAGER}/projects/${project}`,
  });
  if (found.lifecycleState !== undefined && found.lifecycleState !== 'ACTIVE')
    throw new Error(`${project} is being deleted: gcloud projects undelete ${project}`);
  return found.projectNumber;
}

/** Whether the installation has no database yet. */
export async function isDatabaseNew(google: GoogleApi, { project, database }: Target): Promise<boolean> {
  try {
    return (
      (await google.find({ url: `${FIRESTORE}/projects/${project}/databases/${database}` })) === undefined
    );
  } catch (error) {
    if (error instanceof GoogleApiError && error.reason === 'SERVICE_DISABLED') return true;
    throw error;
  }
}

/** Removes the deletion protection of the installation's database. Its data stays. */
export async function unprotectDatabase(google: GoogleApi, { project, database }: Target): Promise<void> {
  const name = `projects/${project}/databases/${database}`;
  const operation = await google.call<{ name: string; done?: boolean }>({
    method: 'PATCH',
    url: `${FIRESTORE}/${name}?updateMask=deleteProtectionState`,
    body: { name, deleteProtectionState: 'DELETE_PROTECTION_DISABLED' },
  });
  await google.wait(`${FIRESTORE}/`, operation);
}

/**
 * Waits until all indexes of a new database are built.
 * @param onWait called with the number of indexes that are not ready, when it changes.
 * @throws Error after 15 minutes.
 */
export async function waitForIndexes(
  google: GoogleApi,
  { project, database }: Target,
  { onWait, signal }: { onWait: (left: number) => void; signal: AbortSignal },
): Promise<void> {
  const url = `${FIRESTORE}/projects/${project}/databases/${database}/collectionGroups/-/indexes`;
  const deadline = performance.now() + INDEXES_MS;
  for (let shown = 0; ; ) {
    const indexes = await google.list<{ state: string }>(url, 'indexes');
    const left = indexes.filter(({ state }) => state !== 'READY').length;
    if (left === 0) return;
    if (left !== shown) onWait(left);
    shown = left;
    if (performance.now() > deadline)
      throw new Error(
        `${left} indexes of ${database} were not ready within 15 minutes; run the command again`,
      );
    await sleep(POLL_MS, undefined, { signal });
  }
}
