// Retention: how long the documents of a session are stored. A TTL policy deletes them at `expireAt`.

import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

const DAY = 24 * 60 * 60_000;
/** How long a session is kept until Firestore's TTL policy deletes it, in milliseconds. */
export const DEFAULT_RETENTION_MS = 30 * DAY;

/** When the documents of a session that is opened at `now` expire. */
export function computeExpiry({ retentionMs }: { retentionMs: number }, now: Date): Date {
  return new Date(now.getTime() + retentionMs);
}

/** The fault of a retention that is shorter than one of the time limits of sessions. */
export function retentionFaults(
  system: YamlFile,
  deadlinesMs: readonly number[],
  retentionMs: number,
): Fault[] {
  const message = 'is shorter than a sessionDeadline: documents would expire under a running session';
  return deadlinesMs.some((deadline) => deadline > retentionMs)
    ? [faultAt(system, ['retention'], message)]
    : [];
}
