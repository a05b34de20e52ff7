import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import type { WebhookSettings } from '../contract/destinationSettings.ts';
import { isPublicAddress } from '../text/publicAddress.ts';
import { createHttp, publicHostFaults } from './http.ts';
import { sampleMessage } from './samples.fixture.ts';
import { createWebhook } from './webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

const OUTGOING = sampleMessage('ended');

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A receiver that answers with this status, and the destination that sends to it. */
async function receiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  settings: Partial<WebhookSettings> = {},
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const create = createWebhook({ http: createHttp() });
  const destination = await create({ url, secrets: [SECRET], private: true, ...settings }, 'hook');
  const send = (outgoing = OUTGOING) => destination.send(outgoing);
  return { received, send, destination, url };
}

const withStatus =
  (status: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end();

it('is signed, so that receivers verify it with the secret, and names the message in its id', async () => {
  const { received, send } = await receiver(withStatus(204));
  expect(await send()).toEqual({ outcome: 'sent', ref: null });
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({
    type: 'inquest.session.ended',
    timestamp: OUTGOING.occurredAt.toISOString(),
  });
  expect(() => new Webhook(NEW_SECRET).verify(body, headers)).toThrow();
  // A dot could move the border between id and time.
  const id = '01hsession~oncall:ended:0';
  expect(headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
});

it('is verified by the old and the new secret during a rotation', async () => {
  const { received, send } = await receiver(withStatus(200), { secrets: [NEW_SECRET, SECRET] });
  await send();
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  for (const secret of [SECRET, NEW_SECRET])
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
});

it('holds ids, status and link, and the message only where the settings want it', async () => {
  const thin = await receiver(withStatus(200));
  await thin.send();
  expect(thin.received[0]?.body).not.toContain('checkout');
  expect(JSON.parse(thin.received[0]?.body ?? '').data).toMatchObject({
    session: { sessionId: '01hsession' },
    status: 'completed',
    link: OUTGOING.message.link,
  });
  const full = await receiver(withStatus(200), { payload: 'full' });
  await full.send();
  expect(full.received[0]?.body).toContain('The pod was killed 14 times');
  // Receivers refuse larger bodies.
  const sections = [{ title: 'Log', text: 'x'.repeat(250_000), isCode: false }];
  await full.send({ ...OUTGOING, message: { ...OUTGOING.message, sections } });
  expect(JSON.parse(full.received[1]?.body ?? '').data).not.toHaveProperty('message');
});

it('is tried for a day, each time for at most 20 s', async () => {
  const { destination } = await receiver(withStatus(200));
  const hours = (destination.retryDelaysMs ?? []).reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  expect([Math.round(hours), destination.timeoutMs]).toEqual([24, 20_000]);
});

it('goes to the address that was checked, also when the name leads elsewhere later, for at most 20 s', async () => {
  const { received, url } = await receiver(withStatus(200));
  // No resolver of this machine knows the name.
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const http = createHttp({ resolve, isPublic: isPublicAddress });
  const limits: number[] = [];
  const create = createWebhook({
    http: (request) => {
      limits.push(request.timeoutMs);
      return http(request);
    },
  });
  const named = { url: url.replace('127.0.0.1', 'hooks.invalid'), secrets: [SECRET], private: true };
  expect(await (await create(named, 'hook')).send(OUTGOING)).toMatchObject({ outcome: 'sent' });
  expect([limits, received.length]).toEqual([[20_000], 1]);
});

it.each([
  [410, {}, 'refused', 'http_410'],
  [302, { location: 'http://127.0.0.1/other' }, 'refused', 'http_302'],
  [404, {}, 'retry', 'http_404'],
  [429, { 'retry-after': '7' }, 'retry', 'http_429'],
  [500, {}, 'unknown', 'http_500'],
])('that is answered with %d is %s: %s', async (status, headers, outcome, code) => {
  const { send, received } = await receiver(withStatus(status, headers as Record<string, string>));
  expect(await send()).toMatchObject({ outcome, failure: { code } });
  expect(received).toHaveLength(1);
});

it('whose answer is lost is in doubt, and sent again by its id', async () => {
  const { send } = await receiver((_, response) => void response.destroy());
  expect(await send()).toMatchObject({ outcome: 'unknown', failure: { code: 'connection' } });
});

it('is not sent to a private address unless the settings allow it', async () => {
  const { received, send } = await receiver(withStatus(200), { private: false });
  expect(await send()).toMatchObject({ outcome: 'refused', failure: { code: 'address' } });
  const create = createWebhook({ http: createHttp() });
  const destination = await create({ url: 'https://127.0.0.1/hook', secrets: [SECRET] }, 'hook');
  expect(await destination.send(OUTGOING)).toMatchObject({
    outcome: 'refused',
    failure: { code: 'private_address' },
  });
  // Known before the first message, also for a name.
  expect(await destination.check?.()).toMatchObject([{ code: 'private_address' }]);
  const intended = { url: 'https://127.0.0.1/hook', secrets: [SECRET], private: true };
  expect(await (await create(intended, 'hook')).check?.()).toEqual([]);
  const at = (...found: string[]) => ({
    resolve: () => Promise.resolve(found.map((address) => ({ address, family: 4 }))),
    isPublic: isPublicAddress,
  });
  const codes = async (...found: string[]) =>
    (await publicHostFaults('https://hooks.example', at(...found))).map(({ code }) => code);
  expect([await codes('8.8.8.8', '10.0.0.1'), await codes(), await codes('8.8.8.8')]).toEqual([
    ['private_address'],
    ['dns'],
    [],
  ]);
  expect(received).toEqual([]);
});

it.each([
  ['ENOTFOUND', 'ENOTFOUND'],
  [undefined, 'unknown error'],
  ['Bearer k7Tq', 'unknown error'],
])('a failure with the code %s shows only codes of the system: %s', async (code, shown) => {
  const resolve = () => Promise.reject(Object.assign(new Error('said by a host'), { code }));
  const http = createHttp({ resolve, isPublic: isPublicAddress });
  expect(
    await http({ method: 'POST', url: 'https://hooks.example', timeoutMs: 1_000, reach: 'any' }),
  ).toEqual({
    outcome: 'not_sent',
    failure: { code: 'dns', message: `the host hooks.example was not found (${shown})` },
    canRetry: true,
  });
});
