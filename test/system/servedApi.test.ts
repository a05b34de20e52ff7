// Requests to the API as it is served: what was signed is what is verified and published, byte for byte, and
// what is no JSON is answered by the API.

import { createHmac, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { startFunctions } from '../../local/functions/functionsServer.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { ownConfig } from '../support/ownConfig.ts';

const SECRET = 'walrus-umbrella-quince-77';

it('a webhook is verified and published as it was sent, and its secret stands nowhere', async () => {
  const folder = ownConfig({});
  writeFileSync(join(folder, 'webhooks.yaml'), 'pagerduty: { secretEnv: OPS_HOOK }\n');
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const pubsub = new PubSub({ projectId });
  const [topic] = await pubsub.createTopic('alerts');
  const [subscription] = await topic.createSubscription('test');
  const received: { data: Buffer; attributes: object }[] = [];
  subscription.on('message', (message) => {
    received.push({ data: message.data, attributes: message.attributes });
    message.ack();
  });
  const [port = 0] = await freePorts(1);
  const lines: string[] = [];
  const source = fileURLToPath(new URL('../../functions/api.ts', import.meta.url));
  const running = await startFunctions({
    functions: [{ name: 'api', source, port }],
    env: { ...process.env, GOOGLE_CLOUD_PROJECT: projectId, INQUEST_CONFIG: folder, OPS_HOOK: SECRET },
    onLine: (_, line) => void lines.push(line),
  });
  onTestFinished(async () => {
    await running.stop();
    await subscription.close();
    await pubsub.close();
  });

  const body = Buffer.from(
    `{ "event" : {"id":"1", "event_type":"incident.triggered",\n"data":{"id":"Q1","type":"incident","title":"caf\\u00e9 é 😀 ${SECRET}","status":"triggered"}} }`,
  );
  const post = (content: Buffer, signature: string) =>
    fetch(`http://127.0.0.1:${port}/v1/webhooks/pagerduty`, {
      method: 'POST',
      body: content,
      headers: { 'content-type': 'application/json', 'x-pagerduty-signature': `v1=${signature}` },
    });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const answer = await post(body, signature);
  const answered = await answer.text();
  expect({ status: answer.status, answered }).toMatchObject({ status: 202 });
  expect(answered).toContain('café é 😀');
  expect(answered).not.toContain(SECRET);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]?.data.equals(body)).toBe(true);
  expect((await post(Buffer.from(`${body} `), signature)).status).toBe(401);
  for (const [path, text] of [
    ['alerts', ''],
    ['chats', '{"text":'],
  ]) {
    const broken = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: 'POST',
      body: text ?? '',
      headers: { 'content-type': 'application/json' },
    });
    expect(broken.headers.get('content-type')).toBe('application/problem+json');
    expect(await broken.json()).toMatchObject({ status: 400 });
  }
  expect(lines.join('\n')).not.toContain(SECRET);
});
