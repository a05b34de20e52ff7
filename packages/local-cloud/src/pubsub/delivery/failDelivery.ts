// Handles a nacked or expired message: schedules a redelivery, or publishes a dead letter.

import type { AckId } from '../fields/ackIds.ts';
import { splitResourceName } from '../fields/names.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { StoredMessage } from '../store/queue.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { redeliveryMs } from './backoff.ts';

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

/** Whether the policy of the subscription makes a message a dead letter after its failed `attempt`. */
function isDeadLetter({ settings }: Subscription, attempt: number): boolean {
  const { deadLetterPolicy } = settings;
  return deadLetterPolicy !== null && attempt >= deadLetterPolicy.maxDeliveryAttempts;
}

/**
 * The dead letter of a message: its data, and attributes that name its source.
 * https://cloud.google.com/pubsub/docs/dead-letter-topics
 * @param attempts number of deliveries.
 */
function composeDeadLetter(message: StoredMessage, { name }: Subscription, attempts: number): NewMessage {
  const { project, id } = splitResourceName(name);
  return {
    data: message.data,
    orderingKey: message.orderingKey,
    attributes: {
      ...message.attributes,
      CloudPubSubDeadLetterSourceDeliveryCount: String(attempts),
      CloudPubSubDeadLetterSourceSubscription: id,
      CloudPubSubDeadLetterSourceSubscriptionProject: project,
      CloudPubSubDeadLetterSourceTopicPublishTime: new Date(message.publishMs).toISOString(),
    },
  };
}
