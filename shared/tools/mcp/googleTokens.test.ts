import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERY_TOOL } from '../../../test/tools/everyTool.ts';
import {
  type GoogleWorld,
  isValid,
  signIdToken,
  startGoogleWorld,
  startGuardedServer,
  startRedirect,
  withoutCredentials,
} from '../../../test/worlds/googleWorld.ts';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import type { HttpServerConfig } from '../../contract/mcpServer.ts';
import type { ToolExecutor } from '../../core/contract/tools.ts';
import { TerminalError } from '../../core/errors.ts';
import { createLearnedSecrets } from '../../masking/learnedSecrets.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createToolConnector } from '../connectTools.ts';
import { createGoogleTokens } from './auth/googleTokens.ts';
import { connectWith } from './mcpConnection.ts';
import { mcpSources } from './mcpSource.ts';

/** For what is not to run out of time, on any machine. */
const PATIENCE_MS = 600_000;
const ACCOUNT = 'agent@demo.iam.gserviceaccount.com';
const SCOPES = ['https://www.googleapis.com/auth/logging.read', 'https://www.googleapis.com/auth/bigquery'];

/** An agent's connection to the server `guarded`, as an iteration has it. */
async function connect(url: string, settings: object = {}, iamEndpoint?: string) {
  const learned = createLearnedSecrets();
  const guarded = mcpServerConfigSchema.parse({
    transport: 'http',
    auth: 'google',
    url,
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...settings,
  });
  const tokens = createGoogleTokens({ learned, ...(iamEndpoint !== undefined && { iamEndpoint }) });
  const connector = createToolConnector(mcpSources({ guarded }, connectWith(tokens)), { warn: () => {} });
  const signal = new AbortController().signal;
  const executor = await connector(['guarded'], { signal });
  onTestFinished(() => executor.close());
  const { mask } = createMaskers({ learned })('key');
  const call = (tool: string) => run(executor, tool, mask);
  return { executor, call, failure: executor.missing[0]?.error };
}

function run(executor: ToolExecutor, tool: string, mask: (text: string) => { text: string; count: number }) {
  const call = { callId: '1', name: `guarded.${tool}`, arguments: '{}' };
  return executor.execute(call, {
    timeoutMs: PATIENCE_MS,
    maxResultBytes: 100_000,
    idempotencyKey: 'key',
    traceparent: null,
    signal: new AbortController().signal,
    mask,
  });
}

const forOrigin = (token: string, origin: string) => isValid(token, origin);

describe('an ID token', () => {
  it('for the origin of the URL goes along with every request, and is kept until it ends', async () => {
    const world = await startGoogleWorld();
    const server = await startGuardedServer(forOrigin);
    const { call } = await connect(server.url);
    expect(await call('say')).toMatchObject({ isError: false });
    expect(world.metadata).toEqual([`identity?format=full&audience=${server.origin}`]);
    expect(server.tokens.length).toBeGreaterThan(2);
    expect(new Set(server.tokens)).toEqual(new Set(world.minted));
  });

  it('is not shared with a server of the same URL that has other settings', async () => {
    const world = await startGoogleWorld();
    const tokens = createGoogleTokens();
    const settings = {
      transport: 'http',
      auth: 'google',
      url: 'https://logging.googleapis.com/mcp',
      ...EVERY_TOOL,
    };
    for (const own of [{}, { scopes: SCOPES }]) {
      const config = mcpServerConfigSchema.parse({ ...settings, ...own }) as HttpServerConfig;
      await tokens.forServer('guarded', config)?.token();
    }
    expect(world.metadata).toHaveLength(2);
  });

  it('that ends soon is replaced before it is sent', async () => {
    const world = await startGoogleWorld();
    world.lifeSeconds = 60;
    const server = await startGuardedServer(forOrigin);
    const { call } = await connect(server.url);
    await call('say');
    expect(server.tokens).toEqual(world.minted);
    expect(new Set(server.tokens).size).toBe(server.tokens.length);
  });

  it('for one audience is refused by a server with another audience', async () => {
    await startGoogleWorld();
    const audience = 'https://metrics.example.com';
    const server = await startGuardedServer((token) => isValid(token, audience));
    expect(await (await connect(server.url, { audience })).call('say')).toMatchObject({ isError: false });
    const { failure } = await connect(server.url);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toBe(
      `MCP server "guarded" is unavailable: it answered HTTP 401; give the service account of runIteration roles/run.invoker on it, and check audience (${server.origin})`,
    );
  });

  it('that has expired is refused: the check of these tests is one', async () => {
    expect(await isValid(signIdToken('a', ACCOUNT, 60, 1), 'a')).toBe(true);
    expect(await isValid(signIdToken('a', ACCOUNT, -3600, 1), 'a')).toBe(false);
  });

  it('that is refused is replaced once', async () => {
    const world = await startGoogleWorld();
    const revoked = new Set<string>();
    const server = await startGuardedServer((token, origin) => !revoked.has(token) && isValid(token, origin));
    const { call } = await connect(server.url);
    for (const token of world.minted) revoked.add(token);
    const before = server.tokens.length;
    expect(await call('say')).toMatchObject({ isError: false });
    expect(server.tokens.slice(before)).toEqual(world.minted.slice(-2));
  });

  it('is asked for again once, not for ever, by a server that refuses all', async () => {
    const world = await startGoogleWorld();
    const server = await startGuardedServer(() => false);
    const { failure } = await connect(server.url);
    expect(failure?.message).toContain('it answered HTTP 401');
    expect(server.tokens).toEqual(world.minted);
    expect(server.tokens).toHaveLength(2);
  });
});

