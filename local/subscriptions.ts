// Creates topics and push subscriptions as in production, except for the back-off.
// Imports the SDK on demand, because loading it takes longer than everything else that a command loads.

import type { CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName, type TopicFunction } from '../functions/manifest.ts';
import { eventsTopicId, subscriptionId, topicId } from '../shared/contract/resourceIds.ts';
import { TOPICS, type Topic } from '../shared/core/contract/publisher.ts';
import { topicConsumers } from '../shared/store/pubsub/topicConsumers.ts';
import { isRefused } from './emulators/emulatorWatch.ts';

/**
 * The maximum of Pub/Sub. Without back-off, an execution that is busy for a minute uses 60 attempts. In
 * production, the 8 attempts of the manifest last about 20 minutes with back-off.
 */
const MAX_DELIVERY_ATTEMPTS = 100;

interface SubscriptionOptions {
  /** The project of the topics and subscriptions. */
  projectId: string;
  /** Prefix of the ids of topics and subscriptions. Default: none. */
  installation?: string | undefined;
  /** The emulator, as `host:port`. */
  pubsubHost: string;
  /** The address of each function, for example `http://127.0.0.1:4001`. Empty: it does not run. */
  endpoints: Readonly<Record<FunctionName, string>>;
  /** Deliveries until a dead letter, 5 to 100, for functions with such a topic. Default: 100. */
  maxDeliveryAttempts?: number | undefined;
}

const ALREADY_EXISTS = 6;
/** Of one request to an emulator. */
const TIMEOUT_MS = 20_000;

/**
 * Creates all topics, and a push subscription for each function with a topic, with the settings of the
 * manifest. Updates existing subscriptions to push to the given endpoints.
 * @throws the error of the Pub/Sub client.
 */
export async function createSubscriptions(options: SubscriptionOptions): Promise<void> {
  const { endpoints, installation } = options;
  const topics = topicIds(installation);
  await withClient(options, async (pubsub) => {
    await Promise.all(topics.map((topic) => createUnlessExists(pubsub.createTopic(topic))));
    await Promise.all(
      topicFunctions().map(async ([name, settings]) => {
        if (endpoints[name] === '') return;
        const { topic } = settings;
        const ids = {
          topic: topicId(topic, installation),
          subscription: subscriptionId(topic, installation),
        };
        await createPushSubscription(pubsub, ids, pushSettings(settings, endpoints[name], options));
      }),
    );
  });
}

/** All topics: those of the functions, and that of the events. */
function topicIds(installation: string | undefined): string[] {
  return [...Object.values(TOPICS).map((topic) => topicId(topic, installation)), eventsTopicId(installation)];
}

/** Deletes topics and subscriptions with messages. Never throws: the emulator can be gone. */
export async function deleteSubscriptions(
  place: Pick<SubscriptionOptions, 'projectId' | 'installation' | 'pubsubHost'>,
): Promise<void> {
  const { installation } = place;
  const gaxOpts = { timeout: TIMEOUT_MS, retry: null };
  await withClient(place, async (pubsub) => {
    const subscriptions = topicFunctions().map(([, { topic }]) =>
      pubsub.subscription(subscriptionId(topic, installation)),
    );
    await Promise.allSettled(subscriptions.map((subscription) => subscription.delete(gaxOpts)));
    await Promise.allSettled(topicIds(installation).map((topic) => pubsub.topic(topic).delete(gaxOpts)));
  });
}

/**
 * Checks that no other system receives the messages of a project on a running emulator: two systems would
 * share subscriptions.
 * @throws Error when a subscription pushes to functions that answer.
 */
export async function refuseUsedProject({
  projectId,
  installation,
  pubsubHost,
}: Pick<SubscriptionOptions, 'projectId' | 'installation' | 'pubsubHost'>): Promise<void> {
  // The start of the emulator reports when it does not answer.
  if (await isRefused(pubsubHost)) return;
  const consumers = await withClient({ projectId, pubsubHost }, (pubsub) =>
    topicConsumers(pubsub, topicId(TOPICS.alerts, installation), TIMEOUT_MS),
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
    // Otherwise the client requests this value from Google's metadata server.
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
    return settings.trigger === 'topic' ? [[name, settings]] : [];
  });
}

function pushSettings(
  { ackDeadlineSeconds, deadLetters }: TopicFunction,
  endpoint: string,
  { projectId, installation, maxDeliveryAttempts = MAX_DELIVERY_ATTEMPTS }: SubscriptionOptions,
): CreateSubscriptionOptions {
  const topicPath = (name: Topic) => `projects/${projectId}/topics/${topicId(name, installation)}`;
  // Only for dead letters that a function reads. Attempts without back-off are used up within minutes, so
  // that an alert would be lost while the database restarts: alerts are delivered until they expire.
  const consumed: Topic[] = topicFunctions().map(([, { topic }]) => topic);
  const dead = consumed.find((topic) => topic === deadLetters?.topic);
  return {
    pushConfig: { pushEndpoint: endpoint },
    ackDeadlineSeconds,
    // Unlike production: with a policy, the emulator (0.8.20) stops redelivering after two messages fail in
    // the same millisecond. Without a policy it redelivers after a second.
    retryPolicy: null,
    ...(dead !== undefined && {
      deadLetterPolicy: { deadLetterTopic: topicPath(dead), maxDeliveryAttempts },
    }),
  };
}

async function createPushSubscription(
  pubsub: PubSub,
  { topic, subscription }: { topic: string; subscription: string },
  settings: CreateSubscriptionOptions,
): Promise<void> {
  const creation = await createUnlessExists(pubsub.topic(topic).createSubscription(subscription, settings));
  if (creation === 'exists') await pubsub.subscription(subscription).setMetadata(settings);
}

async function createUnlessExists(creation: Promise<unknown>): Promise<'created' | 'exists'> {
  try {
    await creation;
    return 'created';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === ALREADY_EXISTS) return 'exists';
    throw error;
  }
}
