// How long a message that was nacked, or not acked in time, waits for its next delivery.

import { durationMs } from '../fields/durations.ts';
import type { Settings } from '../fields/settings.ts';

/**
 * Of push alone; it is added to the retry policy: https://cloud.google.com/pubsub/docs/push#push_backoff. Production goes
 * up to a minute; here somebody may be looking on, and an execution whose process died is free again after 30 s.
 */
const PUSH_BACKOFF = { minMs: 100, maxMs: 10_000 };

/**
 * Milliseconds until the next delivery. Without a retry policy a pulled message comes again at once.
 *
 * Unlike production, where a failed push delays all messages of its subscription, it delays that message alone: on one
 * machine there is one endpoint for each subscription, and one message that always fails must not stop the others.
 * @param attempts how often it was delivered, 1 or more.
 */
export function backoffMs({ retryPolicy, pushConfig }: Settings, attempts: number): number {
  const retryMs = retryPolicy
    ? exponential(durationMs(retryPolicy.minimumBackoff), durationMs(retryPolicy.maximumBackoff), attempts)
    : 0;
  const pushMs = pushConfig.pushEndpoint ? exponential(PUSH_BACKOFF.minMs, PUSH_BACKOFF.maxMs, attempts) : 0;
  return Math.round(retryMs + pushMs);
}

const exponential = (minMs: number, maxMs: number, attempts: number): number =>
  Math.min(maxMs, minMs * 2 ** (attempts - 1));
