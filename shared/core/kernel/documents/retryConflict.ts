// Optimistic concurrency: read, decide, write conditionally, and start over if another writer won the race.

import { RetryableError } from '../../errors.ts';

/**
 * Attempts at a document with few writers, such as an execution within one delivery (a holder, the sweep, a
 * cancellation); after that, Pub/Sub's back-off is the better wait.
 */
export const DOCUMENT_RACES = 5;

/** Attempts at a document of a destination: a storm of sessions changes it. */
export const DESTINATION_RACES = 8;

/** Attempts at a session or stage: executions end concurrently, holders write every few seconds. */
export const SESSION_RACES = 10;

/** The result of an attempt that lost the race to another writer. */
export const RACE_LOST = Symbol('race lost');

/**
 * Repeats `attempt` until it returns anything but `RACE_LOST`.
 * @param subject the written document, for the error's message: `execution 01-logs`.
 * @param maxRaces number of attempts.
 * @param whenLost the result when every attempt lost. Default: it throws.
 * @throws RetryableError `STORE_CONFLICT` when every attempt lost; any error of `attempt`.
 */
export async function retryLostRaces<T>(
  subject: string,
  maxRaces: number,
  attempt: (race: { isLast: boolean }) => Promise<T | typeof RACE_LOST>,
  whenLost: () => T | Promise<T> = () => {
    throw new RetryableError('STORE_CONFLICT', `${subject} kept changing under ${maxRaces} tries`);
  },
): Promise<T> {
  for (let race = 1; race <= maxRaces; race++) {
    const result = await attempt({ isLast: race === maxRaces });
    if (result !== RACE_LOST) return result;
  }
  return whenLost();
}

/** Drops a conflict with another writer, for counts that can miss one. @throws any other error. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof RetryableError) || error.code !== 'STORE_CONFLICT') throw error;
}
