import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERY_TOOL } from '../../../../test/tools/everyTool.ts';
import { githubApp, startGithub } from '../../../../test/worlds/githubWorld.ts';
import { startGoogleWorld, startGuardedServer } from '../../../../test/worlds/googleWorld.ts';
import { mcpServerConfigSchema } from '../../../config/serverConfig.ts';
import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { createMaskers } from '../../../masking/maskers.ts';
import { createToolConnector } from '../../connectTools.ts';
import { keepConnections } from '../connectionCache.ts';
import { connectWith } from '../mcpConnection.ts';
import { mcpSources } from '../mcpSource.ts';
import { createServerTokens } from './serverTokens.ts';
import { keepToken } from './tokenCache.ts';

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 600_000;

/** An agent that is connected to a server for its whole life, with a clock that the test moves. */
function startAgent(url: string, settings: object) {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const tokens = createServerTokens({ now });
  const guarded = mcpServerConfigSchema.parse({
    transport: 'http',
    url,
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...settings,
  });
  const kept = keepConnections({ now, connect: connectWith(tokens) });
  onTestFinished(() => kept.close());
  const connector = createToolConnector(mcpSources({ guarded }, kept.connect), { warn: () => {} });
  const signal = new AbortController().signal;
  const connect = () => connector(['guarded'], { signal });
  const { mask } = createMaskers({ learned: tokens.learned })('key');
  const call = async () =>
    (await connect()).execute(
      { callId: '1', name: 'guarded.say', arguments: '{}' },
      {
        timeoutMs: PATIENCE_MS,
        maxResultBytes: 100_000,
        idempotencyKey: 'k',
        traceparent: null,
        signal,
        mask,
      },
    );
  return { clock, call, connect };
}

describe('a token of an installation of a GitHub App', () => {
  it('is limited to the repositories, and replaced before it expires, also after 25 hours', async () => {
    const clock = { now: Date.now() };
    const github = await startGithub(() => clock.now);
    const server = await startGuardedServer((token) => token === github.minted.at(-1));
    const agent = startAgent(server.url, githubApp(github.url));
    const moveTo = (now: number) => Object.assign(clock, Object.assign(agent.clock, { now }));
    moveTo(clock.now);
    expect(await agent.call()).toMatchObject({ isError: false });
    expect(github.bodies).toEqual([['/app/installations/42/access_tokens', { repositories: ['shop'] }]]);
    moveTo(clock.now + HOUR_MS - 30_000);
    expect(await agent.call()).toMatchObject({ isError: false });
    expect(github.minted).toHaveLength(2);
    moveTo(clock.now + 25 * HOUR_MS);
    expect(await agent.call()).toMatchObject({ isError: false });
    expect(github.minted).toHaveLength(3);
  });

  it('is masked in the results of a server that repeats it', async () => {
    const github = await startGithub(Date.now);
    const server = await startGuardedServer((token) => token === github.minted.at(-1));
    const { content } = await startAgent(server.url, githubApp(github.url)).call();
    expect(content).toContain('[masked:');
    expect(content).not.toContain(github.minted[0]);
  });

  it.each([
    [404, TerminalError, 'check githubApp.installationId'],
    [401, TerminalError, 'check githubApp.appId and privateKey'],
    [422, TerminalError, 'check githubApp.repositories'],
    [502, RetryableError, 'HTTP 502'],
  ])('is missing after HTTP %d: the error names the setting and no secret', async (status, kind, words) => {
    const github = await startGithub(Date.now, { status, message: 'no' });
    const agent = startAgent('http://127.0.0.1:9/mcp', githubApp(github.url));
    const { missing } = await agent.connect();
    expect(missing[0]?.error).toBeInstanceOf(kind);
    expect(missing[0]?.error.message).toContain(words);
  });

  it('is not requested with a signature in an error', async () => {
    const github = await startGithub(() => 0);
    const { missing } = await startAgent('http://127.0.0.1:9/mcp', githubApp(github.url)).connect();
    expect(missing[0]?.error.message).toContain('bad Bearer [masked:');
    expect(missing[0]?.error.message).not.toMatch(/eyJ/);
  });
});

it('requests for one token at the same time share a request', async () => {
  let count = 0;
  const refused: (string | undefined)[] = [];
  const kept = keepToken(
    async (dropped) => {
      refused.push(dropped);
      return { token: `t${++count}`, expiresAt: HOUR_MS };
    },
    () => 0,
  );
  expect(await Promise.all([kept.current(), kept.current()])).toEqual(['t1', 't1']);
  expect(await kept.current()).toBe('t1');
  kept.drop();
  expect(await kept.current()).toBe('t2');
  expect(refused).toEqual([undefined, 't1']);
});

it('a failed request is not kept', async () => {
  let count = 0;
  const mint = () =>
    ++count === 1 ? Promise.reject(new Error('down')) : Promise.resolve({ token: 't', expiresAt: HOUR_MS });
  const kept = keepToken(mint, () => 0);
  await expect(kept.current()).rejects.toThrow('down');
  expect(await kept.current()).toBe('t');
});

it('the quota project of auth: google is a header of every request', async () => {
  const world = await startGoogleWorld();
  const server = await startGuardedServer((token) => world.minted.includes(token));
  const scopes = ['https://www.googleapis.com/auth/logging.read'];
  const agent = startAgent(server.url, { auth: 'google', scopes, quotaProject: 'billing-1' });
  expect(await agent.call()).toMatchObject({ isError: false });
  expect(server.headers['x-goog-user-project']).toBe('billing-1');
});
