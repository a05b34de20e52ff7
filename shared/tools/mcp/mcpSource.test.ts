import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { IS_FULL } from '../../../test/support/fullTests.ts';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { EVERY_TOOL } from '../../../test/tools/everyTool.ts';
import {
  type HttpFixture,
  startDeadServer,
  startSessionServer,
  startStatelessServer,
} from '../../../test/tools/httpServer.ts';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import type { ExecuteOptions, ToolExecutor, ToolResult } from '../../core/contract/tools.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { createToolConnector } from '../connectTools.ts';
import { IDEMPOTENCY_META_KEY, mcpSources } from './mcpSource.ts';

const STDIO_SERVER = fileURLToPath(new URL('../../../test/tools/stdioServer.ts', import.meta.url));
const forever = new AbortController().signal;
/** For what is not to run out of time, on any machine. */
const PATIENCE_MS = 600_000;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

const stdio = (args: string[] = [], rest: object = {}) =>
  mcpServerConfigSchema.parse({
    transport: 'stdio',
    command: process.execPath,
    args: [STDIO_SERVER, ...args],
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...rest,
  });

const http = (url: string, rest: object = {}) =>
  mcpServerConfigSchema.parse({
    transport: 'http',
    url,
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...rest,
  });

async function serve(start: () => Promise<HttpFixture>): Promise<HttpFixture> {
  const fixture = await start();
  open.push(fixture);
  return fixture;
}

async function closedUrl(): Promise<string> {
  const fixture = await startDeadServer(500);
  await fixture.close();
  return fixture.url;
}

type Servers = Parameters<typeof mcpSources>[0];

async function connect(servers: Servers, allowed: string[], warn = vi.fn()): Promise<ToolExecutor> {
  const executor = await createToolConnector(mcpSources(servers), { warn })(allowed, { signal: forever });
  open.unshift(executor);
  return executor;
}

function run(
  executor: ToolExecutor,
  name: string,
  args = '{}',
  options: Partial<ExecuteOptions> = {},
): Promise<ToolResult> {
  const call = { callId: 'call-1', name, arguments: args };
  return executor.execute(call, {
    signal: forever,
    timeoutMs: PATIENCE_MS,
    maxResultBytes: 10_000,
    mask: (text: string) => ({ text, count: 0 }),
    idempotencyKey: 's/e/1/0',
    traceparent: null,
    ...options,
  });
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function pidOf(executor: ToolExecutor): Promise<number> {
  const { content } = await run(executor, 'fixture.echo');
  return Number(JSON.parse(content).pid);
}

/** What must hold whatever the transport. */
const transports: [string, () => Promise<Servers[string]>][] = [
  ['stdio', async () => stdio()],
  ['stateless HTTP', async () => http((await serve(startStatelessServer)).url)],
  ['HTTP with sessions', async () => http((await serve(startSessionServer)).url)],
];

/** A process for each test takes long. */
const QUICK = transports.filter(([name]) => name !== 'stdio');

describe.each(IS_FULL ? transports : QUICK)('tools over %s', (_name, config) => {
  it('lists every page of tools, sorted, with read-only as the server declares it', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    expect(executor.list().map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['fixture.cancelled', true],
      ['fixture.count', true],
      ['fixture.die', false],
      ['fixture.echo', true],
      ['fixture.fail', false],
      ['fixture.flawed', false],
      ['fixture.huge', false],
      ['fixture.refuse', false],
      ['fixture.slow', false],
      ['fixture.wait', false],
    ]);
  });

  it('sends arguments, idempotency key and trace', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture.echo']);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await run(executor, 'fixture.echo', '{"a":[1]}', { traceparent });
    expect(JSON.parse(result.content)).toMatchObject({
      args: { a: [1] },
      meta: { [IDEMPOTENCY_META_KEY]: 's/e/1/0', traceparent },
    });
    expect(result).toMatchObject({ callId: 'call-1', name: 'fixture.echo', isError: false, timedOut: false });
  });

  it('makes a result of the error a tool reports', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    expect(await run(executor, 'fixture.fail')).toEqual(
      expect.objectContaining({ content: 'the disk is full', isError: true, timedOut: false }),
    );
    expect(await run(executor, 'fixture.fail')).not.toHaveProperty('noAnswer');
  });

  it('makes a result of a call the server refuses', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    const result = await run(executor, 'fixture.refuse');
    expect(result).toMatchObject({ isError: true, timedOut: false });
    expect(result.content).toMatch(/refused the call: .*namespace is required/);
  });

  it('ends a call at its time limit and cancels it at the server', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    const result = await run(executor, 'fixture.slow', '{}', { timeoutMs: 200 });
    expect(result).toMatchObject({ isError: true, timedOut: true });
    expect(result.content).toContain('did not answer within 200 ms');
    await expect.poll(async () => (await run(executor, 'fixture.cancelled')).content).toBe('["slow"]');
  });

  it('throws the reason when the caller aborts a call', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    const abort = new AbortController();
    const call = failure(run(executor, 'fixture.slow', '{}', { signal: abort.signal }));
    const reason = new Error('lease lost');
    abort.abort(reason);
    expect(await call).toBe(reason);
  });

  it('makes a result of a server that dies during a call', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    const result = await run(executor, 'fixture.die');
    expect(result).toMatchObject({ isError: true, timedOut: false, noAnswer: true });
    expect(result.content).toMatch(/call to server "fixture" failed: .*took effect is not known/);
  });

  it('cuts a huge result at the limit', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    const result = await run(executor, 'fixture.huge', '{}', { maxResultBytes: 1_000 });
    expect(result.truncated).toBe(true);
    expect(result.content).toMatch(/^0123456789.*of 2000000 bytes left out.*9$/s);
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(1_000);
  });

  it('passes on structured content that does not fit its schema', async () => {
    const executor = await connect({ fixture: await config() }, ['fixture']);
    expect(await run(executor, 'fixture.flawed')).toMatchObject({ content: '{"total":7}', isError: false });
  });
});

