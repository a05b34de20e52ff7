// Handles a nacked or expired message: schedules a redelivery, or publishes a dead letter.

import type { AckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { redeliveryMs } from './backoff.ts';
import { composeDeadLetter, isDeadLetter } from './deadLetters.ts';

/**
 * Schedules the next delivery of a message, or publishes it to the dead-letter topic. When that topic was
 * deleted, the message is redelivered without limit, as in production. Runs within a transaction.
 * @returns the subscriptions that received the dead letter.
 */
export function failDelivery(state: PubsubState, subscription: Subscription, id: AckId): Subscription[] {
  const { topics, subscriptions, snapshots, queue } = state;
  const deadLetterTopic = subscription.settings.deadLetterPolicy?.deadLetterTopic ?? '';
  const message = queue.messageOf(id);
  if (message === undefined || !isDeadLetter(subscription, id.attempt) || !topics.exists(deadLetterTopic)) {
    queue.requeue(id, state.nowMs() + redeliveryMs(subscription.settings, id.attempt));
    return [];
  }
  const receivers = {
    subscriptions: subscriptions.attachedTo(deadLetterTopic),
    snapshots: snapshots.ofTopic(deadLetterTopic),
  };
  queue.add(composeDeadLetter(message, subscription, id.attempt), receivers, state.nowMs());
  queue.remove(id);
  return receivers.subscriptions;
}
