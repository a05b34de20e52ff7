// OAuth against oidc-provider, and an MCP server with protected-resource metadata.

import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import type { HttpServerConfig } from '../../shared/contract/mcpServer.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { createFileVault } from '../../shared/tools/mcp/auth/fileVault.ts';
import { logIn } from '../../shared/tools/mcp/auth/logIn.ts';
import { createRefreshLeases } from '../../shared/tools/mcp/auth/refreshLeases.ts';
import { createServerTokens } from '../../shared/tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { connectWith } from '../../shared/tools/mcp/mcpConnection.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { callAfter25Hours, SAY_NEEDS_APPROVAL } from '../support/longWait.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { EVERY_TOOL } from '../tools/everyTool.ts';
import { browse, CLIENT_SECRET, startOidcWorld } from './oidcWorld.ts';

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 600_000;

type World = Awaited<ReturnType<typeof startOidcWorld>>;

function configOf({ guarded }: World, oauth: object): HttpServerConfig {
  const config = mcpServerConfigSchema.parse({
    transport: 'http',
    url: guarded.url,
    auth: 'oauth',
    oauth,
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
  });
  if (config.transport !== 'http') throw new TypeError('it is remote');
  return config;
}

/** A store and a folder that several instances share, with a clock that the test moves. */
function startSite(config: HttpServerConfig) {
  const folder = temporaryFolder();
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const store = createMemoryStore(() => new Date(clock.now));
  const vault = createFileVault(join(folder, 'logins'));
  let ids = 0;
  /** @param afterExchange ends the instance between exchange and store. */
  const startInstance = (afterExchange?: () => Promise<void>) => {
    const leases = createRefreshLeases(store, now, () => `instance-${++ids}`);
    const logins = { vault, leases, ...(afterExchange && { afterExchange }) };
    const tokens = createServerTokens({ now, logins });
    const kept = keepConnections({ now, connect: connectWith(tokens) });
    onTestFinished(() => kept.close());
    const connector = createToolConnector(mcpSources({ guarded: config }, kept.connect), { warn: () => {} });
    const signal = new AbortController().signal;
    const connect = () => connector(['guarded'], { signal });
    const { mask } = createMaskers({ learned: tokens.learned })('key');
    const options = {
      timeoutMs: PATIENCE_MS,
      maxResultBytes: 100_000,
      idempotencyKey: 'k',
      traceparent: null,
      signal,
      mask,
    };
    const call = async () =>
      (await connect()).execute({ callId: '1', name: 'guarded.say', arguments: '{}' }, options);
    return { connect, call };
  };
  const file = join(folder, 'logins', 'guarded.json');
  const login = async () => {
    const signal = new AbortController().signal;
    const pages: Promise<string>[] = [];
    const onAddress = (address: URL) => void pages.push(browse(address));
    const stored = await logIn(config, { onAddress, signal, now });
    expect(await pages[0]).toBe('Logged in. You can close this page.');
    await vault.write('guarded', stored, undefined);
  };
  const stored = () => JSON.parse(readFileSync(file, 'utf8'));
  return { clock, store, vault, file, startInstance, login, stored };
}

describe('client credentials', () => {
  it('give a token for the server, which is replaced before it expires', async () => {
    const world = await startOidcWorld();
    const { issuer, counts } = world;
    const oauth = { grant: 'client-credentials', issuer, clientId: 'machine', clientSecret: CLIENT_SECRET };
    const { clock, startInstance } = startSite(configOf(world, oauth));
    const { call } = startInstance();
    const { content, isError } = await call();
    expect(isError).toBe(false);
    for (const token of world.guarded.tokens) expect(content).not.toContain(token);
    expect(counts.tokenRequests).toBe(1);
    clock.now += HOUR_MS - 30_000;
    await call();
    expect(counts.tokenRequests).toBe(2);
  });

  it('go to no other issuer than the configured one', async () => {
    const world = await startOidcWorld();
    const oauth = {
      grant: 'client-credentials',
      issuer: 'https://login.example.com',
      clientId: 'machine',
      clientSecret: CLIENT_SECRET,
    };
    const { missing } = await startSite(configOf(world, oauth)).startInstance().connect();
    expect(missing[0]?.error.message).toContain('nothing was sent to it');
    expect(world.counts.tokenRequests).toBe(0);
  });

  it('with a wrong secret are refused, and the error has no secret', async () => {
    const world = await startOidcWorld();
    const oauth = {
      grant: 'client-credentials',
      issuer: world.issuer,
      clientId: 'machine',
      clientSecret: 'wr0ng-s3cret-of-the-test',
    };
    const { missing } = await startSite(configOf(world, oauth)).startInstance().connect();
    expect(missing[0]?.error.message).toContain('invalid_client');
    expect(missing[0]?.error.message).not.toContain('wr0ng-s3cret');
  });
});

