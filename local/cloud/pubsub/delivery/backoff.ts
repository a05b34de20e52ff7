// The delay before a message is redelivered.

import { durationMs } from '../fields/durations.ts';
import type { Settings } from '../fields/settings.ts';

/**
 * For push subscriptions, in addition to the retry policy: https://cloud.google.com/pubsub/docs/push#push_backoff. The maximum
 * in production is a minute. Here it is shorter, because a developer waits and a lease of an execution expires after 30 s.
 */
const PUSH_BACKOFF = { minMs: 100, maxMs: 10_000 };

/**
 * Milliseconds until the next delivery. Without a retry policy, pulled messages are redelivered immediately.
 *
 * Delays only the failed message. In production a failed push delays all messages of its subscription; on one machine each
 * subscription has one endpoint, and one failing message must not block the others.
 * @param attempts number of deliveries, 1 or more.
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
