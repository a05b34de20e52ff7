// Publishes single messages to topics that belong to others: the events of deliveries. The installation's own
// topics have pubsubPublisher.ts.

import type { PubSub } from '@google-cloud/pubsub';
import { emulatorSettings } from '../emulator.ts';
import { refusedCall } from '../refusedCall.ts';

/** One message, and its topic. */
interface PublishedEvent {
  /** Id of the topic. */
  topic: string;
  /** Project of the topic. */
  project: string;
  data: string;
  attributes: Record<string, string>;
}

/**
 * A function that publishes a message and returns its id. Loads the SDK at the first one.
 * @param options.timeoutMs time limit of one publish with all retries of the SDK.
 * @throws (the function) an error of the SDK, whose `code` is the status of gRPC; RetryableError
 *   `PUBLISH_UNAUTHENTICATED`, `PUBLISH_DENIED`.
 */
export function createEventPublisher(options: {
  timeoutMs: number;
}): (event: PublishedEvent) => Promise<string> {
  const clients = new Map<string, Promise<PubSub>>();
  return async ({ topic, project, data, attributes }) => {
    const client = clients.get(project) ?? openClient(project);
    clients.set(project, client);
    const settings = {
      batching: { maxMessages: 1, maxMilliseconds: 0 },
      gaxOpts: { timeout: options.timeoutMs },
    };
    try {
      return await (await client)
        .topic(topic, settings)
        .publishMessage({ data: Buffer.from(data), attributes });
    } catch (error) {
      const right = {
        role: `roles/pubsub.publisher on the topic ${topic}`,
        denied: 'PUBLISH_DENIED',
        unauthenticated: 'PUBLISH_UNAUTHENTICATED',
      } as const;
      throw refusedCall(error, `publishing to ${topic}`, right) ?? error;
    }
  };
}

async function openClient(projectId: string): Promise<PubSub> {
  const { PubSub } = await import('./pubsubSdk.ts');
  return new PubSub({ projectId, ...emulatorSettings('pubsub') });
}
