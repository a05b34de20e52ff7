// Topics and push subscriptions, set up as in production but for the back-off.
// The SDK is imported when it is needed: loading it takes longer than everything else a command loads.

import type { CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName, type TopicFunction } from '../functions/manifest.ts';
import { TOPICS, type Topic } from '../shared/contract/publisher.ts';
import { topicConsumers } from '../shared/store/pubsub/topicConsumers.ts';
import { isRefused } from './emulators/emulatorWatch.ts';

/**
 * The most Pub/Sub allows. Without a back-off, an execution that is busy for a minute uses up sixty; in production, the
 * manifest's 8 with the back-off last for about 20 minutes.
 */
const MAX_DELIVERY_ATTEMPTS = 100;

/** What the subscriptions are made of. */
export interface SubscriptionOptions {
  projectId: string;
  /** The emulator, as `host:port`. */
  pubsubHost: string;
  /** Where each function is, for example `http://127.0.0.1:4001`; the topic's path is added. */
  endpoints: Readonly<Record<FunctionName, string>>;
  /** Deliveries before a message becomes a dead letter where the manifest names a topic for those, 5 to 100. Default: 100. */
  maxDeliveryAttempts?: number | undefined;
}

const ALREADY_EXISTS = 6;
/** Of one request to an emulator. */
const TIMEOUT_MS = 20_000;

/**
 * Creates all topics, and a push subscription for each function that is called by one, with the manifest's settings.
 * What exists is updated, so that it pushes to the given endpoints.
 * @throws the Pub/Sub client's error when the emulator refuses.
 */
export async function createSubscriptions(options: SubscriptionOptions): Promise<void> {
  const { endpoints } = options;
  await withClient(options, async (pubsub) => {
    await Promise.all(Object.values(TOPICS).map((topic) => unlessItExists(pubsub.createTopic(topic))));
    await Promise.all(
      topicFunctions().map(([name, settings]) =>
        subscribe(pubsub, settings.topic, pushSettings(settings, endpoints[name], options)),
      ),
    );
  });
}

/** Deletes what `createSubscriptions` creates, with the messages that wait there. Never throws: an emulator may be gone. */
export async function deleteSubscriptions(
  place: Pick<SubscriptionOptions, 'projectId' | 'pubsubHost'>,
): Promise<void> {
  const gaxOpts = { timeout: TIMEOUT_MS, retry: null };
  await withClient(place, async (pubsub) => {
    const subscriptions = topicFunctions().map(([, { topic }]) =>
      pubsub.subscription(subscriptionName(topic)),
    );
    await Promise.allSettled(subscriptions.map((subscription) => subscription.delete(gaxOpts)));
    await Promise.allSettled(Object.values(TOPICS).map((topic) => pubsub.topic(topic).delete(gaxOpts)));
  });
}

/**
 * Makes sure that no other system takes the messages of a project on an emulator that runs already: two would take each
 * other's subscriptions.
 * @throws Error when functions that answer take them.
 */
export async function refuseUsedProject(projectId: string, pubsubHost: string): Promise<void> {
  // Whether the emulator answers at all is for its start to say.
  if (await isRefused(pubsubHost)) return;
  const consumers = await withClient({ projectId, pubsubHost }, (pubsub) =>
    topicConsumers(pubsub, TOPICS.alerts, TIMEOUT_MS),
  );
  if (consumers.kind !== 'subscriptions') return;
  for (const endpoint of consumers.pushEndpoints) {
    if (await isRefused(new URL(endpoint).host)) continue;
    throw new Error(
      `another system takes the alerts of project ${projectId} on the Pub/Sub emulator ${pubsubHost}: end it, or set another GOOGLE_CLOUD_PROJECT`,
    );
  }
}

async function withClient<T>(
  { projectId, pubsubHost }: Pick<SubscriptionOptions, 'projectId' | 'pubsubHost'>,
  use: (pubsub: PubSub) => Promise<T>,
): Promise<T> {
  const sdk = await import('../shared/store/pubsub/pubsubSdk.ts');
  const pubsub = new sdk.PubSub({
    projectId,
    apiEndpoint: pubsubHost,
    emulatorMode: true,
    // Else it looks for Google's metadata server, to learn this one value.
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  try {
    return await use(pubsub);
  } finally {
    await pubsub.close();
  }
}

function topicFunctions(): [FunctionName, TopicFunction][] {
  return FUNCTION_NAMES.flatMap((name) => {
    const settings = FUNCTIONS[name];
    return settings.signature === 'cloudevent' ? [[name, settings]] : [];
  });
}

function pushSettings(
  { topic, ackDeadlineSeconds, deadLetters }: TopicFunction,
  endpoint: string,
  { projectId, maxDeliveryAttempts = MAX_DELIVERY_ATTEMPTS }: SubscriptionOptions,
): CreateSubscriptionOptions {
  const topicPath = (name: Topic) => `projects/${projectId}/topics/${name}`;
  return {
    // The functions-framework reads the event's source from this path.
    pushConfig: { pushEndpoint: `${endpoint}/${topicPath(topic)}` },
    ackDeadlineSeconds,
    // Unlike production: with a policy the emulator (0.8.20) ceases to deliver again as soon as two messages wait that
    // failed in the same millisecond. Without one it delivers again after a second.
    retryPolicy: null,
    ...(deadLetters && {
      deadLetterPolicy: { deadLetterTopic: topicPath(deadLetters.topic), maxDeliveryAttempts },
    }),
  };
}

const subscriptionName = (topic: Topic): string => `${topic}-push`;

async function subscribe(pubsub: PubSub, topic: Topic, settings: CreateSubscriptionOptions): Promise<void> {
  const name = subscriptionName(topic);
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