it('explains the death of a server process during a call by its own error', async () => {
  const executor = await connect({ fixture: stdio(['crash']) }, ['fixture']);
  expect((await run(executor, 'fixture.die')).content).toBe(
    'The call to server "fixture" failed: Connection closed (its last words: Error: the cache is full). Whether it took effect is not known.',
  );
});

describe('the tools that an agent can use', () => {
  /** A server in this process: it starts faster than one of its own. */
  const local = async (rest: object = {}) => http((await serve(startStatelessServer)).url, rest);

  it('loads and connects nothing for an agent without tools', async () => {
    const executor = await connect({ fixture: stdio(['broken']) }, []);
    expect(executor.list()).toEqual([]);
    expect((await run(executor, 'fixture.echo')).content).toContain('Available tools: none');
  });

  it('offers single tools, and connects only the servers they are on', async () => {
    const servers = { fixture: await local(), other: stdio(['broken']) };
    const executor = await connect(servers, ['fixture.fail', 'fixture.echo']);
    expect(executor.list().map((tool) => tool.name)).toEqual(['fixture.echo', 'fixture.fail']);
  });

  it('answers a call of an unknown or a withheld tool with the names that exist', async () => {
    const executor = await connect({ fixture: await local() }, ['fixture.echo']);
    for (const name of ['fixture.fail', 'nothing', '__proto__']) {
      expect(await run(executor, name)).toMatchObject({
        content: `There is no tool "${name}". Available tools: fixture.echo.`,
        isError: true,
      });
    }
  });

  it('warns about a tool its server does not have', async () => {
    const warn = vi.fn();
    const executor = await connect({ fixture: await local() }, ['fixture.echo', 'fixture.ecko'], warn);
    expect(executor.list()).toHaveLength(1);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.any(String), { server: 'fixture', tool: 'ecko' });
  });

  it('takes read-only from configuration too', async () => {
    const executor = await connect({ fixture: await local({ readOnly: ['fai*'] }) }, [
      'fixture.fail',
      'fixture.die',
    ]);
    expect(executor.list().map((tool) => tool.readOnly)).toEqual([false, true]);
  });

  it.each(['kubernetes', 'kubernetes.get_logs', '__proto__'])(
    'refuses %s when that server is not configured',
    async (name) => {
      const error = await failure(connect({ fixture: stdio(), other: stdio() }, [name]));
      expect(error).toBeInstanceOf(TerminalError);
      expect(error).toMatchObject({ code: 'CONFIG_UNKNOWN_SERVER' });
      expect(String(error)).toContain('(configured: fixture, other)');
    },
  );

  it('lets a server have its own time limit', async () => {
    const executor = await connect({ fixture: await local({ timeoutMs: 150 }) }, ['fixture']);
    expect((await run(executor, 'fixture.slow')).content).toContain('within 150 ms');
  });

  it('runs no call once the caller has aborted', async () => {
    const executor = await connect({ fixture: await local() }, ['fixture']);
    const reason = new Error('cancelled');
    expect(await failure(run(executor, 'fixture.echo', '{}', { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    );
  });
});

describe('a server that is not there', () => {
  const SECRET = 'sk-very-secret-value';

  it.each<[string, () => Promise<Servers[string]>, RegExp, 'permanent'?]>([
    [
      'a command that does not exist',
      async () => ({ ...stdio(), command: 'no-such-command' }),
      /ENOENT/,
      'permanent',
    ],
    [
      'a process that ends at once',
      async () => stdio(['broken'], { env: { API_TOKEN: SECRET } }),
      /last words: cannot log in with \[masked:known\]: token expired/,
    ],
    [
      'a process that never answers',
      async () => stdio(['silent'], { connectTimeoutMs: 700 }),
      /within 700 ms/,
    ],
    ['a port without a server', async () => http(await closedUrl()), /ECONNREFUSED/],
    [
      'a URL that answers 500',
      async () => http((await serve(() => startDeadServer(500))).url, { headers: { 'x-key': SECRET } }),
      /HTTP 500/,
    ],
    [
      'a URL that answers 401',
      async () =>
        http((await serve(() => startDeadServer(401))).url, {
          headers: { authorization: `Bearer ${SECRET}` },
        }),
      /HTTP 401; check the configured headers/,
      'permanent',
    ],
    [
      'a URL that answers 403',
      async () => http((await serve(() => startDeadServer(403))).url),
      /HTTP 403; check the configured headers/,
      'permanent',
    ],
    [
      'a URL that answers 404',
      async () => http((await serve(() => startDeadServer(404))).url, { headers: { 'x-key': SECRET } }),
      /HTTP 404/,
    ],
    [
      'a URL that never answers',
      async () => http((await serve(() => startDeadServer(null))).url, { connectTimeoutMs: 300 }),
      /within 300 ms/,
    ],
  ])('is missing, with the cause, and the others are there: %s', async (_name, config, cause, permanent) => {
    const good = http((await serve(startStatelessServer)).url);
    const executor = await connect({ good, bad: await config() }, ['good.echo', 'bad']);
    expect(executor.list().map(({ name }) => name)).toEqual(['good.echo']);
    const [missing] = executor.missing;
    const error = missing?.error;
    expect(executor.missing).toHaveLength(1);
    expect(missing?.name).toBe('bad');
    expect(error).toBeInstanceOf(permanent === undefined ? RetryableError : TerminalError);
    expect(error?.code).toBe('TOOL_SERVER_UNAVAILABLE');
    expect(String(error)).toMatch(/MCP server "bad" is unavailable: /);
    expect(String(error)).toMatch(cause);
    expect(JSON.stringify([error, String(error), error?.stack])).not.toContain(SECRET);
  });

  it('is tried as often as the caller wants, unless that cannot help', async () => {
    const retry = vi.fn((_: string, attempts: number) => Promise.resolve(attempts < 3));
    const refused = await serve(() => startDeadServer(403));
    const broken = await serve(() => startDeadServer(503));
    const servers = { refused: http(refused.url), broken: http(broken.url) };
    const connector = createToolConnector(mcpSources(servers), { warn: vi.fn() });
    const { missing } = await connector(['refused', 'broken'], { signal: forever, retry });
    expect(missing.map(({ name }) => name)).toEqual(['broken', 'refused']);
    expect(retry.mock.calls).toEqual([
      ['broken', 1],
      ['broken', 2],
      ['broken', 3],
    ]);
  });

  it('is not tried at all when the caller asks for that', async () => {
    const fixture = await serve(() => startDeadServer(503));
    const connector = createToolConnector(mcpSources({ fixture: http(fixture.url) }), { warn: vi.fn() });
    const executor = await connector(['fixture'], { signal: forever, skip: new Set(['fixture']) });
    expect([executor.list(), executor.missing, fixture.requests]).toEqual([[], [], []]);
  });

  it('is missing when there is no more time to connect', async () => {
    const servers = { silent: stdio(['silent']) };
    const connector = createToolConnector(mcpSources(servers), { warn: vi.fn() });
    const giveUp = new AbortController();
    const retry = vi.fn(() => Promise.resolve(true));
    const connecting = connector(['silent'], { signal: forever, giveUp: giveUp.signal, retry });
    giveUp.abort(new Error('no connection within 60 s.'));
    const { missing } = await connecting;
    expect(missing.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/"silent" is unavailable: no connection within 60 s\./),
    ]);
    expect(missing[0]?.error).toBeInstanceOf(RetryableError);
    expect(retry).not.toHaveBeenCalled();
  });

  it('has its calls answered with the reason', async () => {
    const executor = await connect({ bad: http(await closedUrl()) }, ['bad']);
    expect(await run(executor, 'bad.look')).toMatchObject({
      content: expect.stringMatching(/^bad\.look could not be run: MCP server "bad" is unavailable: /),
      isError: true,
      noAnswer: true,
    });
  });

  it('stops connecting when the caller aborts', async () => {
    const reason = new Error('cancelled');
    const abort = new AbortController();
    const connector = createToolConnector(mcpSources({ fixture: stdio(['silent']) }), { warn: vi.fn() });
    const connecting = failure(connector(['fixture'], { signal: abort.signal }));
    abort.abort(reason);
    expect(await connecting).toBe(reason);
  });
});

