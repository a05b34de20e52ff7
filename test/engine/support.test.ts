// The example with an approval, on Firestore and Pub/Sub of the local cloud, through the functions-framework.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { expect, it, onTestFinished } from 'vitest';
import { generateDecisionKeys } from '../../shared/kits/access/signatures.ts';

it('refunds once, after a person approved it', async () => {
  process.env.APPROVAL_KEY = generateDecisionKeys().privateKey;
  const { agents, support } = await import('../../examples/engine/support/support.ts');
  await import('../../examples/engine/support/function.ts');
  const server = getTestServer('work').listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    delete process.env.APPROVAL_KEY;
    server.close();
    await agents.close();
  });
  const project = `http://${process.env.PUBSUB_EMULATOR_HOST}/v1/projects/${process.env.GOOGLE_CLOUD_PROJECT}`;
  const put = async (path: string, body: object) => {
    const response = await fetch(`${project}/${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([200, 409]).toContain(response.status);
  };
  const [topic = ''] = agents.manifest.topics;
  await put(`topics/${topic}`, {});
  await put('subscriptions/engine-support', {
    topic: `projects/${process.env.GOOGLE_CLOUD_PROJECT}/topics/${topic}`,
    ackDeadlineSeconds: 60,
    pushConfig: { pushEndpoint: `http://127.0.0.1:${port}/work` },
  });

  const { id } = await agents.start(support, { input: 'Order 17 came broken.' }, { tenant: 'acme' });
  const contents: string[] = [];
  for await (const event of agents.events(id)) {
    contents.push(event.content);
    if (event.eventType !== 'notice' || event.metadata.code !== 'approval_requested') continue;
    const approve = String(event.metadata.approvalId);
    expect(await agents.signal(id, { approve, by: 'ann@example.com' })).toEqual({ kind: 'decided' });
  }
  expect(contents.filter((content) => content.includes('receipt'))).toEqual([
    `{"refunded":1500,"order":"17","receipt":"${id}/01-support/1/0"}`,
  ]);
  expect(await agents.result(id)).toMatchObject({ status: 'completed', text: 'Order 17 is refunded.' });
});
