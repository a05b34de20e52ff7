// Senders that stop in the middle of a request, over real sockets: they cost little, and others are served.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveApi } from '../support/serveApi.ts';
import { SENDERS, startWebhookBench } from '../support/webhookBench.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const SENT = 9_000;

async function start(limits: object) {
  const api = await startWebhookBench({
    webhooks: { pagerduty: { secretEnv: 'HOOK' } },
    env: { HOOK: SECRET },
    bench: { limits },
  });
  return { ...api, ...(await serveApi(api)) };
}

/** A connection, and what it was answered so far. */
async function open(port: number, text: string): Promise<{ socket: Socket; answer(): string }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, answer: () => answer };
}

/** A webhook with the form of a proof, which never sends its last byte. */
const stalled = (length: number) =>
  [
    'POST /v1/webhooks/pagerduty HTTP/1.1',
    'Host: inquest.example',
    `X-PagerDuty-Signature: v1=${'0'.repeat(64)}`,
    `Content-Length: ${length}`,
    '',
    'x'.repeat(length - 1),
  ].join('\r\n');

it('bodies that never end hold no more bytes than configured, give way to others, and end after their time', async () => {
  const api = await start({ bodyBytes: 3.5 * SENT, bodyMs: 15_000 });
  const senders = await Promise.all(Array.from({ length: 8 }, () => open(api.port, stalled(SENT))));
  const answers = (status: number) =>
    senders.filter(({ answer }) => answer().startsWith(`HTTP/1.1 ${status}`)).length;
  await expect.poll(() => answers(503)).toBe(5);
  expect(senders.map(({ answer }) => answer()).find((text) => text !== '')).toMatch(
    /Retry-After: 5[\s\S]*API_BUSY/i,
  );
  const body = Buffer.from(JSON.stringify({ title: 'Disk full', description: 'x'.repeat(SENT) }));
  const sent = await fetch(`${api.url}/v1/webhooks/pagerduty`, {
    method: 'POST',
    body,
    headers: SENDERS.pagerduty.headers(body, SECRET),
  });
  expect(sent.status).toBe(202);
  expect(answers(503)).toBe(6);
  api.deps.clock.advance(15_000);
  await expect.poll(() => answers(408)).toBe(2);
  await Promise.all(senders.map(({ socket }) => socket.closed || once(socket, 'close')));
  expect(api.logged.join('')).not.toContain('a request failed');
});

it('headers that never end close their connection', async () => {
  const api = await startWebhookBench({ webhooks: {} });
  const { port } = await serveApi(api, { headersMs: 50, requestMs: 100, checkMs: 10 });
  const sender = await open(port, 'POST /v1/webhooks/pagerduty HTTP/1.1\r\nX-Slow: ');
  await once(sender.socket, 'close');
  expect(sender.answer()).toMatch(/^HTTP\/1.1 408 /);
});

it('a body that is too long is refused by its header, and one without a length when it is', async () => {
  const api = await start({});
  const head = stalled(2).split('\r\n').slice(0, 3).join('\r\n');
  const long = await open(api.port, `${head}\r\nContent-Length: 2000000\r\n\r\n`);
  await expect.poll(long.answer).toMatch(/^HTTP\/1.1 413 [\s\S]*REQUEST_TOO_LARGE/);
  const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
  const chunked = await open(api.port, `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`);
  await expect.poll(chunked.answer).toMatch(/^HTTP\/1.1 413 /);
});
