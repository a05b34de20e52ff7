import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import type { WebhookSettings } from '../contract/destinationSettings.ts';
import { isPublicAddress } from '../text/publicAddress.ts';
import { createHttp, failedResult, publicHostFaults } from './http.ts';
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
  const seconds = Number((headers as Record<string, string>)['webhook-timestamp']);
  expect(Math.abs(seconds - Date.now() / 1_000)).toBeLessThan(3_600);
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
  [410, {}, 'no further messages', { outcome: 'refused', isLast: true }],
  [300, {}, 'redirects', { outcome: 'refused' }],
  [302, { location: 'http://127.0.0.1/other' }, 'redirects', { outcome: 'refused' }],
  [400, {}, 'must answer with 2xx', { outcome: 'retry', retryAfterMs: null }],
  [404, {}, 'must answer with 2xx', { outcome: 'retry', retryAfterMs: null }],
  [429, { 'retry-after': '7' }, 'must answer with 2xx', { outcome: 'retry', retryAfterMs: 7_000 }],
  [500, {}, 'must answer with 2xx', { outcome: 'unknown' }],
])('that is answered with %d (%j) names that it %s', async (status, headers, words, result) => {
  const { send, received } = await receiver(withStatus(status, headers as Record<string, string>));
  expect(await send()).toEqual({
    ...result,
    failure: { code: `http_${status}`, message: expect.stringContaining(words) },
  });
  expect(received).toHaveLength(1);
});

