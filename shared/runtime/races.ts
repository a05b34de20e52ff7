// Optimistic concurrency in one place: read, decide, write on condition; and read again when another writer was faster.

import { RetryableError } from '../errors.ts';

/** What an attempt returns when another writer was faster. */
export const RACE_LOST = Symbol('race lost');

/**
 * Repeats `attempt` until it wins.
 * @param subject what is written, for the message: `execution 01-logs`.
 * @param maxRaces how often it may lose; then Pub/Sub's back-off is the better wait.
 * @throws RetryableError `STORE_CONFLICT` when it has lost that often; whatever `attempt` throws.
 */
export async function retryLostRaces<T>(
  subject: string,
  maxRaces: number,
  attempt: (race: { isLast: boolean }) => Promise<T | typeof RACE_LOST>,
): Promise<T> {
  for (let race = 1; race <= maxRaces; race++) {
    const result = await attempt({ isLast: race === maxRaces });
    if (result !== RACE_LOST) return result;
  }
  throw new RetryableError('STORE_CONFLICT', `${subject} kept changing under ${maxRaces} tries`);
}
