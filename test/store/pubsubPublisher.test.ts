import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Message, PubSub } from '@google-cloud/pubsub';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TOPICS } from '../../shared/contract/publisher.ts';
import { RetryableError } from '../../shared/errors.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';

const SCRIPT = fileURLToPath(new URL('./useAndClose.ts', import.meta.url));
const projectId = `demo-${randomUUID().slice(0, 8)}`;

describe('Pub/Sub as a publisher', () => {
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  const publisher = createPubsubPublisher({ projectId });
  const received: Message[] = [];
  const delivered = async (id: string): Promise<Message> => {
    await expect.poll(() => received.map((message) => message.id)).toContain(id);
    return received.find((message) => message.id === id) ?? expect.unreachable();
  };

  beforeAll(async () => {
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
    const failure: unknown = await publisher.publish(TOPICS.alerts, {}, {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RetryableError);
    expect(failure).toMatchObject({ code: 'PUBLISH_FAILED', cause: { code: 5 } });
  });
});

describe('Pub/Sub that does not answer', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('fails within the time limit with PUBLISH_FAILED', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    vi.stubEnv('PUBSUB_EMULATOR_HOST', `127.0.0.1:${address.port}`);
    const publisher = createPubsubPublisher({ projectId, timeoutMs: 300 });
    await expect(publisher.publish(TOPICS.alerts, {}, {})).rejects.toMatchObject({ code: 'PUBLISH_FAILED' });
    await publisher.close();
    silent.close();
  });
});

describe('a process that used the store and the publisher', () => {
  it('ends by itself after close, and says nothing about metadata servers', async () => {
    // One that does not end is killed before the test's own limit, and shows what it wrote.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [SCRIPT, projectId], {
      timeout: 240_000,
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' });
  });
});
