// The topics and subscriptions of a deployment on the local cloud, with Google's client.

import { type CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import type { Rights } from './rights.ts';
import { agentOf, type DeploymentSettings, type SubscriptionSettings } from './settings.ts';

/** `604800s` -> `{ seconds: 604800 }` */
const duration = (text: string) => ({ seconds: Number(text.replace(/s$/, '')) });

/** Creates and deletes what settings declare. */
export interface Messages {
  /** The client of the project. */
  pubsub: PubSub;
  /**
   * Replaces all topics and subscriptions. Messages that wait are lost.
   * @param addresses where services are reached, by the URL that the settings name.
   */
  apply(settings: DeploymentSettings, addresses: ReadonlyMap<string, string>): Promise<void>;
}

/** Pub/Sub at `host`. */
export function connectMessages(projectId: string, host: string, rights: Rights): Messages {
  const pubsub = new PubSub({
    projectId,
    apiEndpoint: host,
    emulatorMode: true,
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  return {
    pubsub,
    async apply(settings, addresses) {
      const [[subscriptions], [topics]] = await Promise.all([pubsub.getSubscriptions(), pubsub.getTopics()]);
      await Promise.all(subscriptions.map((one) => one.delete()));
      await Promise.all(topics.map((one) => one.delete()));
      await Promise.all(Object.values(settings.topics).map(({ name }) => pubsub.createTopic(name)));
      await Promise.all(
        Object.values(settings.subscriptions).map((declared) =>
          pubsub
            .topic(topicName(settings, declared.topic))
            .createSubscription(declared.name, optionsOf(declared, settings, addresses, rights)),
        ),
      );
    },
  };
}

function topicName({ topics }: DeploymentSettings, id: string): string {
  const topic = topics[id];
  if (topic === undefined) throw new Error(`the settings have no topic ${id}`);
  return topic.name;
}

function optionsOf(
  declared: SubscriptionSettings,
  settings: DeploymentSettings,
  addresses: ReadonlyMap<string, string>,
  rights: Rights,
): CreateSubscriptionOptions {
  const [push] = declared.push;
  const [retry] = declared.retry;
  const [letters] = declared.dead_letters;
  const deadTopic = letters && topicName(settings, letters.topic);
  return {
    ackDeadlineSeconds: declared.ack_deadline,
    messageRetentionDuration: duration(declared.retention),
    ...(push && {
      pushConfig: {
        pushEndpoint: addresses.get(push.endpoint) ?? `http://127.0.0.1:1/no-service-at/${push.endpoint}`,
        oidcToken: { serviceAccountEmail: push.account, audience: push.audience },
      },
    }),
    ...(retry && {
      retryPolicy: { minimumBackoff: duration(retry.minimum), maximumBackoff: duration(retry.maximum) },
    }),
    // Without its rights on both, Pub/Sub moves no message.
    ...(letters &&
      deadTopic !== undefined &&
      agentMayMove(rights, declared.name, deadTopic) && {
        deadLetterPolicy: {
          deadLetterTopic: `projects/${settings.project}/topics/${deadTopic}`,
          maxDeliveryAttempts: letters.attempts,
        },
      }),
  };
}

/** Whether the agent of Pub/Sub may take a message from a subscription and publish it to a topic. */
function agentMayMove(rights: Rights, subscription: string, topic: string): boolean {
  const agent = agentOf('pubsub');
  return (
    rights.allows(agent, 'roles/pubsub.publisher', `topics/${topic}`) &&
    rights.allows(agent, 'roles/pubsub.subscriber', `subscriptions/${subscription}`)
  );
}