it.each([200, 299])('that is answered with %d is sent', async (status) => {
  const { send } = await receiver(withStatus(status));
  expect(await send()).toEqual({ outcome: 'sent', ref: null });
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

const NO_NETWORK = { resolve: () => Promise.resolve([]), isPublic: isPublicAddress };

it.each([
  ['no url', 'any', 'the address is not valid'],
  ['https://ana:pass@hooks.example', 'any', 'the address contains credentials'],
  ['https://ana@hooks.example', 'any', 'the address contains credentials'],
  ['https://:pass@hooks.example', 'any', 'the address contains credentials'],
  ['http://hooks.example', 'public', 'the address must use HTTPS'],
  ['ftp://hooks.example', 'any', 'the address must be one of HTTP'],
] as const)('the address %s (%s) is refused for ever: %s', async (url, reach, words) => {
  const http = createHttp(NO_NETWORK);
  expect(await http({ method: 'GET', url, timeoutMs: 1_000, reach })).toEqual({
    outcome: 'not_sent',
    failure: { code: 'address', message: `${words}; correct it in destinations.yaml` },
    canRetry: false,
  });
});

it.each([
  ['https://hooks.example', 'the host hooks.example has no address', true, 'dns'],
  ['https://[::1]', 'the host [::1] is at a private address', false, 'private_address'],
])('a request to %s is not sent: %s', async (url, words, canRetry, code) => {
  const http = createHttp(NO_NETWORK);
  expect(await http({ method: 'GET', url, timeoutMs: 1_000, reach: 'public' })).toEqual({
    outcome: 'not_sent',
    failure: { code, message: expect.stringContaining(words) },
    canRetry,
  });
});

it('the check of an address that is none is left to the request', async () => {
  expect(await publicHostFaults('no url', NO_NETWORK)).toEqual([]);
});

it('a request has the headers of its caller, and its answer those of the receiver', async () => {
  const { received, url } = await receiver((_, response) => {
    response.writeHead(200, { 'x-a': 'b', 'set-cookie': ['c', 'd'] }).end('fine');
  });
  const http = createHttp();
  const request = { url, timeoutMs: 20_000, reach: 'any' } as const;
  const headers = { authorization: 'a' };
  expect(await http({ ...request, method: 'PUT', headers, body: 'ä' })).toEqual({
    outcome: 'answered',
    status: 200,
    headers: expect.objectContaining({ 'x-a': 'b', 'set-cookie': 'c,d' }),
    text: 'fine',
  });
  await http({ ...request, method: 'DELETE' });
  expect(received).toMatchObject([
    { headers: { authorization: 'a', 'content-length': '2', 'user-agent': 'inquest' }, body: 'ä' },
    { headers: { 'accept-encoding': 'identity' }, body: '' },
  ]);
  expect(received[1]?.headers).not.toHaveProperty('content-length');
});

it.each([
  ['is late', () => {}, 300, 'timeout', 'no answer within 0.3 s'],
  [
    'is larger than 4 MB',
    (response: ServerResponse) => void response.end(Buffer.alloc(4_000_001)),
    20_000,
    'connection',
    'the connection failed (unknown error)',
  ],
])('an answer that %s is lost', async (_, answer, timeoutMs, code, words) => {
  const { url } = await receiver((_request, response) => answer(response));
  expect(await createHttp()({ method: 'GET', url, timeoutMs, reach: 'any' })).toEqual({
    outcome: 'lost',
    failure: { code, message: `127.0.0.1: ${words}` },
  });
});

it('an answer of 4 MB is read', async () => {
  const { url } = await receiver((_, response) => void response.end(Buffer.alloc(4_000_000, 'a')));
  const answer = await createHttp()({ method: 'GET', url, timeoutMs: 20_000, reach: 'any' });
  expect(answer.outcome === 'answered' && answer.text.length).toBe(4_000_000);
});

it('a request that found no receiver was not sent, and can be', async () => {
  const http = createHttp();
  expect(await http({ method: 'GET', url: 'http://127.0.0.1:1/', timeoutMs: 20_000, reach: 'any' })).toEqual({
    outcome: 'not_sent',
    failure: { code: 'connection', message: '127.0.0.1: the connection failed (ECONNREFUSED)' },
    canRetry: true,
  });
});

it.each([
  [400, {}, { outcome: 'refused' }],
  [499, { 'retry-after': '7' }, { outcome: 'refused' }],
  [408, {}, { outcome: 'retry', retryAfterMs: null }],
  [429, {}, { outcome: 'retry', retryAfterMs: null }],
  [429, { 'retry-after': '' }, { outcome: 'retry', retryAfterMs: null }],
  [429, { 'retry-after': 'soon' }, { outcome: 'retry', retryAfterMs: null }],
  [429, { 'retry-after': ' 7 ' }, { outcome: 'retry', retryAfterMs: 7_000 }],
  [503, { 'retry-after': '0' }, { outcome: 'retry', retryAfterMs: 0 }],
  [503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, { outcome: 'retry', retryAfterMs: 0 }],
  [503, {}, { outcome: 'unknown' }],
  [500, { 'retry-after': '7' }, { outcome: 'unknown' }],
])('the status %d with %j is %j', (status, headers: Record<string, string>, result) => {
  expect(failedResult({ outcome: 'answered', status, headers, text: '' }, 'Correct it.')).toEqual({
    ...result,
    failure: { code: `http_${status}`, message: `It answered with status ${status}. Correct it.` },
  });
});

it('a date to wait for counts from now', () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString();
  const result = failedResult(
    { outcome: 'answered', status: 429, headers: { 'retry-after': at }, text: '' },
    '',
  );
  const seconds = result.outcome === 'retry' && Math.round((result.retryAfterMs ?? 0) / 1_000);
  expect(seconds).toBeGreaterThan(1_800);
  expect(seconds).toBeLessThanOrEqual(3_600);
});

const FAILURE = { code: 'timeout', message: 'No answer.' };
it.each([
  [{ outcome: 'lost' }, { outcome: 'unknown' }],
  [
    { outcome: 'not_sent', canRetry: true },
    { outcome: 'retry', retryAfterMs: null },
  ],
  [{ outcome: 'not_sent', canRetry: false }, { outcome: 'refused' }],
] as const)('a request that was %j is %j', (given, result) => {
  expect(failedResult({ ...given, failure: FAILURE }, '')).toEqual({ ...result, failure: FAILURE });
});
