// What a publisher on Pub/Sub must do, whichever serves it.

import { randomUUID } from 'node:crypto';
import { type Message, PubSub } from '@google-cloud/pubsub';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Publisher, TOPICS } from '../../shared/core/contract/publisher.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';

/** @param start starts a Pub/Sub, or names one that runs. */
export function publisherConformance(
  name: string,
  start: () => Promise<{ host: string; stop(): Promise<void> }>,
): void {
  describe(`a publisher on ${name}`, () => {
    const projectId = `demo-${randomUUID().slice(0, 8)}`;
    let server: { host: string; stop(): Promise<void> };
    let pubsub: PubSub;
    let publisher: Publisher;
    const received: Message[] = [];
    const delivered = async (id: string): Promise<Message> => {
      await expect.poll(() => received.map((message) => message.id)).toContain(id);
      return received.find((message) => message.id === id) ?? expect.unreachable();
    };

    beforeAll(async () => {
      server = await start();
      vi.stubEnv('PUBSUB_EMULATOR_HOST', server.host);
      pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
      publisher = createPubsubPublisher({ projectId });
      const [topic] = await pubsub.createTopic(TOPICS.iterations);
      const [subscription] = await topic.createSubscription('reader');
      subscription.on('message', (message: Message) => {
        received.push(message);
        message.ack();
      });
    });
    afterAll(async () => {
      await publisher.close();
      await pubsub.subscription('reader').close();
      await pubsub.close();
      await server.stop();
      vi.unstubAllEnvs();
    });

    it('sends JSON with its attributes and gives the id of the message', async () => {
      publisher.warm();
      const data = { schemaVersion: 1, text: 'größe 😀', list: [[1]] };
      const id = await publisher.publish(TOPICS.iterations, data, { sessionId: 's' });
      const message = await delivered(id);
      expect(JSON.parse(message.data.toString())).toEqual(data);
      expect(message.attributes).toEqual({ sessionId: 's' });
    });

    it('sends bytes as they are', async () => {
      const id = await publisher.publish(TOPICS.iterations, Buffer.from([0xff, 0x00, 0x7b]), {});
      const message = await delivered(id);
      expect([...message.data]).toEqual([0xff, 0x00, 0x7b]);
    });

    it('fails with PUBLISH_FAILED and the cause when the topic does not exist', async () => {
      const failure: unknown = await publisher
        .publish(TOPICS.alerts, {}, {})
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RetryableError);
      expect(failure).toMatchObject({ code: 'PUBLISH_FAILED', cause: { code: 5 } });
    });
  });
}
