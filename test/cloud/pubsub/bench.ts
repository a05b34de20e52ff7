// A project of its own in a cloud, with clients and an endpoint for pushes.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PubSub, v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import type { Cloud } from './clouds.ts';

/** The body of a push request. */
interface PushBody {
  message: {
    messageId: string;
    data?: string;
    attributes?: Record<string, string>;
    orderingKey?: string;
    publishTime: string;
  };
  subscription: string;
  deliveryAttempt?: number;
}

interface Push {
  path: string;
  headers: IncomingHttpHeaders;
  body: PushBody;
  /** The data, as text. */
  text: string;
}

/** What an endpoint does: answer with a status code, or whatever it does with the response. */
export type Answer = (push: Push, response: ServerResponse) => number | undefined;

/** An HTTP server that notes what is pushed to it. */
export async function startEndpoint(answer: Answer) {
  const pushes: Push[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: PushBody = JSON.parse(Buffer.concat(chunks).toString());
      const text = Buffer.from(body.message.data ?? '', 'base64').toString();
      const push = { path: request.url ?? '', headers: request.headers, body, text };
      pushes.push(push);
      const status = answer(push, response);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushes,
    /** How often a message with this text was pushed. */
    count: (text: string) => pushes.filter((push) => push.text === text).length,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Errors come as they are, without the client's retries. */
export const ONCE = { retry: null, timeout: 240_000 };

export type Bench = ReturnType<typeof openBench>;

/** Clients for a project; a new one when none is named. */
export function openBench({ host }: Pick<Cloud, 'host'>, projectId = `demo-${randomUUID().slice(0, 8)}`) {
  const [servicePath = '', port] = host.split(':');
  const options = {
    projectId,
    servicePath,
    port: Number(port),
    sslCreds: credentials.createInsecure(),
    universeDomain: 'googleapis.com',
  };
  const publisher = new v1.PublisherClient(options);
  const subscriber = new v1.SubscriberClient(options);
  const pubsub = new PubSub({
    projectId,
    apiEndpoint: host,
    emulatorMode: true,
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  const topic = (id: string) => `projects/${projectId}/topics/${id}`;
  const subscription = (id: string) => `projects/${projectId}/subscriptions/${id}`;
  const endpoints: { stop(): void }[] = [];

  return {
    projectId,
    publisher,
    subscriber,
    pubsub,
    topic,
    subscription,
    createTopic: (id: string) => publisher.createTopic({ name: topic(id) }, ONCE),
    /** A subscription of the same id as its topic, unless another is given. */
    async subscribe(id: string, settings: object = {}, name = id): Promise<void> {
      await subscriber.createSubscription({ name: subscription(name), topic: topic(id), ...settings }, ONCE);
    },
    /** Publishes texts, or messages; returns their ids. */
    async publish(id: string, ...messages: (string | object)[]): Promise<string[]> {
      const sent = messages.map((message) =>
        typeof message === 'string' ? { data: Buffer.from(message) } : message,
      );
      const [{ messageIds }] = await publisher.publish({ topic: topic(id), messages: sent }, ONCE);
      return messageIds ?? [];
    },
    /** What can be pulled now. */
    async pull(id: string, maxMessages = 100) {
      const request = { subscription: subscription(id), maxMessages, returnImmediately: true };
      const [{ receivedMessages }] = await subscriber.pull(request, ONCE);
      return (receivedMessages ?? []).map(({ ackId, message, deliveryAttempt }) => ({
        ackId: ackId ?? '',
        text: String(message?.data ?? ''),
        attributes: message?.attributes ?? {},
        deliveryAttempt: deliveryAttempt ?? 0,
      }));
    },
    ack: (id: string, ...ackIds: string[]) =>
      subscriber.acknowledge({ subscription: subscription(id), ackIds }, ONCE),
    modify: (id: string, ackDeadlineSeconds: number, ...ackIds: string[]) =>
      subscriber.modifyAckDeadline({ subscription: subscription(id), ackIds, ackDeadlineSeconds }, ONCE),
    async endpoint(answer: Answer) {
      const endpoint = await startEndpoint(answer);
      endpoints.push(endpoint);
      return endpoint;
    },
    async close() {
      for (const endpoint of endpoints) endpoint.stop();
      await Promise.all([publisher.close(), subscriber.close(), pubsub.close()]);
    },
  };
}
