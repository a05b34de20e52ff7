// Who may ask the deployed API, and what: every route of its own description, for everybody there is.

import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cloudAccess } from '../../shared/api/access/cloudAccess.ts';
import { firebaseVerifier, iapVerifier } from '../../shared/api/access/googleTokens.ts';
import { accessFileSchema, findMember } from '../../shared/config/access.ts';
import { createApiKey, revokeApiKey } from '../../shared/kits/access/createApiKey.ts';
import { API_ROLES, type ApiRole } from '../../shared/schema/apiRole.ts';
import { startApiBench } from '../support/apiBench.ts';
import { signKey, verifyKey } from '../support/signatures.ts';

const HOUR_MS = 3_600_000;
const AUDIENCE = '/projects/1234/locations/europe-west1/services/api';
const PROJECT = 'my-project';
const FIREBASE_ISSUER = `https://securetoken.google.com/${PROJECT}`;
const IAP_ISSUER = 'https://cloud.google.com/iap';

interface Options {
  config?: object;
  inMemory?: boolean;
  keysUrl?: string;
}

/** An API that is deployed, as far as it knows. */
async function startDeployed({ config = {}, inMemory = true, keysUrl }: Options = {}) {
  const access = accessFileSchema.parse(config);
  const api = await startApiBench({
    inMemory,
    chat: {},
    script: { conversations: [{ turns: [{ text: 'The disk is full of logs.' }] }] },
    access: (_, { store, clock, log }) =>
      cloudAccess({
        memberOf: (person) => findMember(access, person),
        requestsPerMinute: access.requestsPerMinute,
        store,
        clock,
        log,
        verifyKey,
        iap:
          access.iap?.audience === undefined
            ? undefined
            : iapVerifier(
                access.iap.audience,
                keysUrl,
                access.iap.project === undefined
                  ? undefined
                  : { project: access.iap.project, tenants: access.iap.identityTenants },
                clock.now,
              ),
        firebase: access.firebase && firebaseVerifier(access.firebase.project, keysUrl, clock.now),
      }),
  });
  const { store, clock } = api.deps;
  const keyOf = (role: ApiRole, tenantId = 'default', lifetimeMs = HOUR_MS) =>
    createApiKey(
      { name: `${role}-bot`, tenantId, role, createdBy: 'anna', lifetimeMs },
      { store, clock, sign: signKey },
    );
  const ask = (path: string, key: string | undefined, more: { method?: string; body?: unknown } = {}) =>
    api.fetch(path, { ...more, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
  return { ...api, keyOf, ask };
}

/** The code of a request's problem; undefined when it passes and starts a stream. */
async function codeOf(response: Response): Promise<string | undefined> {
  if (/event-stream/.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    return undefined;
  }
  const text = await response.text();
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  const { code, error } = body as { code?: string; error?: { code?: string } };
  return code ?? error?.code;
}

/** All operations that the API's own description names. */
async function operationsOf(api: Awaited<ReturnType<typeof startDeployed>>) {
  const { text } = await api.keyOf('viewer');
  const document = (await (await api.ask('/v1/openapi.json', text)).json()) as {
    paths: Record<
      string,
      Record<string, { operationId: string; 'x-role'?: ApiRole; 'x-operators'?: boolean }>
    >;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      // Webhooks are let in by what their source proves: test/features/webhooks/webhooks.test.ts.
      const { 'x-role': role } = operation;
      if (role === undefined) return [];
      const address = path.replaceAll(/\{\w+\}/g, 'nosuch');
      const isForOperators = operation['x-operators'] === true;
      return { address, method: method.toUpperCase(), name: operation.operationId, role, isForOperators };
    }),
  );
}

