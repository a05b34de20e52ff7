// Ids of fates: by tenant and time, the newest first, so that lists need no index.

/** Larger than every time in milliseconds that a Date can have for the next 250 years. */
const END = 9_999_999_999_999;
const DIGITS = 13;
/** Characters of the key of a message in an id. */
const KEY_LENGTH = 12;

/** The start of the ids of a time. */
const fateTime = (tenantId: string, at: Date): string =>
  `${tenantId}.${String(Math.max(0, END - at.getTime())).padStart(DIGITS, '0')}`;

/** The id of the fate of a message. @param key hexadecimal digits. */
export const fateId = (tenantId: string, at: Date, key: string): string =>
  `${fateTime(tenantId, at)}.${key.slice(0, KEY_LENGTH)}`;

/** The first and the last id of fates of a tenant from `since` to `until`, both included. */
export const fateRange = (tenantId: string, since: Date, until: Date): { from: string; to: string } => ({
  from: fateTime(tenantId, until),
  to: `${fateTime(tenantId, since)}.~`,
});
