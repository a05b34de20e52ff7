// Facts about the project that a deployment needs before Terraform runs.

import { setTimeout as sleep } from 'node:timers/promises';
import { secondsText } from '../../shared/text/amounts.ts';
import { FIRESTORE, RESOURCE_MANAGER, SERVICE_USAGE } from '../google/addresses.ts';
import { type GoogleApi, GoogleApiError } from '../google/googleApi.ts';
import type { Target } from './target.ts';

const OPERATIONS = `${SERVICE_USAGE}/v1/`;
const POLL_MS = 5_000;
/** Indexes of an empty database are ready within some minutes. */
const INDEXES_MS = 15 * 60_000;

/**
 * Enables the APIs of `wanted` that are not, and waits until they answer: in a step before all that uses
 * them.
 * @param wanted hosts, at most 20.
 * @param readyMs the wait in milliseconds. Nothing waits when all were enabled.
 * @returns the APIs that were enabled now.
 */
export async function enableApis(
  google: GoogleApi,
  { project }: Target,
  wanted: readonly string[],
  { progress, readyMs, signal }: { progress: (line: string) => void; readyMs: number; signal: AbortSignal },
): Promise<string[]> {
  const services = `${OPERATIONS}projects/${project}/services`;
  const enabled = await google.list<{ name: string }>(
    `${services}?filter=state:ENABLED&pageSize=200`,
    'services',
  );
  const names = enabled.map(({ name }) => name.split('/').at(-1));
  const disabled = wanted.filter((api) => !names.includes(api));
  if (disabled.length === 0) return [];
  progress(`enabling ${disabled.join(', ')}`);
  const operation = await google.call<{ name: string; done?: boolean }>({
    method: 'POST',
    url: `${services}:batchEnable`,
    body: { serviceIds: disabled },
  });
  await google.wait(OPERATIONS, operation);
  progress(`waiting ${secondsText(readyMs)} until they answer`);
  await sleep(readyMs, undefined, { signal });
  return disabled;
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
