// Retention: how long the documents of a session are stored. A TTL policy deletes them at `expireAt`.

const DAY = 24 * 60 * 60_000;
/** How long a session is kept until Firestore's TTL policy deletes it, in milliseconds. */
export const DEFAULT_RETENTION_MS = 30 * DAY;

/** When the documents of a session that is opened at `now` expire. */
export function computeExpiry({ retentionMs }: { retentionMs: number }, now: Date): Date {
  return new Date(now.getTime() + retentionMs);
}
