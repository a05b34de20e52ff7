// Whether the hourly test alert arrives. Pure.

import type { Canary } from '../../messages/canary.ts';

/** Between two canaries. */
export const CANARY_INTERVAL_MS = 60 * 60_000;
/** How long one can take to arrive; then the next is sent at once. */
export const CANARY_PATIENCE_MS = 15 * 60_000;
/** Then the next one, and one that was sent again, did not arrive. */
const SILENCE_MS = CANARY_INTERVAL_MS + 2 * CANARY_PATIENCE_MS;

/** `unknown`: none was sent. `late`: none has arrived for 90 minutes. */
type CanaryState =
  | { kind: 'unknown' }
  | { kind: 'ok'; arrivedAt: Date | null }
  | { kind: 'late' /** When the last one arrived, else when the first was sent. */; since: Date };

/** The state of the canary at `now`. @param canary undefined if none was sent. */
export function canaryState(canary: Pick<Canary, 'since' | 'arrivedAt'> | undefined, now: Date): CanaryState {
  if (canary === undefined) return { kind: 'unknown' };
  const { since, arrivedAt } = canary;
  const last = arrivedAt ?? since;
  return now.getTime() - last.getTime() > SILENCE_MS
    ? { kind: 'late', since: last }
    : { kind: 'ok', arrivedAt };
}
