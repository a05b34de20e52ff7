// The publisher port on Pub/Sub. Each message is sent at once and awaited, because a function's CPU is
// throttled after its response, so that a delayed batch might never be sent.

import type { PubSub, Topic as PubsubTopic } from '@google-cloud/pubsub';
import { topicId } from '../../contract/resourceIds.ts';
import type { ConsumedTopic, Publisher } from '../../core/contract/publisher.ts';
import { errorMessage, RetryableError } from '../../core/errors.ts';
import { emulatorSettings } from '../emulator.ts';
import { messageBytes } from '../messageBytes.ts';
import { refusedCall } from '../refusedCall.ts';

/**
 * A publisher to the topics of a project; `PUBSUB_EMULATOR_HOST` points it at an emulator.
 * @param options.installation prefix of the topics' ids; none when absent.
 * @param options.topics ids of topics in place of their names; those of no installation when absent.
 * @param options.timeoutMs time limit of one publish with all retries of the SDK; 20 s when absent.
 */
export function createPubsubPublisher(options: {
  projectId: string;
  installation?: string | undefined;
  topics?: Partial<Record<ConsumedTopic, string>>;
  timeoutMs?: number;
}): Publisher {
  const { projectId, installation, timeoutMs = 20_000 } = options;
  const findTopicId = (name: ConsumedTopic) => options.topics?.[name] ?? topicId(name, installation);
  const topics = new Map<ConsumedTopic, PubsubTopic>();
  let client: Promise<PubSub> | undefined;

  const connect = (): Promise<PubSub> => {
    client ??= import('./pubsubSdk.ts').then(
      ({ PubSub }) => new PubSub({ projectId, ...emulatorSettings('pubsub') }),
    );
    return client;
  };

  const topicOf = async (name: ConsumedTopic): Promise<PubsubTopic> => {
    const pubsub = await connect();
    const topic = topics.get(name) ?? pubsub.topic(findTopicId(name), withoutBatching(timeoutMs));
    topics.set(name, topic);
    return topic;
  };

  return {
    warm() {
      // A failure to load is reported by the first publish.
      connect().catch(() => undefined);
    },

    async publish(name, data, attributes) {
      try {
        const topic = await topicOf(name);
        return await topic.publishMessage({ data: messageBytes(data), attributes });
      } catch (error) {
        const id = findTopicId(name);
        const action = `publishing to ${id}`;
        const refused = refusedCall(error, action, {
          role: `roles/pubsub.publisher on the topic ${id}`,
          denied: 'PUBLISH_DENIED',
          unauthenticated: 'PUBLISH_UNAUTHENTICATED',
        });
        if (refused !== undefined) throw refused;
        const message = `${action}: ${errorMessage(error)}`;
        throw new RetryableError('PUBLISH_FAILED', message, { cause: error });
      }
    },

    async close() {
      if (client !== undefined) await (await client).close();
    },
  };
}

const withoutBatching = (timeoutMs: number) => ({
  batching: { maxMessages: 1, maxMilliseconds: 0 },
  gaxOpts: { timeout: timeoutMs },
});
