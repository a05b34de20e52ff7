// Publishes single messages to topics that belong to others: the events of deliveries. The installation's own topics have
// pubsubPublisher.ts.

import type { PubSub } from '@google-cloud/pubsub';
import { emulatorSettings } from '../emulator.ts';

/** The topic of events: `inquest-events` for an installation without a name of its own. */
const eventsTopic = (installation = 'inquest'): string => `${installation}-events`;

/** One message, and its topic: an id, or null for that of the installation; project null for that of the installation. */
interface PublishedEvent {
  topic: string | null;
  project: string | null;
  data: string;
  attributes: Record<string, string>;
}

/**
 * A function that publishes a message and returns its id. Loads the SDK at the first one.
 * @param options.timeoutMs time limit of one publish with all retries of the SDK.
 * @throws (the function) an error of the SDK; `code` is the status of gRPC.
 */
export function createEventPublisher(options: {
  projectId: string;
  installation?: string | undefined;
  timeoutMs: number;
}): (event: PublishedEvent) => Promise<string> {
  const { projectId, installation, timeoutMs } = options;
  const clients = new Map<string, Promise<PubSub>>();
  return async ({ topic, project, data, attributes }) => {
    const owner = project ?? projectId;
    const client = clients.get(owner) ?? openClient(owner);
    clients.set(owner, client);
    const settings = {
      batching: { maxMessages: 1, maxMilliseconds: 0 },
      gaxOpts: { timeout: timeoutMs },
    };
    const name = topic ?? eventsTopic(installation);
    return (await client).topic(name, settings).publishMessage({ data: Buffer.from(data), attributes });
  };
}

async function openClient(projectId: string): Promise<PubSub> {
  const { PubSub } = await import('./pubsubSdk.ts');
  return new PubSub({ projectId, ...emulatorSettings('pubsub') });
}
