// Finds the consumers of a topic, for people who publish by hand; the functions do not use it.

import type { PubSub } from '@google-cloud/pubsub';
import { errorMessage } from '../../core/errors.ts';

/** The consumers of a topic's messages, as far as this account can see them. */
export type TopicConsumers =
  | { kind: 'no_topic' }
  /** The endpoints that messages are pushed to, and how many subscriptions are pulled from instead. */
  | { kind: 'subscriptions'; pushEndpoints: string[]; pulled: number }
  | { kind: 'unknown'; message: string };

const NOT_FOUND = 5;

/**
 * Asks Pub/Sub for the subscriptions of a topic, by its id. Never throws: the result is `unknown` if a call
 * fails or takes longer than `timeoutMs`. Publishing needs fewer rights than this.
 */
export async function topicConsumers(
  pubsub: PubSub,
  topic: string,
  timeoutMs: number,
): Promise<TopicConsumers> {
  // Without the SDK's retries: they would go on after the time is over.
  const gaxOpts = { timeout: timeoutMs, retry: null };
  try {
    const [subscriptions] = await pubsub.topic(topic).getSubscriptions({ gaxOpts, autoPaginate: false });
    // The emulator knows no subscriptions of a topic that it does not know either.
    if (subscriptions.length === 0) await pubsub.topic(topic).getMetadata(gaxOpts);
    const metadata = await Promise.all(
      subscriptions.map(async (subscription) => (await subscription.getMetadata(gaxOpts))[0]),
    );
    const endpoints = metadata.map(({ pushConfig }) => pushConfig?.pushEndpoint ?? '');
    const pushEndpoints = endpoints.filter((endpoint) => endpoint !== '');
    return { kind: 'subscriptions', pushEndpoints, pulled: endpoints.length - pushEndpoints.length };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return { kind: 'no_topic' };
    return { kind: 'unknown', message: errorMessage(error) };
  }
}