describe('an access token', () => {
  it('is asked for with the scopes', async () => {
    const world = await startGoogleWorld();
    const server = await startGuardedServer((token) => world.minted.includes(token));
    const { call } = await connect(server.url, { scopes: SCOPES });
    expect(await call('say')).toMatchObject({ isError: false });
    expect(world.metadata).toEqual([`token?scopes=${SCOPES.join(',')}`]);
  });
});

describe('a token of another service account', () => {
  const path = (method: string) => `/v1/projects/-/serviceAccounts/${ACCOUNT}:${method}`;

  it.each([
    ['ID', {}, 'generateIdToken'],
    ['access', { scopes: SCOPES }, 'generateAccessToken'],
  ])(
    '(%s) is minted only with the right to impersonate, which the server never sees',
    async (_kind, rest, method) => {
      const world = await startGoogleWorld();
      const server = await startGuardedServer((token) => token === world.minted[1]);
      const { call } = await connect(server.url, { impersonate: ACCOUNT, ...rest }, world.iamEndpoint);
      expect(await call('say')).toMatchObject({ isError: false });
      expect(world.metadata).toEqual(['token?scopes=https://www.googleapis.com/auth/iam']);
      const body =
        method === 'generateIdToken'
          ? { audience: server.origin, includeEmail: true }
          : { scope: SCOPES, lifetime: '3600s' };
      expect(world.iam).toEqual([{ path: path(method), authorization: `Bearer ${world.minted[0]}`, body }]);
      expect(new Set(server.tokens)).toEqual(new Set([world.minted[1]]));
    },
  );

  it.each([
    [{}, 'roles/iam.serviceAccountOpenIdTokenCreator'],
    [{ scopes: SCOPES }, 'roles/iam.serviceAccountTokenCreator'],
  ])('that is refused with %o names account and role', async (settings, role) => {
    const world = await startGoogleWorld();
    world.iamStatus = 403;
    const server = await startGuardedServer(() => true);
    const { failure } = await connect(server.url, { impersonate: ACCOUNT, ...settings }, world.iamEndpoint);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toContain(
      `MCP server "guarded" is unavailable: impersonate: no token of ${ACCOUNT} (HTTP 403`,
    );
    expect(failure?.message).toContain(`${role} `);
    expect(failure?.message).not.toContain(world.minted[0]);
    expect(server.tokens).toEqual([]);
  });
});

describe('a token that the server repeats', () => {
  it.each([
    ['ID', {}],
    ['access', { scopes: SCOPES }],
  ])('(%s) is masked in results, errors and protocol errors, in every form', async (_kind, settings) => {
    const world = await startGoogleWorld();
    const server = await startGuardedServer((token) => world.minted.includes(token));
    const { call } = await connect(server.url, settings);
    for (const tool of ['say', 'fail', 'break']) {
      const { content, masked } = await call(tool);
      expect(masked).toBe(3);
      expect(content).toMatch(/Bearer \[masked:known#[0-9a-f]+\] or \S*\[masked:.* or \S*\[masked:known#/);
      expectNoToken(content, world);
    }
  });

  it('is masked when it is an old one, too', async () => {
    const world = await startGoogleWorld();
    world.lifeSeconds = 60;
    const server = await startGuardedServer(() => true);
    const { call } = await connect(server.url);
    const results = [await call('say'), await call('say')];
    expectNoToken(JSON.stringify(results), world);
  });
});

function expectNoToken(text: string, { minted }: GoogleWorld): void {
  expect(minted).not.toEqual([]);
  for (const token of minted) {
    for (const part of [token, token.split('.').at(-1) ?? '']) {
      expect(text).not.toContain(part);
      expect(text).not.toContain(Buffer.from(part).toString('base64').slice(4, -4));
      expect(text).not.toContain(Buffer.from(part).toString('hex'));
    }
  }
}

describe('a redirect', () => {
  it('to another origin is not followed, and the error states so', async () => {
    await startGoogleWorld();
    const thief = await startGuardedServer(() => true);
    const { failure } = await connect(await startRedirect(thief.url));
    expect(thief.tokens).toEqual([]);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toBe(
      `MCP server "guarded" is unavailable: it redirects (HTTP 307, to ${thief.origin}), and a token is not redirected; write the address it leads to as url`,
    );
  });

  it('within the origin is not followed either', async () => {
    await startGoogleWorld();
    const { failure } = await connect(await startRedirect('/other'));
    expect(failure?.message).toContain('a token is not redirected');
  });
});

describe('without a token', () => {
  it('without credentials the server is missing, with the setting and the remedy', async () => {
    withoutCredentials();
    const server = await startGuardedServer(() => true);
    const { failure } = await connect(server.url);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toBe(
      'MCP server "guarded" is unavailable: auth: google found no credentials; on Google Cloud deploy the service with a service account, elsewhere run `gcloud auth application-default login` or name a key file in GOOGLE_APPLICATION_CREDENTIALS',
    );
    expect(server.tokens).toEqual([]);
  });

  it('because the credentials are a person’s, it is, too', async () => {
    const world = await startGoogleWorld();
    world.audience = '32555940559.apps.googleusercontent.com';
    const server = await startGuardedServer(() => true);
    const { failure } = await connect(server.url);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toContain('set impersonate to a service account');
    expect(server.tokens).toEqual([]);
  });

  it('because Google refused, it is, and it is tried again only where that can help', async () => {
    const world = await startGoogleWorld();
    world.metadataStatus = 404;
    const server = await startGuardedServer(() => true);
    const { failure } = await connect(server.url);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure?.message).toContain('auth: google got no token (HTTP 404');
  });
});
