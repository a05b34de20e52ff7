// Reserves tokens of a session while executions run in parallel: `sessions/{id}/usage/{stage}`.

import type { StateDeps } from '../../core/kernel/deps.ts';
import { usageType } from '../../core/schema/coreDocuments.ts';

/**
 * Reservations count in the time window in which they were made, and in the next one: for 10 to 20 minutes,
 * longer than any iteration runs (`MAX_ITERATION`). Those of a dead process expire automatically.
 */
const WINDOW_MS = 600_000;

type UsageDeps = Pick<StateDeps, 'store'>;

/** A document that counts and reserves tokens. */
interface TokenCount {
  /** Path of the counting document. */
  path: string;
  /** When the database deletes the document. */
  expireAt: Date;
}

/** Tokens that are reserved in a document until they are settled. */
interface Hold {
  /** The document that counts the tokens. */
  count: TokenCount;
  /** The time window of the reservation, `w` and the number of its ten minutes. */
  window: string;
  /** The reserved tokens. */
  tokens: number;
}

/** The current state of a count: used tokens, and reserved tokens. */
interface Standing {
  /** Tokens that calls have used. */
  used: number;
  /** Tokens that are reserved and not settled yet. */
  reserved: number;
}

const formatUsageWindow = (at: number): string => `w${Math.floor(at / WINDOW_MS)}`;

/**
 * Reserves tokens with one write without a precondition: each of many concurrent callers gets a different
 * standing, and the sum of the reservations that stay within a limit is within it.
 * @returns the standing with the reservation.
 * @throws RetryableError when the store fails; the tokens might be reserved then, until their window ends.
 */
export async function holdTokens(
  count: TokenCount,
  tokens: number,
  at: Date,
  { store }: UsageDeps,
): Promise<Standing & { hold: Hold }> {
  const window = formatUsageWindow(at.getTime());
  const before = formatUsageWindow(at.getTime() - WINDOW_MS);
  const value = { count: 0, reserved: { [window]: tokens, [before]: 0 }, expireAt: count.expireAt };
  const fields = ['count', `reserved.${window}`, `reserved.${before}`];
  const [used = 0, now = 0, earlier = 0] = await store.incrementAll(count.path, usageType, value, fields);
  return { used, reserved: now + earlier, hold: { count, window, tokens } };
}

/**
 * Returns reserved tokens and counts the used ones instead, in one write.
 * @throws RetryableError when the store fails; if it was not written, the reservation stays until its window
 * ends.
 */
export async function settleTokens(
  { count, window, tokens }: Hold,
  used: number,
  { store }: UsageDeps,
): Promise<void> {
  const value = { count: used, reserved: { [window]: -tokens }, expireAt: count.expireAt };
  await store.incrementAll(count.path, usageType, value, ['count', `reserved.${window}`]);
}