describe('every route that the description names', () => {
  const request = (method: string) => (method === 'GET' ? {} : { method, body: {} });

  it('admits each permitted role, and no other', async () => {
    const api = await startDeployed();
    const operations = await operationsOf(api);
    expect(operations.length).toBeGreaterThan(25);
    for (const role of API_ROLES) {
      const { text } = await api.keyOf(role);
      for (const { address, method, name, role: needed } of operations) {
        const code = await codeOf(await api.ask(address, text, request(method)));
        const may = API_ROLES.indexOf(role) >= API_ROLES.indexOf(needed);
        expect(code === 'ACCESS_DENIED', `${role}, ${name}: ${code}`).toBe(!may);
        expect(code, `${role}, ${name}`).not.toBe('LOGIN_REQUIRED');
      }
    }
  });

  it('admits no caller without a valid key', async () => {
    const api = await startDeployed();
    const [old, ended, right] = [
      await api.keyOf('admin', 'default', 1_000),
      await api.keyOf('admin'),
      await api.keyOf('admin'),
    ];
    await revokeApiKey(ended.key.keyId, 'anna', api.deps);
    const operations = await operationsOf(api);
    api.deps.clock.advance(2_000);
    const other = right.text.endsWith('A') ? 'B' : 'A';
    const wrong = [
      undefined,
      'nonsense',
      'inq_000000000000_'.padEnd(60, 'a'),
      `${right.text.slice(0, -1)}${other}`,
      old.text,
      ended.text,
    ];
    for (const key of wrong) {
      for (const { address, method, name } of operations) {
        const response = await api.ask(address, key, request(method));
        expect(response.status, `${name} with ${key}`).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        const text = await response.text();
        expect(text).toContain('LOGIN_REQUIRED');
        if (key !== undefined) expect(text).not.toContain(key);
      }
    }
    for (const path of ['/v1/docs', '/v1/openapi.json', '/v1/nosuch'])
      expect((await api.ask(path, undefined)).status).toBe(401);
  });

  it('shows and changes nothing of another tenant', async () => {
    const api = await startDeployed({ inMemory: false });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const before = await api.read(sessionId);
    const own = await api.keyOf('viewer');
    expect((await api.ask(`/v1/sessions/${sessionId}`, own.text)).status).toBe(200);
    const { text } = await api.keyOf('admin', 'acme');
    for (const { address, method, name, isForOperators } of await operationsOf(api)) {
      const response = await api.ask(address.replace('nosuch', sessionId), text, request(method));
      const isStream = /event-stream/.test(response.headers.get('content-type') ?? '');
      if (isStream) await response.body?.cancel();
      const body = isStream ? '' : await response.text();
      if (isForOperators) expect(body, name).toContain('ACCESS_DENIED');
      // An answer may repeat the id that was asked for; what belongs to the session it does not know.
      expect(body, name).not.toContain('Disk full');
      expect(body, name).not.toContain('01-investigator');
    }
    expect(await api.read(sessionId)).toEqual(before);
    const headers = { authorization: `Bearer ${text}`, 'x-tenant-id': 'default' };
    const response = await api.fetch('/v1/sessions', { headers });
    expect([response.status, await codeOf(response)]).toEqual([403, 'ACCESS_DENIED']);
  });
});

