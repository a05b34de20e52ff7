// The delay before a message is redelivered.

import { durationMs } from '../fields/durations.ts';
import type { Settings } from '../fields/settings.ts';

/**
 * For push subscriptions, in addition to the retry policy:
 * https://cloud.google.com/pubsub/docs/push#push_backoff. The maximum in production is a minute. Here it is
 * shorter, because a developer waits and a lease of an execution expires after 30 s.
 */
const PUSH_BACK_OFF = { firstMs: 100, mostMs: 10_000 };

/**
 * Milliseconds until the next delivery. Without a retry policy, pulled messages are redelivered immediately.
 *
 * Delays only the failed message. In production a failed push delays all messages of its subscription; on one
 * machine each subscription has one endpoint, and one failing message must not block the others.
 * @param attempts number of deliveries, 1 or more.
 */
export function redeliveryMs({ retryPolicy, pushConfig }: Settings, attempts: number): number {
  const retry = retryPolicy && {
    firstMs: durationMs(retryPolicy.minimumBackoff),
    mostMs: durationMs(retryPolicy.maximumBackoff),
  };
  const retryMs = retry ? backOffMs(retry, attempts) : 0;
  const pushMs = pushConfig.pushEndpoint ? backOffMs(PUSH_BACK_OFF, attempts) : 0;
  return Math.round(retryMs + pushMs);
}

/** Doubles with each further failure. @param failures from 1. */
function backOffMs({ firstMs, mostMs }: typeof PUSH_BACK_OFF, failures: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
