// Bounds how long an execution waits for newer code when this code cannot read one of its documents.

import type { Stored } from '../../contract/store.ts';
import { toStoredFailure } from '../../schema/common.ts';
import { paths, sessionType } from '../../schema/coreDocuments.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import type { Execution, Outage } from '../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import type { Reading } from '../documents/reading.ts';

/**
 * How long deliveries of an execution fail because one of its documents is newer than this code, in
 * milliseconds. Longer than a deployment or a rollback takes, and shorter than a session.
 */
export const NEWER_CODE_MS = 15 * 60_000;

/** A value that was read, or the error that names the newer document. */
export type VersionedReading<T> =
  | { value: T; newer?: undefined }
  | { value?: undefined; newer: SchemaVersionError };

/** Waits for a read and returns its `SCHEMA_TOO_NEW`, for callers that can do without. @throws others. */
export async function captureNewer<T>(reading: Promise<T>): Promise<VersionedReading<T>> {
  try {
    return { value: await reading };
  } catch (error) {
    if (!(error instanceof SchemaVersionError)) throw error;
    return { newer: error };
  }
}

/** The value of a reading. @throws its SchemaVersionError. */
export function requireRead<T>(reading: VersionedReading<T>): T {
  if (reading.newer !== undefined) throw reading.newer;
  return reading.value;
}

/**
 * Waits for a read of documents that an execution needs. A newer document fails the delivery until the
 * execution has not been written for `NEWER_CODE_MS`; after that it counts as unreadable, and its failure is
 * returned. Pauses of the execution or of its session do not count.
 * @param stored the execution before it is claimed.
 * @throws SchemaVersionError `SCHEMA_TOO_NEW` while newer code is awaited; any other error of the read.
 */
export async function readInTime<T>(
  stored: Stored<Execution>,
  reading: Promise<Reading<T>>,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Reading<T>> {
  const read = await captureNewer(reading);
  if (read.newer === undefined) return read.value;
  const { newer } = read;
  const { sessionId, notBefore } = stored.value;
  const now = clock.now().getTime();
  const idleSince = (times: (Date | null | undefined)[]) =>
    Math.max(...times.map((time) => time?.getTime() ?? 0));
  if (now - idleSince([stored.updatedAt, notBefore]) < NEWER_CODE_MS) throw newer;
  const session = await store.get(paths.session(sessionId), sessionType);
  if (now - idleSince([session?.value.steering.resumedAt]) < NEWER_CODE_MS) throw newer;
  return { failure: toStoredFailure(newer) };
}

/** Whether the execution waits for a quota rather than for its model. */
export function isForQuota(outage: Outage | null): boolean {
  return outage?.code === 'QUOTA_REACHED';
}

/** Whether the execution waits for its model, which does not answer. */
export function isForModel(outage: Outage | null): boolean {
  return outage !== null && !isForQuota(outage) && !isForNewerCode(outage);
}

/** Whether the execution waits for newer code rather than for its model. */
export function isForNewerCode(outage: Outage | null): boolean {
  return outage?.code === 'SCHEMA_TOO_NEW';
}
