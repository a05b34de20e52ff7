// Dead letters: messages that exceeded their delivery attempts.

import { splitResourceName } from '../fields/names.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { StoredMessage } from '../store/queue.ts';
import type { Subscription } from '../store/subscriptionTable.ts';

/** Whether the policy of the subscription makes a message a dead letter after its failed `attempt`. */
export function isDeadLetter({ settings }: Subscription, attempt: number): boolean {
  const { deadLetterPolicy } = settings;
  return deadLetterPolicy !== null && attempt >= deadLetterPolicy.maxDeliveryAttempts;
}

/**
 * The dead letter of a message: its data, and attributes that name its source.
 * https://cloud.google.com/pubsub/docs/dead-letter-topics
 * @param attempts number of deliveries.
 */
export function composeDeadLetter(
  message: StoredMessage,
  { name }: Subscription,
  attempts: number,
): NewMessage {
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
