// Messages that failed too often: what they become.

import { partsOf } from '../fields/names.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { StoredMessage } from '../store/queue.ts';
import type { Subscription } from '../store/subscriptionTable.ts';

/** Whether a message whose `attempt` failed is not to be delivered again, as far as the policy says. */
export function isDeadLetter({ settings }: Subscription, attempt: number): boolean {
  const { deadLetterPolicy } = settings;
  return deadLetterPolicy !== null && attempt >= deadLetterPolicy.maxDeliveryAttempts;
}

/**
 * What is published to the dead-letter topic for a message: itself, and where it comes from.
 * https://cloud.google.com/pubsub/docs/dead-letter-topics
 * @param attempts how often it was delivered.
 */
export function deadLetterOf(message: StoredMessage, { name }: Subscription, attempts: number): NewMessage {
  const { project, id } = partsOf(name);
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