describe('a login', () => {
  it('is stored in a file that only its owner can read, and works after 25 hours', async () => {
    const world = await startOidcWorld();
    const site = startSite(configOf(world, { grant: 'login' }));
    await site.login();
    expect(statSync(site.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(site.file)).mode & 0o777).toBe(0o700);
    const { call } = site.startInstance();
    expect(await call()).toMatchObject({ isError: false });
    expect(world.counts.refreshed).toBe(0);
    const before = site.stored();
    site.clock.now += 25 * HOUR_MS;
    const { content, isError } = await call();
    expect(isError).toBe(false);
    expect(world.counts.refreshed).toBe(1);
    expect(site.stored().refreshToken).not.toBe(before.refreshToken);
    for (const secret of [before.accessToken, site.stored().accessToken])
      expect(content).not.toContain(secret);
  });

  it('is refreshed once by two instances at the same time, and the lease holds no token', async () => {
    const world = await startOidcWorld();
    const site = startSite(configOf(world, { grant: 'login' }));
    await site.login();
    const instances = [site.startInstance(), site.startInstance()];
    site.clock.now += 2 * HOUR_MS;
    const results = await Promise.all(instances.map(({ call }) => call()));
    expect(results.map(({ isError }) => isError)).toEqual([false, false]);
    expect(world.counts.refreshed).toBe(1);
    const lease = await site.store.get('tokenLeases/guarded', rawDocumentType);
    expect(lease?.value).toMatchObject({ holder: null, version: 'file' });
    const stored = JSON.stringify(lease);
    expect(stored).not.toContain(site.stored().accessToken);
    expect(stored).not.toContain(site.stored().refreshToken);
  });

  it('is lost when an instance dies between exchange and store: a person logs in again', async () => {
    const world = await startOidcWorld();
    const site = startSite(configOf(world, { grant: 'login' }));
    await site.login();
    site.clock.now += 2 * HOUR_MS;
    let hasExchanged = () => {};
    const exchanged = new Promise<void>((resolve) => (hasExchanged = resolve));
    const dying = site.startInstance(() => {
      hasExchanged();
      return new Promise(() => {});
    });
    void dying.connect();
    await exchanged;
    const next = site.startInstance();
    site.clock.now += 120_000;
    const { missing } = await next.connect();
    expect(missing[0]?.error.message).toBe(
      'MCP server "guarded" is unavailable: there is no token for "guarded", because an instance ended after it had used the refresh token, and before it stored the next one: log in again with `inquest servers login guarded`',
    );
    await site.login();
    expect(await next.call()).toMatchObject({ isError: false });
  });
});

describe('a call that waits 25 hours for its approval', () => {
  it.each(['client-credentials', 'login'])('runs with a new token: %s', async (grant) => {
    const world = await startOidcWorld();
    const { issuer, counts, guarded } = world;
    const secret = { issuer, clientId: 'machine', clientSecret: CLIENT_SECRET };
    const base = configOf(world, { grant, ...(grant === 'login' ? {} : secret) });
    const config = { ...base, ...mcpServerConfigSchema.parse({ ...base, ...SAY_NEEDS_APPROVAL }) };
    const site = startSite(base);
    if (grant === 'login') await site.login();
    let before = { requests: 0, token: '' };
    const result = await callAfter25Hours(
      async (now) => {
        const leases = createRefreshLeases(site.store, now, () => 'instance');
        const tokens = createServerTokens({ now, logins: { vault: site.vault, leases } });
        const kept = keepConnections({ now, connect: connectWith(tokens) });
        onTestFinished(() => kept.close());
        return mcpSources({ guarded: config }, kept.connect);
      },
      () => {
        before = { requests: counts.tokenRequests, token: guarded.tokens.at(-1) ?? '' };
      },
    );
    expect(result).toMatchObject({ metadata: { isError: false } });
    expect(before.token).not.toBe('');
    expect(counts.tokenRequests).toBeGreaterThan(before.requests);
    expect(guarded.tokens.at(-1)).not.toBe(before.token);
  });
});
