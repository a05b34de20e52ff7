// The API's limits per caller, address and total: streams, unproven requests, unknown keys.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cloudAccess } from '../../shared/api/access/cloudAccess.ts';
import type { ApiLimits } from '../../shared/api/limits/apiLimits.ts';
import { createDocument, deleteDocument } from '../../shared/core/contract/store.ts';
import { createApiKey, revokeApiKey } from '../../shared/kits/access/createApiKey.ts';
import { apiKeyType, paths } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { serveApi } from '../support/serveApi.ts';
import { signKey, verifyKey } from '../support/signatures.ts';
import { SENDERS, startWebhookBench } from '../support/webhookBench.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** A deployed API: keys let in, nothing else does. */
async function startDeployed(limits: Partial<ApiLimits> = {}) {
  const reads: string[] = [];
  const api = await startApiBench({
    script,
    inMemory: true,
    limits,
    access: (_, { store, clock, log }) => {
      const counting = Object.assign(Object.create(store) as typeof store, {
        get: (...args: Parameters<typeof store.get>) => {
          reads.push(args[0]);
          return store.get(...args);
        },
      });
      return cloudAccess({
        log,
        verifyKey,
        memberOf: () => undefined,
        requestsPerMinute: 10_000,
        store: counting,
        clock,
      });
    },
  });
  const { store, clock } = api.deps;
  const newKey = ({ lifetimeMs = 3_600_000 } = {}) =>
    createApiKey(
      { name: 'bot', tenantId: 'default', role: 'viewer', createdBy: 'ada', lifetimeMs },
      { store, clock, sign: signKey },
    );
  const ask = (key: string, address = '203.0.113.7', path = '/v1/me') =>
    api.ask(path, { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address } });
  return { ...api, reads, newKey, ask };
}

const idOf = () => randomBytes(6).toString('hex');
const unknownKey = (id = idOf()) => `inq_${id}_${randomBytes(32).toString('base64url')}`;

describe('open streams', () => {
  const headers = (user: string) => ({ headers: { 'x-user-id': user } });

  it('are limited for each caller and for all of them, and closing one makes room', async () => {
    const limits = { streamsPerCaller: 2, streamsPerInstance: 3 };
    const api = await startApiBench({ script, inMemory: true, limits });
    const open = (user: string) => api.fetch('/v1/sessions/events', headers(user));
    const ada = [await open('ada'), await open('ada')];
    const refused = await open('ada');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await refused.json()).toMatchObject({
      code: 'RATE_LIMITED',
      detail: expect.stringContaining('streamsPerCaller'),
    });
    expect((await api.fetch('/v1/sessions', headers('ada'))).status).toBe(200);
    const bob = await open('bob');
    expect(bob.status).toBe(200);
    const full = await open('carl');
    expect([full.status, await full.text()]).toEqual([429, expect.stringContaining('streamsPerInstance')]);
    await ada[0]?.body?.cancel();
    const again = await open('ada');
    expect(again.status).toBe(200);
    expect((await open('ada')).status).toBe(429);
    for (const stream of [ada[1], bob, again]) await stream?.body?.cancel();
  });

  it('are 20 for a caller, and readers of sessions, models and tools share them', async () => {
    const api = await startApiBench({ script, chat: {}, inMemory: true });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const open = (path: string) => api.fetch(path, headers('ada'));
    const streams = [await open(`/v1/sessions/${sessionId}/events`)];
    while (streams.length < 20) streams.push(await open('/v1/sessions/events'));
    const chat = { model: 'inquest', messages: [{ role: 'user', content: 'Why?' }], stream: true };
    const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const before = api.deps.publisher.published.length;
    for (const [path, body] of [
      ['/v1/chat/completions', chat],
      ['/mcp', tools],
      ['/v1/sessions/events', undefined],
    ] as const)
      expect((await api.fetch(path, { ...headers('ada'), body })).status).toBe(429);
    expect(api.deps.publisher.published).toHaveLength(before);
    for (const { status, body } of streams) {
      expect(status).toBe(200);
      await body?.cancel();
    }
  });

  it('give their place back whichever way they end: at once, with an error, or with a lost connection', async () => {
    const limits = { streamsPerCaller: 1 };
    const api = await startApiBench({ script, inMemory: true, limits });
    const { url } = await serveApi(api);
    for (let count = 0; count < 3; count++) {
      expect((await api.ask('/v1/sessions/nosuch/events')).status).toBe(404);
      const tools = await api.ask('/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
        headers: { accept: 'application/json, text/event-stream' },
      });
      expect(tools.status).toBe(200);
    }
    for (let count = 0; count < 3; count++) {
      const left = new AbortController();
      const open = () => fetch(`${url}/v1/sessions/events`, { signal: left.signal });
      await expect.poll(async () => (await open()).status).toBe(200);
      left.abort();
    }
  });
});

