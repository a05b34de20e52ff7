// Topics and push subscriptions, set up as in production but for the back-off.
// The SDK is imported when it is needed: loading it takes longer than everything else a command loads.

import type { CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import { TOPICS, type Topic } from '../shared/contract/publisher.ts';

/** The longest Pub/Sub allows: for push it is the time a function has to answer. */
export const ACK_DEADLINE_SECONDS = 600;
/**
 * The most Pub/Sub allows. Without a back-off, an execution that is busy for a minute uses up sixty; in production, 8
 * with the back-off last for about 20 minutes.
 */
export const MAX_DELIVERY_ATTEMPTS = 100;

export interface SubscriptionOptions {
  projectId: string;
  /** The emulator, as `host:port`. */
  pubsubHost: string;
  /** Where the topics are pushed to, for example `http://127.0.0.1:4001`; the topic's path is added. */
  endpoints: { alerts: string; iterations: string; iterationsDead: string };
  /** Deliveries before an iteration message becomes a dead letter, 5 to 100. Default: 100. */
  maxDeliveryAttempts?: number | undefined;
}

const ALREADY_EXISTS = 6;

/**
 * Creates the topics `alerts`, `iterations` and `iterations-dead` and a push subscription for each. What exists is
 * updated, so that it pushes to the given endpoints.
 * @throws the Pub/Sub client's error when the emulator refuses.
 */
export async function createSubscriptions(options: SubscriptionOptions): Promise<void> {
  const { projectId, pubsubHost, endpoints, maxDeliveryAttempts = MAX_DELIVERY_ATTEMPTS } = options;
  const sdk = await import('@google-cloud/pubsub');
  const pubsub = new sdk.PubSub({
    projectId,
    apiEndpoint: pubsubHost,
    emulatorMode: true,
    // Else it looks for Google's metadata server, to learn this one value.
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  const push = (topic: Topic, endpoint: string): CreateSubscriptionOptions => ({
    // The functions-framework reads the event's source from this path.
    pushConfig: { pushEndpoint: `${endpoint}/projects/${projectId}/topics/${topic}` },
    ackDeadlineSeconds: ACK_DEADLINE_SECONDS,
    // Unlike production: with a policy the emulator (0.8.20) ceases to deliver again as soon as two messages wait that
    // failed in the same millisecond. Without one it delivers again after a second.
    retryPolicy: null,
  });
  const deadLetterPolicy = {
    deadLetterTopic: `projects/${projectId}/topics/${TOPICS.iterationsDead}`,
    maxDeliveryAttempts,
  };
  try {
    await Promise.all(Object.values(TOPICS).map((topic) => unlessItExists(pubsub.createTopic(topic))));
    await Promise.all([
      subscribe(pubsub, TOPICS.alerts, 'alerts-push', push(TOPICS.alerts, endpoints.alerts)),
      subscribe(pubsub, TOPICS.iterations, 'iterations-push', {
        ...push(TOPICS.iterations, endpoints.iterations),
        deadLetterPolicy,
      }),
      subscribe(
        pubsub,
        TOPICS.iterationsDead,
        'iterations-dead-push',
        push(TOPICS.iterationsDead, endpoints.iterationsDead),
      ),
    ]);
  } finally {
    await pubsub.close();
  }
}

async function subscribe(
  pubsub: PubSub,
  topic: Topic,
  name: string,
  settings: CreateSubscriptionOptions,
): Promise<void> {
  const creation = await unlessItExists(pubsub.topic(topic).createSubscription(name, settings));
  if (creation === 'exists') await pubsub.subscription(name).setMetadata(settings);
}

async function unlessItExists(creation: Promise<unknown>): Promise<'created' | 'exists'> {
  try {
    await creation;
    return 'created';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === ALREADY_EXISTS) return 'exists';
    throw error;
  }
}