describe('the environment of a server process', () => {
  it('is the configured environment and the safe defaults, and nothing else', async () => {
    process.env.INQUEST_TEST_SECRET = 'leak';
    const executor = await connect({ fixture: stdio([], { env: { CLUSTER: 'blue' } }) }, ['fixture']);
    const { env } = JSON.parse((await run(executor, 'fixture.echo')).content);
    delete process.env.INQUEST_TEST_SECRET;
    expect(env).toMatchObject({ CLUSTER: 'blue', PATH: process.env.PATH });
    const allowed = ['CLUSTER', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(env)));
  });

  it('has a home of its own, empty and private, which is removed at the end', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', '/home/somebody/.config');
    onTestFinished(() => void vi.unstubAllEnvs());
    const executor = await connect({ one: stdio(), other: stdio() }, ['one', 'other']);
    const envOf = async (name: string) => JSON.parse((await run(executor, `${name}.echo`)).content).env;
    const [one, other] = await Promise.all([envOf('one'), envOf('other')]);
    expect(one.HOME).not.toBe(other.HOME);
    expect(Object.keys(one).filter((name) => name.startsWith('XDG_'))).toEqual([]);
    for (const { HOME } of [one, other]) {
      expect(path.dirname(HOME)).toBe(tmpdir());
      expect(statSync(HOME).mode & 0o777).toBe(0o700);
      expect(readdirSync(HOME)).toEqual([]);
      writeFileSync(path.join(HOME, 'left'), 'behind');
    }
    await executor.close();
    expect([one.HOME, other.HOME].filter((home) => existsSync(home))).toEqual([]);
  });

  it('is that of the command `node` on the Node of this process, whatever is on PATH', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const offered = await connect({ own: stdio([], { command: 'node' }) }, ['own']);
    expect(offered.list().length).toBeGreaterThan(0);
    const other = await connect({ own: stdio([], { command: 'node', env: { PATH: folder } }) }, ['own']);
    expect(other.list()).toEqual([]);
  });

  it.each([
    ['that of this process where it inherits it', { home: 'inherit' }, process.env.HOME],
    ['the configured one', { env: { HOME: '/srv/tools' } }, '/srv/tools'],
  ])('has as its home %s', async (_name, rest, expected) => {
    const executor = await connect({ fixture: stdio([], rest) }, ['fixture']);
    expect(JSON.parse((await run(executor, 'fixture.echo')).content).env.HOME).toBe(expected);
  });
});