describe('requests that prove no caller', () => {
  const wrong = { authorization: 'Bearer wrong' };
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('are limited by address, which the client cannot choose, and callers elsewhere are not', async () => {
    const api = await startDeployed({ unauthenticatedPerMinute: 3 });
    const { text } = await api.newKey();
    const ask = (address: string) => api.ask('wrong', address);
    const statuses = [];
    for (const left of ['1.1.1.1', '2.2.2.2', '', '3.3.3.3, 4.4.4.4'])
      statuses.push((await ask(`${left}, 198.51.100.1`)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    const refused = await ask('198.51.100.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('198.51.100.2')).status).toBe(401);
    for (let count = 0; count < 10; count++) expect((await api.ask(text, '198.51.100.3')).status).toBe(200);
  });

  it('are limited for all addresses together, but for those of which a caller came before', async () => {
    const api = await startDeployed({ unauthenticatedPerMinute: 2 });
    const { text } = await api.newKey();
    expect((await api.ask(text, '198.51.100.200')).status).toBe(200);
    const statuses = [];
    for (let count = 0; count < 25; count++)
      statuses.push((await api.ask('wrong', `198.51.100.${count}`)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    expect((await api.ask(text, '198.51.100.200')).status).toBe(200);
  });

  it('close an address to credentials that are not known, and to none that was valid within the last hour', async () => {
    const api = await startDeployed({ unauthenticatedPerMinute: 3 });
    const [known, other] = [await api.newKey(), await api.newKey()];
    expect((await api.ask(known.text)).status).toBe(200);
    const flood = async () => {
      for (let count = 0; count < 5; count++) await api.ask(`wrong${count}`);
    };
    await flood();
    expect((await api.ask(known.text)).status).toBe(200);
    expect((await api.ask(other.text)).status).toBe(429);
    expect((await api.ask(unknownKey(known.key.keyId))).status).toBe(429);
    await revokeApiKey(known.key.keyId, 'ada', api.deps);
    expect((await api.ask(known.text)).status).toBe(401);
    expect((await api.ask(known.text)).status).toBe(429);
  });

  it('close an address to no key for an hour after its last use', async () => {
    const api = await startDeployed({ unauthenticatedPerMinute: 1 });
    const { text } = await api.newKey({ lifetimeMs: 24 * 3_600_000 });
    expect((await api.ask(text)).status).toBe(200);
    await api.ask('wrong');
    for (const [minutes, status] of [
      [59, 200],
      [59, 200],
      [61, 429],
    ] as const) {
      api.deps.clock.advance(minutes * 60_000);
      expect((await api.ask(text)).status).toBe(status);
    }
  });

  it.each(['webhooks', 'requests'])(
    'of a tunnel never close page and command line of its machine: %s',
    async (kind) => {
      const api = await startWebhookBench({
        webhooks: { pagerduty: { secretEnv: 'HOOK' } },
        env: { HOOK: SECRET },
        bench: { limits: { unauthenticatedPerMinute: 3 } },
      });
      const { body, headers } = SENDERS.pagerduty;
      const send = (secret: string) => api.post('pagerduty', body, headers(body, secret));
      const strange = { headers: { host: 'tunnel.example' } };
      const refused = () => (kind === 'webhooks' ? send('wrong') : api.ask('/v1/me', strange));
      const statuses = [];
      for (let count = 0; count < 5; count++) statuses.push((await refused()).status);
      expect(statuses.slice(3)).toEqual([429, 429]);
      expect((await api.ask('/v1/me')).status).toBe(200);
      expect((await send(SECRET)).status).toBe(kind === 'webhooks' ? 429 : 202);
    },
  );

  it.each(['/health', '/healthz'])('are answered at %s without a count, a login or a read', async (path) => {
    const api = await startDeployed({ unauthenticatedPerMinute: 1 });
    const key = unknownKey();
    for (const headers of [{}, { authorization: `Bearer ${key}` }, { 'x-tenant-id': 'acme' }]) {
      const response = await api.fetch(path, { headers: { ...headers, ...from('198.51.100.1') } });
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect(api.reads).toEqual([]);
    // The first request that counts: no request above did.
    expect((await api.ask(key, '198.51.100.1')).status).toBe(401);
    expect((await api.ask('wrong', '198.51.100.1', path)).status).toBe(200);
    const { text } = await api.newKey();
    const below = await api.ask(text, '198.51.100.2', `${path}/more`);
    expect(below).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const authorization = `Bearer ${text}`;
    const wrongMethod = await api.fetch(path, { method: 'POST', body: {}, headers: { authorization } });
    expect([wrongMethod.status, await wrongMethod.json()]).toEqual([
      405,
      expect.objectContaining({ code: 'METHOD_NOT_ALLOWED', detail: expect.stringContaining('only GET') }),
    ]);
  });

  it('are refused before their body is read, on every route', async () => {
    const api = await startWebhookBench({
      webhooks: { pagerduty: { secretEnv: 'HOOK' } },
      env: { HOOK: SECRET },
      bench: { limits: { unauthenticatedPerMinute: 1 } },
    });
    const { body, headers } = SENDERS.pagerduty;
    const send = () => api.post('pagerduty', body, { ...from('192.0.2.1'), ...headers(body, 'wrong') });
    expect((await send()).status).toBe(401);
    const strange = { ...from('192.0.2.1'), host: 'inquest.example' };
    expect((await api.ask('/v1/me', { headers: strange })).status).toBe(403);
    for (const path of ['/v1/webhooks/pagerduty', '/v1/alerts', '/v1/nosuch']) {
      let isRead = false;
      const pull = () => {
        isRead = true;
      };
      const request = new Request(`http://inquest.example${path}`, {
        method: 'POST',
        body: new ReadableStream({ pull }, { highWaterMark: 0 }),
        duplex: 'half',
        headers: { ...from('192.0.2.1'), ...headers(body, SECRET), ...wrong },
      } as RequestInit);
      expect((await api.app.request(request)).status, path).toBe(429);
      expect(isRead, path).toBe(false);
    }
  });

  it('do not count against webhooks that prove their source, of which an address can send as many as configured', async () => {
    const api = await startWebhookBench({
      webhooks: { generic: { secretEnv: 'HOOK' } },
      env: { HOOK: SECRET },
      bench: { limits: { unauthenticatedPerMinute: 2, webhooksPerMinute: 5 } },
    });
    const { headers } = SENDERS.generic;
    const statuses = [];
    for (let count = 0; count < 6; count++) {
      const body = Buffer.from(JSON.stringify({ title: `Disk ${count}` }));
      statuses.push(
        (await api.post('generic', body, { ...from('192.0.2.1'), ...headers(body, SECRET) })).status,
      );
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});

describe('a well-formed key that is unknown', () => {
  it('is looked up once in ten seconds, and a new key is valid at once', async () => {
    const api = await startDeployed();
    const key = unknownKey();
    for (let count = 0; count < 50; count++) expect((await api.ask(key)).status).toBe(401);
    expect(api.reads).toHaveLength(1);
    const { text, key: made } = await api.newKey();
    expect((await api.ask(text)).status).toBe(200);
    // A text that was refused is looked up again after its time: its document can be there by then.
    const { store, clock } = api.deps;
    const path = paths.apiKey(made.keyId);
    await store.commit([deleteDocument(path, apiKeyType)]);
    expect((await api.ask(text)).status).toBe(401);
    await store.commit([createDocument(path, apiKeyType, made)]);
    expect((await api.ask(text)).status).toBe(401);
    clock.advance(10_000);
    expect((await api.ask(text)).status).toBe(200);
  });

  it('costs few lookups with other secrets and ids, from one address and from many', async () => {
    const api = await startDeployed({ unauthenticatedPerMinute: 10_000 });
    const id = idOf();
    const { text } = await api.newKey();
    expect((await api.ask(text)).status).toBe(200);
    const attempts = [
      // One address, many ids.
      (_: number) => api.ask(unknownKey(), '192.0.2.1'),
      // Many addresses, one id.
      (count: number) => api.ask(unknownKey(id), `198.51.100.${count}`),
    ];
    for (const attempt of attempts) {
      api.reads.length = 0;
      const statuses = await Promise.all(
        Array.from({ length: 100 }, (_, count) => attempt(count).then(({ status }) => status)),
      );
      expect(api.reads).toHaveLength(60);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    }
    // A key that was valid before is let in from the same address all the same, until it is revoked.
    expect((await api.ask(text, '192.0.2.1')).status).toBe(200);
    await revokeApiKey(text.slice(4, 16), 'ada', api.deps);
    expect((await api.ask(text, '192.0.2.1')).status).toBe(401);
  });

  it('is refused like a known one with another secret: the same answers, the same lookups', async () => {
    const api = await startDeployed();
    const { key } = await api.newKey();
    const seen = [];
    for (const id of [key.keyId, idOf()]) {
      api.reads.length = 0;
      const [first, second] = [unknownKey(id), unknownKey(id)];
      const bodies = [];
      for (const text of [first, first, second, first]) bodies.push((await api.ask(text)).body);
      seen.push({ bodies, reads: api.reads.length });
    }
    expect(seen[0]).toEqual(seen[1]);
  });
});
