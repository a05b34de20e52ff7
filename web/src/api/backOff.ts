// How long to wait before a connection is tried again.

const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/**
 * 1, 2, 4 … 30 s, of which at least half is waited.
 * @param attempt from 0.
 * @param chance from 0 to 1.
 */
export function backOffMs(attempt: number, chance: number): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(whole * (0.5 + chance / 2));
}