describe('a caller with a key', () => {
  it('gets the name of its caller', async () => {
    const api = await startDeployed();
    const { text } = await api.keyOf('responder', 'acme');
    const me = await (await api.ask('/v1/me', text)).json();
    expect(me).toMatchObject({ name: 'responder-bot', role: 'responder', tenantId: 'acme' });
  });

  it('can send it as clients of Anthropic do; another header of authorization takes precedence', async () => {
    const api = await startDeployed();
    const { text } = await api.keyOf('responder', 'acme');
    const me = await api.fetch('/v1/me', { headers: { 'x-api-key': text } });
    expect(await me.json()).toMatchObject({ name: 'responder-bot', tenantId: 'acme' });
    for (const headers of [
      { 'x-api-key': `${text}x` },
      { 'x-api-key': `Bearer ${text}` },
      { 'x-api-key': text, authorization: 'Bearer x' },
    ])
      expect(await codeOf(await api.fetch('/v1/me', { headers })), JSON.stringify(headers)).toBe(
        'LOGIN_REQUIRED',
      );
  });

  it('is recorded as the author of an action, whatever its headers', async () => {
    const api = await startDeployed({ inMemory: false });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const { text } = await api.keyOf('responder');
    const headers = { authorization: `Bearer ${text}`, 'x-user-id': 'mallory' };
    await api.fetch(`/v1/sessions/${sessionId}/cancel`, { method: 'POST', body: {}, headers });
    const session = await api.ask(`/v1/sessions/${sessionId}`, text);
    expect(((await session.json()) as { cancellation: object }).cancellation).toMatchObject({
      by: 'responder-bot',
    });
    const elsewhere = { headers: { authorization: `Bearer ${text}`, 'x-tenant-id': 'acme' } };
    expect(await codeOf(await api.fetch('/v1/sessions', elsewhere))).toBe('ACCESS_DENIED');
  });

  it('is the user of its questions, whatever their headers, and asks none as a viewer', async () => {
    const api = await startDeployed();
    const asked = async (role: ApiRole) => {
      const { text } = await api.keyOf(role);
      const headers = { authorization: `Bearer ${text}`, 'x-user-id': 'mallory', 'x-client-id': 'notebook' };
      return api.fetch('/v1/chats', { method: 'POST', body: { text: 'Why?' }, headers });
    };
    expect(await codeOf(await asked('viewer'))).toBe('ACCESS_DENIED');
    expect((await asked('responder')).status).toBe(202);
    await api.drain();
    const [request = '', ...others] = api.gemini.requests.map(({ body }) => JSON.stringify(body));
    expect(others).toEqual([]);
    expect(request).toContain('User: responder-bot');
    expect(request).not.toContain('mallory');
  });

  it('sends as many requests a minute as its limit allows, each caller separately', async () => {
    const api = await startDeployed({ config: { requestsPerMinute: 3 } });
    const [viewer, responder] = [await api.keyOf('viewer'), await api.keyOf('responder')];
    const statuses = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await api.ask('/v1/sessions', viewer.text)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await api.ask('/v1/sessions', viewer.text);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.ask('/v1/sessions', responder.text)).status).toBe(200);
  });

  it('has idempotency keys and requests a minute of its own, also beside a key of the same name', async () => {
    const api = await startDeployed({ config: { requestsPerMinute: 2 } });
    const callers = [await api.keyOf('responder'), await api.keyOf('responder')];
    const send = ({ text }: { text: string }, title: string) =>
      api.fetch('/v1/alerts', {
        body: { title },
        headers: { authorization: `Bearer ${text}`, 'idempotency-key': 'a' },
      });
    for (const [index, caller] of callers.entries())
      for (let count = 0; count < 2; count++) expect((await send(caller, `Disk ${index}`)).status).toBe(202);
    expect(api.deps.publisher.published).toHaveLength(2);
    expect((await send(callers[0] as { text: string }, 'Disk 0')).status).toBe(429);
  });

  it('is no page of another site, which a cookie would let in', async () => {
    const api = await startDeployed();
    const { text } = await api.keyOf('viewer');
    for (const header of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await api.fetch('/v1/sessions', {
        headers: { authorization: `Bearer ${text}`, ...(header as Record<string, string>) },
      });
      expect(response.status).toBe(403);
    }
  });
});

