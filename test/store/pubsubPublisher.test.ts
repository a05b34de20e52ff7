import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PubSub } from '@google-cloud/pubsub';
import { Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createEventPublisher } from '../../shared/store/pubsub/eventPublisher.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { publisherConformance } from './publisherConformance.ts';

const SCRIPT = fileURLToPath(new URL('./useAndClose.ts', import.meta.url));
const projectId = `demo-${randomUUID().slice(0, 8)}`;

publisherConformance('Pub/Sub', async () => ({
  host: process.env.PUBSUB_EMULATOR_HOST ?? '',
  stop: async () => {},
}));

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

/** Pub/Sub that answers each publish with a status of gRPC; returns its address. */
async function refusingPubsub(code: number): Promise<string> {
  const server = new Server();
  const raw = { path: '/google.pubsub.v1.Publisher/Publish', requestStream: false, responseStream: false };
  const bytes = (value: Buffer) => value;
  const publish = {
    ...raw,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  server.addService(
    { publish },
    { publish: (_call: unknown, done: sendUnaryData<Buffer>) => done({ code, details: 'no' }) },
  );
  onTestFinished(() => server.forceShutdown());
  const port = await promisify(server.bindAsync.bind(server))(
    '127.0.0.1:0',
    ServerCredentials.createInsecure(),
  );
  return `127.0.0.1:${port}`;
}

it.each([
  [status.PERMISSION_DENIED, 'PUBLISH_DENIED', /roles\/pubsub\.publisher on the topic alerts/],
  [status.UNAUTHENTICATED, 'PUBLISH_UNAUTHENTICATED', /gcloud auth application-default login/],
])('a refusal of Pub/Sub with status %i names the right that is missing', async (code, error, message) => {
  vi.stubEnv('PUBSUB_EMULATOR_HOST', await refusingPubsub(code));
  onTestFinished(() => void vi.unstubAllEnvs());
  const publisher = createPubsubPublisher({ projectId });
  const refused = { code: error, message: expect.stringMatching(message) };
  await expect(publisher.publish(TOPICS.alerts, {}, {})).rejects.toMatchObject(refused);
  await publisher.close();
  const event = { topic: 'alerts', project: projectId, data: '{}', attributes: {} };
  await expect(createEventPublisher({ timeoutMs: 20_000 })(event)).rejects.toMatchObject(refused);
});

describe('a process that used the store and the publisher', () => {
  it('ends after close, and prints nothing about metadata servers', async () => {
    const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
    await pubsub.createTopic(TOPICS.iterations);
    await pubsub.close();
    // One that does not end is killed before the test's own limit, and shows what it wrote.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [SCRIPT, projectId], {
      timeout: 240_000,
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' });
  });
});
