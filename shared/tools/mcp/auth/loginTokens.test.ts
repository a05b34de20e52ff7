import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import type { StoredLogin, TokenVault } from '../../../contract/tokenVault.ts';
import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { logIn } from './logIn.ts';
import { loginToken } from './loginTokens.ts';
import { createRefreshLeases } from './refreshLeases.ts';

const HOUR_MS = 3_600_000;

/** An authorization server that accepts these refresh tokens, each once if it rotates them. */
async function startIssuer(accepted: string[], rotates = true, scopes?: string[]) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const issuer = `http://${request.headers.host}`;
    const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/token` };
    if (request.url !== '/token')
      return void response.end(
        JSON.stringify({
          issuer,
          ...endpoints,
          response_types_supported: ['code'],
          ...(scopes && { scopes_supported: scopes }),
        }),
      );
    requests.push(body);
    const token = new URLSearchParams(body).get('refresh_token') ?? '';
    const isKnown = accepted.includes(token);
    if (isKnown && rotates) accepted.splice(accepted.indexOf(token), 1, `${token}+`);
    const [next] = accepted;
    const issued = { access_token: `access-${requests.length}`, token_type: 'Bearer', expires_in: 3600 };
    const answer = isKnown
      ? { ...issued, ...(rotates && { refresh_token: next }) }
      : { error: 'invalid_grant' };
    response
      .writeHead(isKnown ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A login in a vault with versions, its token ends in two hours; waits move the clock. */
async function startSite(accepted = ['r1'], rotates = true) {
  const { issuer, requests } = await startIssuer(accepted, rotates);
  const clock = { now: 1_000 };
  const now = () => clock.now;
  const login = (refreshToken: string, accessToken = 'access-0'): StoredLogin => ({
    issuer,
    clientId: 'c',
    resource: 'https://mcp.example.com/',
    refreshToken,
    accessToken,
    expiresAt: 2 * HOUR_MS,
  });
  const versions = [login('r1')];
  let failures = 0;
  const vault: TokenVault = {
    async read(_, version = String(versions.length - 1)) {
      const stored = versions[Number(version)];
      return stored && { login: stored, version };
    },
    async write(_, stored) {
      if (failures-- > 0) throw new RetryableError('TOOL_SERVER_UNAVAILABLE', 'the vault is down');
      return String(versions.push(stored) - 1);
    },
  };
  let ids = 0;
  const leases = createRefreshLeases(
    createMemoryStore(() => new Date(clock.now)),
    now,
    () => `instance-${++ids}`,
  );
  const sleep = async (ms: number) => {
    clock.now += ms;
  };
  const learned: string[] = [];
  const deps = {
    vault,
    leases,
    now,
    sleep,
    learn: (secrets: readonly string[]) => void learned.push(...secrets),
  };
  const fail = (count: number) => {
    failures = count;
  };
  const token = (refused?: string) => loginToken('guarded', refused, deps);
  return { clock, versions, login, leases, requests, learned, fail, token };
}

describe('the token of a login', () => {
  it('is the stored one while it is valid, unless the server refused it', async () => {
    const { token, requests, versions, leases, learned } = await startSite();
    const { take } = leases;
    leases.take = () => expect.unreachable();
    expect(await token()).toMatchObject({ token: 'access-0' });
    leases.take = take;
    expect(requests).toEqual([]);
    expect(learned).toEqual(['r1', 'access-0']);
    expect(await token('access-0')).toMatchObject({ token: 'access-1' });
    expect(versions.at(-1)).toMatchObject({ refreshToken: 'r1+', accessToken: 'access-1' });
    expect(new URLSearchParams(requests[0]).get('resource')).toBe('https://mcp.example.com/');
  });

  it('is not requested again where another instance stored one before the lease was taken', async () => {
    const { token, requests, leases, versions, login, clock } = await startSite();
    clock.now += 2 * HOUR_MS;
    const take = leases.take.bind(leases);
    leases.take = async (server) => {
      const lease = await take(server);
      versions[0] = { ...login('r2', 'access-of-another'), expiresAt: clock.now + HOUR_MS };
      return lease;
    };
    expect(await token()).toMatchObject({ token: 'access-of-another' });
    expect(requests).toEqual([]);
  });

  it('comes from the login that a person stored since, where the known one is refused', async () => {
    const { token, leases, versions, login, clock } = await startSite(['r9']);
    await (await leases.take('guarded'))?.release('0');
    versions.push(login('r9'));
    clock.now += 2 * HOUR_MS;
    expect(await token()).toMatchObject({ token: 'access-2' });
    expect(versions.at(-1)).toMatchObject({ refreshToken: 'r9+' });
  });

  it('is stored in a third attempt, and its request fails after three', async () => {
    const { token, versions, fail, clock } = await startSite();
    fail(2);
    clock.now += 2 * HOUR_MS;
    expect(await token()).toMatchObject({ token: 'access-1' });
    expect(versions).toHaveLength(2);
    fail(3);
    await expect(token('access-1')).rejects.toThrow('the vault is down');
  });

  it('stores nothing where refresh tokens stay valid', async () => {
    const { token, versions, clock } = await startSite(['r1'], false);
    clock.now += 2 * HOUR_MS;
    expect(await token()).toMatchObject({ token: 'access-1' });
    expect(versions).toHaveLength(1);
  });

  it('is awaited while another instance has the lease, and not for ever', async () => {
    const { token, leases, clock } = await startSite();
    clock.now += 2 * HOUR_MS;
    leases.take = async () => undefined;
    await expect(token()).rejects.toThrow(RetryableError);
  });

  it('is missing for good where the refresh token is refused: a person logs in again', async () => {
    const { token, clock } = await startSite([]);
    clock.now += 2 * HOUR_MS;
    await expect(token()).rejects.toThrow(TerminalError);
    await expect(token()).rejects.toThrow(
      'refused the refresh token: log in again with `inquest servers login guarded`',
    );
  });

  it('is missing for good where the login was removed while it was refused', async () => {
    const { token, clock, requests, versions } = await startSite([]);
    clock.now += 2 * HOUR_MS;
    const push = requests.push.bind(requests);
    requests.push = (...bodies) => {
      versions.length = 0;
      return push(...bodies);
    };
    await expect(token()).rejects.toThrow(TerminalError);
  });
});

it('one of two instances takes the lease at the same moment, and the other after its end', async () => {
  const { leases, clock } = await startSite();
  const taken = await Promise.all([leases.take('guarded'), leases.take('guarded')]);
  expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
  clock.now += 59_000;
  expect(await leases.take('guarded')).toBeUndefined();
  clock.now += 2_000;
  expect(await leases.take('guarded')).toMatchObject({ interrupted: true });
});

describe('a login in a browser', () => {
  it.each([
    [undefined, undefined, null],
    [['read'], undefined, 'read'],
    [undefined, ['offline_access'], 'offline_access'],
    [['read', 'write'], ['offline_access'], 'read write'],
  ])('with the scopes %o of an issuer that has %o asks for %s', async (own, supported, asked) => {
    const { issuer } = await startIssuer([''], true, supported);
    const left = new AbortController();
    const oauth = { clientId: 'c', ...(own && { scopes: own }) };
    const config = { transport: 'http', url: `${issuer}/mcp`, oauth } as HttpServerConfig;
    let scope: string | null | undefined;
    const onAddress = (address: URL) => {
      scope = address.searchParams.get('scope');
      left.abort(new Error('seen'));
    };
    await expect(logIn(config, { onAddress, signal: left.signal, now: () => 0 })).rejects.toThrow();
    expect(scope).toBe(asked);
  });

  it('takes only the answer with its own state', async () => {
    const { issuer, requests } = await startIssuer(['']);
    const statuses: number[] = [];
    const visit = async (address: URL) => {
      const redirect = address.searchParams.get('redirect_uri');
      for (const [path, code, state] of [
        ['', 'foreign', 'foreign'],
        ['/other', 'foreign', address.searchParams.get('state')],
        ['', 'own', address.searchParams.get('state')],
      ])
        statuses.push((await fetch(`${redirect}${path}?code=${code}&state=${state}`)).status);
    };
    const config = { transport: 'http', url: `${issuer}/mcp`, oauth: { clientId: 'c' } } as HttpServerConfig;
    const visits: Promise<void>[] = [];
    const login = await logIn(config, {
      onAddress: (address) => void visits.push(visit(address)),
      signal: new AbortController().signal,
      now: () => 0,
    });
    await Promise.all(visits);
    expect(statuses).toEqual([404, 404, 200]);
    expect(new URLSearchParams(requests[0]).get('code')).toBe('own');
    expect(login.accessToken).toBe('access-1');
  });
});