describe('people whom Google vouches for', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

  /** Serves the keys of both signers, and counts how often they are read. */
  async function startKeys(): Promise<{ url: string; reads: () => number }> {
    let reads = 0;
    const server = createServer((_, response) => {
      reads++;
      response.end(JSON.stringify({ ec: pem(ec.publicKey), rsa: pem(rsa.publicKey) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reads: () => reads };
  }

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  function sign(claims: object, kid: 'ec' | 'rsa', header: object = {}): string {
    const [alg, key] = kid === 'ec' ? ['ES256', ec.privateKey] : ['RS256', rsa.privateKey];
    const text = `${encode({ alg, kid, ...header })}.${encode(claims)}`;
    const signature = createSign('SHA256')
      .update(text)
      .sign({ key: key as KeyObject, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }
  const seconds = Math.floor(Date.now() / 1000);
  const times = { iat: seconds - 60, exp: seconds + 3_000 };
  const person = { email: 'Ada@example.com', hd: 'example.com', ...times };
  const iap = { ...person, sub: 'accounts.google.com:1', aud: AUDIENCE, iss: IAP_ISSUER };
  const firebase = { ...person, sub: '1', email_verified: true, aud: PROJECT, iss: FIREBASE_ISSUER };
  const config = {
    iap: { audience: AUDIENCE },
    firebase: { project: PROJECT },
    members: [
      { email: 'ada@example.com', role: 'responder' },
      { domain: 'example.com', role: 'viewer', tenant: 'acme' },
    ],
  };
  const start = async () => {
    const keys = await startKeys();
    return { keys, api: await startDeployed({ config, keysUrl: keys.url }) };
  };
  const asIap = (token: string) => ({ 'x-goog-iap-jwt-assertion': token });
  const asFirebase = (token: string) => ({ authorization: `Bearer ${token}` });

  it.each([
    ['IAP', asIap(sign(iap, 'ec'))],
    ['Firebase', asFirebase(sign(firebase, 'rsa'))],
  ])('are members by their address, with a token of %s', async (_, headers) => {
    const { api, keys } = await start();
    expect((await api.fetch('/v1/sessions', { headers })).status).toBe(200);
    // Cancelling is for responders, who then are told that there is no such session.
    const cancelled = await api.fetch('/v1/sessions/nosuch/cancel', { method: 'POST', body: {}, headers });
    expect(cancelled.status).toBe(404);
    expect(keys.reads()).toBe(1);
  });

  it('are verified with keys that are read again after a minute for an unknown one, and after an hour', async () => {
    const { api, keys } = await start();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const status = async (header: object) =>
      (await api.fetch('/v1/sessions', { headers: asIap(sign(iap, 'ec', header)) })).status;
    for (const [ms, header, expected, reads] of [
      [0, {}, 200, 1],
      [59_999, { kid: 'new' }, 401, 1],
      [60_000, { kid: 'new' }, 401, 2],
      [60_000 + 3_599_999, {}, 200, 2],
      [60_000 + 3_600_000, {}, 200, 3],
    ] as const) {
      clock.mockReturnValue(ms);
      expect([await status(header), keys.reads()]).toEqual([expected, reads]);
    }
  });

  it.each([
    ['IAP', asIap(sign({ ...iap, email: 'bob@example.com' }, 'ec'))],
    ['Firebase', asFirebase(sign({ ...firebase, email: 'bob@example.com' }, 'rsa'))],
  ])('are members by their domain, in its tenant, with a token of %s', async (_, headers) => {
    const { api } = await start();
    expect((await api.fetch('/v1/sessions', { headers: { ...headers, 'x-tenant-id': 'acme' } })).status).toBe(
      200,
    );
    const cancelled = await api.fetch('/v1/sessions/nosuch/cancel', { method: 'POST', body: {}, headers });
    expect(cancelled.status).toBe(403);
  });

  it.each([
    ['another person', asIap(sign({ ...iap, email: 'eve@evil.example', hd: 'evil.example' }, 'ec')), 403],
    [
      'an address of a domain that vouches for nobody',
      asIap(sign({ ...iap, email: 'eve@example.com', hd: undefined }, 'ec')),
      403,
    ],
    [
      'an address that was not verified',
      asFirebase(sign({ ...firebase, email_verified: false }, 'rsa')),
      401,
    ],
    ['a token for another service', asIap(sign({ ...iap, aud: '/projects/9/apps/x' }, 'ec')), 401],
    ['a token for another project', asFirebase(sign({ ...firebase, aud: 'other' }, 'rsa')), 401],
    ['a token of another issuer', asIap(sign({ ...iap, iss: FIREBASE_ISSUER }, 'ec')), 401],
    [
      'a token that is too old',
      asIap(sign({ ...iap, iat: seconds - 9_000, exp: seconds - 5_000 }, 'ec')),
      401,
    ],
    [
      'a token without a signature',
      asIap(`${sign(iap, 'ec', { alg: 'none' }).split('.').slice(0, 2).join('.')}.`),
      401,
    ],
    [
      'a token whose claims were changed',
      asIap(sign(iap, 'ec').replace(/\.[^.]+\./, `.${encode({ ...iap, email: 'root@example.com' })}.`)),
      401,
    ],
    ['a token of an unknown key', asIap(sign(iap, 'ec', { kid: 'nosuch' })), 401],
    ['a token of the one sent as one of the other', asFirebase(sign(iap, 'ec')), 401],
    ['no token', asIap('nonsense'), 401],
    ['half a token', asFirebase('a.b.c'), 401],
  ])('are not: %s', async (_, headers, status) => {
    const { api } = await start();
    const response = await api.fetch('/v1/sessions', { headers: headers as Record<string, string> });
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.any(String)]);
    for (const value of Object.values(headers)) expect(text).not.toContain(value);
  });

  /**
   * As IAP signs for an account of Identity Platform: https://cloud.google.com/iap/docs/signed-headers-howto.
   */
  function external(gcip: object = {}, { project = PROJECT, tenant = '', email = 'ada@example.com' } = {}) {
    const issuer = `securetoken.google.com/${project}${tenant && `/${tenant}`}`;
    const own = { ...(tenant && { tenant }), sign_in_provider: 'password' };
    return {
      aud: AUDIENCE,
      iss: IAP_ISSUER,
      ...times,
      sub: `${issuer}:uid1`,
      email: `${issuer}:${email}`,
      gcip: { email, email_verified: true, sub: 'uid1', firebase: own, ...gcip },
    };
  }
  const askAs = async (iapSettings: object, claims: object) => {
    const keys = await startKeys();
    const iap = { audience: AUDIENCE, ...iapSettings };
    const api = await startDeployed({ config: { ...config, iap }, keysUrl: keys.url });
    const headers = asIap(sign(claims, 'ec'));
    const me = await api.fetch('/v1/me', { headers });
    return { status: me.status, ...((await me.json()) as { role?: string; tenantId?: string }) };
  };

  it.each<[string, object, object]>([
    ['whose address the configured project verified', { project: PROJECT }, external()],
    [
      'with claims that are sent as text',
      { project: PROJECT },
      { ...external(), gcip: JSON.stringify(external().gcip) },
    ],
    ['of any tenant, when none is configured', { project: PROJECT }, external({}, { tenant: 'shop-1a2b' })],
    [
      'of the configured tenant',
      { project: PROJECT, identityTenants: ['shop-1a2b'] },
      external({}, { tenant: 'shop-1a2b' }),
    ],
  ])('are let in by IAP with external identities: an account %s', async (_, settings, claims) => {
    expect(await askAs(settings, claims)).toMatchObject({ status: 200, role: 'responder' });
  });

  it('have the rights of a domain with an address of Identity Platform that was verified', async () => {
    const claims = external({}, { email: 'bob@example.com' });
    expect(await askAs({ project: PROJECT }, claims)).toMatchObject({ role: 'viewer', tenantId: 'acme' });
  });

  it('are Google accounts with and without the prefix of Google', async () => {
    for (const claims of [iap, { ...iap, email: 'accounts.google.com:ada@example.com' }])
      expect(await askAs({}, claims)).toMatchObject({ status: 200, role: 'responder' });
  });

  const platform = `securetoken.google.com/${PROJECT}`;
  it.each<[string, object, object]>([
    ['was not verified', { project: PROJECT }, external({ email_verified: false })],
    ['has no word about it', { project: PROJECT }, external({ email_verified: undefined })],
    ['is verified by a text', { project: PROJECT }, external({ email_verified: 'true' })],
    ['is verified by a number', { project: PROJECT }, external({ email_verified: 1 })],
    ['has no claims of its project', { project: PROJECT }, { ...external(), gcip: undefined }],
    ['has a list for claims', { project: PROJECT }, { ...external(), gcip: [external().gcip] }],
    ['has broken text for claims', { project: PROJECT }, { ...external(), gcip: '{"email_verified":true' }],
    ['is of another project', { project: PROJECT }, external({}, { project: 'evil-project' })],
    [
      'is of a project that begins like ours',
      { project: PROJECT },
      external({}, { project: `${PROJECT}-2` }),
    ],
    ['is of our project, which is not configured', {}, external()],
    [
      'is of another tenant',
      { project: PROJECT, identityTenants: ['shop-1a2b'] },
      external({}, { tenant: 'other-1' }),
    ],
    ['is of no tenant', { project: PROJECT, identityTenants: ['shop-1a2b'] }, external()],
    [
      'is of another tenant by its own claims',
      { project: PROJECT, identityTenants: ['shop-1a2b'] },
      external({ firebase: { tenant: 'other-1' } }, { tenant: 'shop-1a2b' }),
    ],
    ['is another one by its own claims', { project: PROJECT }, external({ email: 'eve@evil.example' })],
    ['belongs to another account by its own claims', { project: PROJECT }, external({ sub: 'uid2' })],
    [
      'stands without its issuer, beside an account of one',
      { project: PROJECT },
      { ...external({ email_verified: false }), email: 'ada@example.com' },
    ],
    [
      'has the prefix of Google, beside an account of another issuer',
      { project: PROJECT },
      { ...external(), email: 'accounts.google.com:ada@example.com' },
    ],
    [
      'has the prefix of Google, beside claims of a project',
      { project: PROJECT },
      { ...iap, email: 'accounts.google.com:ada@example.com', gcip: external().gcip },
    ],
    ['stands beside claims of a project', { project: PROJECT }, { ...iap, gcip: external().gcip }],
    [
      'comes behind two issuers',
      { project: PROJECT },
      { ...external(), email: `${platform}:accounts.google.com:ada@example.com` },
    ],
    ['is of a workforce pool', { project: PROJECT }, { ...iap, sub: 'sts.google.com:1' }],
    ['has no account', { project: PROJECT }, { ...iap, sub: undefined }],
    ['is missing', { project: PROJECT }, { ...iap, email: undefined }],
    ['is empty', { project: PROJECT }, { ...iap, email: '' }],
    ['is an object', { project: PROJECT }, { ...iap, email: { address: 'ada@example.com' } }],
  ])('are not let in by IAP when the address %s', async (_, settings, claims) => {
    expect(await askAs(settings, claims)).toMatchObject({ status: 401, code: 'LOGIN_REQUIRED' });
  });

  it.each([
    ['IAP', (change: object) => asIap(sign({ ...iap, ...change }, 'ec'))],
    ['Firebase', (change: object) => asFirebase(sign({ ...firebase, ...change }, 'rsa'))],
  ])('are let in by a token of %s until 30 s after its time, and not before it', async (_, headersOf) => {
    const { api } = await start();
    const now = Math.floor(api.deps.clock.now().getTime() / 1000);
    const statusOf = async (change: object) =>
      (await api.fetch('/v1/me', { headers: headersOf(change) as Record<string, string> })).status;
    for (const change of [
      { iat: now - 600, exp: now - 28 },
      { iat: now + 28, exp: now + 600 },
    ])
      expect(await statusOf(change), JSON.stringify(change)).toBe(200);
    for (const change of [
      { iat: now - 600, exp: now - 30 },
      { iat: now + 32, exp: now + 600 },
      { nbf: now + 32 },
      { iat: now - 3_700, exp: now + 600 },
      { iat: undefined },
      { exp: undefined },
      { exp: String(now + 600) },
      { aud: undefined },
      { aud: [AUDIENCE, PROJECT] },
      { iss: undefined },
    ])
      expect(await statusOf(change), JSON.stringify(change)).toBe(401);
  });

  const hmac = (key: string) => {
    const text = `${encode({ alg: 'HS256', kid: 'ec' })}.${encode(iap)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  /** Node finds a signature in DER good for any name of an algorithm with the same digest. */
  const asDer = (alg: string) => {
    const text = `${encode({ alg, kid: 'ec' })}.${encode(iap)}`;
    return `${text}.${createSign('SHA256').update(text).sign(ec.privateKey).toString('base64url')}`;
  };
  it.each([
    ['RS256, with a key of the list', asIap(sign(iap, 'rsa'))],
    ['RS256, with the key of ES256', asIap(asDer('RS256'))],
    ['HS256, with the signature of ES256', asIap(asDer('HS256'))],
    ['HS256, with the public key as secret', asIap(hmac(pem(ec.publicKey)))],
    ['ES384', asIap(sign(iap, 'ec', { alg: 'ES384' }))],
    ['es256', asIap(sign(iap, 'ec', { alg: 'es256' }))],
    ['none', asIap(sign(iap, 'ec', { alg: 'none' }))],
    ['no algorithm', asIap(sign(iap, 'ec', { alg: undefined }))],
    ['an extension that has to be understood', asIap(sign(iap, 'ec', { crit: ['x'], x: 1 }))],
    ['ES256, for Firebase', asFirebase(sign(firebase, 'ec'))],
  ])('are not let in by a token signed with %s', async (_, headers) => {
    const { api } = await start();
    expect((await api.fetch('/v1/me', { headers: headers as Record<string, string> })).status).toBe(401);
  });

  it('are refused while the keys of Google cannot be read, with that reason', async () => {
    const api = await startDeployed({ config, keysUrl: 'http://127.0.0.1:1/' });
    const response = await api.fetch('/v1/sessions', { headers: asIap(sign(iap, 'ec')) });
    expect([response.status, await codeOf(response)]).toEqual([503, 'STORE_UNAVAILABLE']);
  });
});
