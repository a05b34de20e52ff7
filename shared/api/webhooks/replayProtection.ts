// Refuses replayed requests by their timestamp.

import { Problem } from '../http/problem.ts';

const MINUTE_MS = 60_000;
/** Maximum age of a request with a timestamp, in milliseconds. */
const MAX_AGE_MS = 5 * MINUTE_MS;
/** How far the clock of a source can be ahead, in milliseconds. */
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/**
 * Checks the time at which a request was sent.
 * @param where the place of the timestamp in error texts: `header X-Timestamp`.
 * @param maxAgeMs milliseconds. Default: 5 minutes.
 * @throws Problem `SIGNATURE_INVALID` for a request that is older, or more than 5 minutes ahead.
 */
export function checkAge(sent: Date, now: Date, where: string, maxAgeMs = MAX_AGE_MS): void {
  const ageMs = now.getTime() - sent.getTime();
  if (ageMs > maxAgeMs)
    throw new Problem('SIGNATURE_INVALID', `${where}: is more than ${maxAgeMs / MINUTE_MS} minutes old`);
  if (-ageMs > MAX_AHEAD_MS)
    throw new Problem(
      'SIGNATURE_INVALID',
      `${where}: is more than ${MAX_AHEAD_MS / MINUTE_MS} minutes ahead of our clock`,
    );
}

/** The same for a header of seconds since 1970. */
export function checkUnixAge(text: string, now: Date, header: string): void {
  const where = `header ${header}`;
  if (!/^\d{1,12}$/.test(text))
    throw new Problem('SIGNATURE_INVALID', `${where}: must be seconds since 1970`);
  checkAge(new Date(Number(text) * 1000), now, where);
}
