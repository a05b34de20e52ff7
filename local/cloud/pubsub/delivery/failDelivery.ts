// What becomes of a message that was nacked or not acked in time. Runs within a transaction.

import type { AckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { backoffMs } from './backoff.ts';
import { deadLetterOf, isDeadLetter } from './deadLetters.ts';

/**
 * Has a message wait for its next delivery, or makes it a dead letter. One whose dead-letter topic was deleted is
 * delivered again and again, as in production.
 * @returns the subscriptions that got the dead letter.
 */
export function failDelivery(state: PubsubState, subscription: Subscription, id: AckId): Subscription[] {
  const { topics, subscriptions, snapshots, queue } = state;
  const deadLetterTopic = subscription.settings.deadLetterPolicy?.deadLetterTopic ?? '';
  const message = queue.messageOf(id);
  if (message === undefined || !isDeadLetter(subscription, id.attempt) || !topics.exists(deadLetterTopic)) {
    queue.giveBack(id, state.nowMs() + backoffMs(subscription.settings, id.attempt));
    return [];
  }
  const receivers = {
    subscriptions: subscriptions.attachedTo(deadLetterTopic),
    snapshots: snapshots.ofTopic(deadLetterTopic),
  };
  queue.add(deadLetterOf(message, subscription, id.attempt), receivers, state.nowMs());
  queue.remove(id);
  return receivers.subscriptions;
}