describe('closing', () => {
  // It waits four seconds for the process.
  it.runIf(IS_FULL)('leaves no process behind, even one that does not want to end', async () => {
    const executor = await connect({ fixture: stdio(['stubborn']) }, ['fixture']);
    const pid = await pidOf(executor);
    expect(isRunning(pid)).toBe(true);
    await executor.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('leaves no process behind when connecting is aborted', async () => {
    const abort = new AbortController();
    const servers = { good: stdio(), bad: stdio(['silent']) };
    const allChildren = () =>
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
    // Other tests of this process may have left theirs, such as a bundler's.
    const before = allChildren();
    const children = () => allChildren().filter((pid) => !before.includes(pid));
    const connector = createToolConnector(mcpSources(servers), { warn: vi.fn() });
    const connecting = failure(connector(['good', 'bad'], { signal: abort.signal }));
    await expect.poll(() => children().length).toBeGreaterThanOrEqual(2);
    abort.abort(new Error('cancelled'));
    expect(String(await connecting)).toContain('cancelled');
    expect(children().filter((pid) => isRunning(Number(pid)))).toEqual([]);
  });

  it('ends the session of an HTTP server', async () => {
    const fixture = await serve(startSessionServer);
    const executor = await connect({ fixture: http(fixture.url) }, ['fixture']);
    await executor.close();
    expect(fixture.requests.map((request) => request.method)).toContain('DELETE');
  });

  it('can happen twice, and after the server is gone', async () => {
    const executor = await connect({ fixture: stdio() }, ['fixture']);
    await run(executor, 'fixture.die');
    await executor.close();
    await executor.close();
    expect(await run(executor, 'fixture.echo')).toMatchObject({ isError: true });
  });

  it('sends the configured headers with every request', async () => {
    const fixture = await serve(startStatelessServer);
    const executor = await connect({ fixture: http(fixture.url, { headers: { 'x-key': 'k' } }) }, [
      'fixture',
    ]);
    await run(executor, 'fixture.echo');
    expect(fixture.requests.length).toBeGreaterThan(2);
    expect(new Set(fixture.requests.map((request) => request.headers['x-key']))).toEqual(new Set(['k']));
  });
});
