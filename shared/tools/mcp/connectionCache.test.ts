import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { IS_FULL } from '../../../test/support/fullTests.ts';
import { EVERY_TOOL } from '../../../test/tools/everyTool.ts';
import {
  type HttpFixture,
  startFlakyServer,
  startSessionServer,
  startStatelessServer,
} from '../../../test/tools/httpServer.ts';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import type { ConnectTools, ExecuteOptions, ToolExecutor, ToolResult } from '../../core/contract/tools.ts';
import { createToolConnector } from '../connectTools.ts';
import { type KeptConnections, keepConnections } from './connectionCache.ts';
import { mcpSources } from './mcpSource.ts';

const STDIO_SERVER = fileURLToPath(new URL('../../../test/tools/stdioServer.ts', import.meta.url));
/** For what is not to run out of time, on any machine. */
const PATIENCE_MS = 600_000;
const FRESH_MS = 60_000;
const forever = new AbortController().signal;

const open: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Servers = Parameters<typeof mcpSources>[0];

/** An instance: what it keeps, its clock, and what its iterations do with the server `fixture`. */
interface Instance {
  kept: KeptConnections;
  connector: ConnectTools;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Connects for one iteration. */
  begin(signal?: AbortSignal): Promise<ToolExecutor>;
  /** One iteration with these calls, one after another. */
  iterate(...tools: string[]): Promise<ToolResult[]>;
}

function startInstance(servers: Servers): Instance {
  let now = 1_000_000;
  const kept = keepConnections({ now: () => now });
  open.push(() => kept.close());
  const connector = createToolConnector(mcpSources(servers, kept.connect), { warn: () => {} });
  const begin = (signal = forever) => connector(Object.keys(servers), { signal });
  return {
    kept,
    connector,
    begin,
    advance(ms) {
      now += ms;
    },
    async iterate(...tools) {
      const executor = await begin();
      try {
        const results: ToolResult[] = [];
        for (const tool of tools) results.push(await run(executor, tool));
        return results;
      } finally {
        await executor.close();
      }
    },
  };
}

function run(
  executor: ToolExecutor,
  tool: string,
  { args = {}, ...options }: Partial<ExecuteOptions> & { args?: object } = {},
): Promise<ToolResult> {
  return executor.execute(
    { callId: 'call-1', name: `fixture.${tool}`, arguments: JSON.stringify(args) },
    {
      signal: forever,
      timeoutMs: PATIENCE_MS,
      maxResultBytes: 100_000,
      mask: (text: string) => ({ text, count: 0 }),
      idempotencyKey: 's/e/1/0',
      traceparent: null,
      ...options,
    },
  );
}

/** A folder for one test, and a stdio server that notes its starts there. */
function stdio(args: string[] = [], rest: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-kept-'));
  open.unshift(() => rm(folder, { recursive: true, force: true }));
  const starts = join(folder, 'starts');
  const gate = join(folder, 'gate');
  writeFileSync(starts, '');
  const config = mcpServerConfigSchema.parse({
    transport: 'stdio',
    command: process.execPath,
    args: [STDIO_SERVER, ...args],
    env: { STARTS: starts, LATE: gate },
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...rest,
  });
  return {
    config,
    gate,
    openGate: () => writeFileSync(gate, ''),
    /** Process ids, in the order of the starts. */
    starts: () => readFileSync(starts, 'utf8').trim().split('\n').filter(Boolean).map(Number),
  };
}

const http = (url: string, rest: object = {}) =>
  mcpServerConfigSchema.parse({
    transport: 'http',
    url,
    ...EVERY_TOOL,
    connectTimeoutMs: PATIENCE_MS,
    ...rest,
  });

async function serve<T extends HttpFixture>(start: () => Promise<T>): Promise<T> {
  const fixture = await start();
  open.push(() => fixture.close());
  return fixture;
}

/** Lets this process notice ended sockets and pipes, in the next turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

async function closeNoticed(server: HttpFixture): Promise<void> {
  await server.close();
  await turns();
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** How many sessions were opened: requests that neither belong to one nor are of the newer protocol. */
const handshakes = ({ requests }: HttpFixture) =>
  requests.filter(
    ({ headers }) => headers['mcp-session-id'] === undefined && headers['mcp-method'] === undefined,
  ).length;
const discoveries = ({ requests }: HttpFixture) =>
  requests.filter(({ headers }) => headers['mcp-method'] === 'server/discover').length;
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );

describe('a kept connection', () => {
  it('is opened once over stateless HTTP, with the list of tools', async () => {
    const server = await serve(startStatelessServer);
    const { iterate, begin } = startInstance({ fixture: http(server.url) });
    const lists: string[] = [];
    for (let count = 0; count < 3; count++) {
      lists.push(JSON.stringify((await begin()).list()));
      await iterate('echo');
    }
    expect([discoveries(server), server.listings]).toEqual([1, 1]);
    expect(new Set(lists).size).toBe(1);
  });

  it('is one session over HTTP with sessions, without a stream that stays open', async () => {
    const server = await serve(startSessionServer);
    const { iterate, kept } = startInstance({ fixture: http(server.url) });
    for (let count = 0; count < 3; count++) await iterate('echo');
    expect([handshakes(server), server.listings, server.sessions.size]).toEqual([1, 1, 1]);
    expect(server.requests.map(({ method }) => method)).not.toContain('GET');
    await kept.close();
    expect(server.sessions.size).toBe(0);
  });

  it('is one process of a stdio server', async () => {
    const server = stdio();
    const { iterate } = startInstance({ fixture: server.config });
    const pids = [];
    for (let count = 0; count < 3; count++) {
      const [result] = await iterate('echo');
      pids.push(JSON.parse(result?.content ?? '').pid);
    }
    expect(new Set(pids)).toEqual(new Set(server.starts()));
    expect(server.starts()).toHaveLength(1);
  });

  it.runIf(IS_FULL)('is opened again in every iteration when configured so', async () => {
    const server = stdio([], { keepConnection: false });
    const { iterate } = startInstance({ fixture: server.config });
    await iterate('echo');
    await iterate('echo');
    expect(server.starts()).toHaveLength(2);
    await expect.poll(() => server.starts().filter(isRunning)).toEqual([]);
  });

  it('is a different one for another configuration of the same name', async () => {
    const [one, other] = [await serve(startStatelessServer), await serve(startStatelessServer)];
    const kept = keepConnections({ now: () => 0 });
    open.push(() => kept.close());
    for (const { url } of [one, other, one]) {
      const connection = await kept.connect('fixture', http(url), forever);
      await connection.close();
    }
    expect([one.listings, other.listings]).toEqual([1, 1]);
  });

  it.runIf(IS_FULL)('is given to 32 servers; further ones are connected for each iteration', async () => {
    const server = await serve(startStatelessServer);
    const kept = keepConnections({ now: () => 0 });
    open.push(() => kept.close());
    const connectAll = async () => {
      for (let index = 1; index <= 33; index++) {
        await (await kept.connect(`server-${index}`, http(server.url), forever)).close();
      }
    };
    await connectAll();
    expect(server.listings).toBe(33);
    await connectAll();
    expect(server.listings).toBe(34);
  });
});

describe('the kept list of tools', () => {
  it.each([
    ['stateless HTTP', startStatelessServer],
    ['HTTP with sessions', startSessionServer],
  ])('is read again after a minute, over the same connection: %s', async (_, start) => {
    const server = await serve<HttpFixture>(start);
    const { iterate, advance } = startInstance({ fixture: http(server.url) });
    await iterate();
    const before = server.requests.length;
    advance(FRESH_MS - 1);
    await iterate();
    expect(server.requests.length).toBe(before);
    advance(1);
    await iterate();
    await iterate();
    expect(server.listings).toBe(2);
    const pages = 4;
    expect(server.requests.length).toBe(before + pages);
  });

  it('is read again at once when the server announces a change', async () => {
    const server = stdio(['growing']);
    const { begin } = startInstance({ fixture: server.config });
    const first = await begin();
    await run(first, 'grow');
    // An iteration is asked with the tools that it began with.
    expect(first.list().map(({ name }) => name)).toEqual(['fixture.grow']);
    const next = await begin();
    expect(next.list().map(({ name }) => name)).toEqual(['fixture.grow', 'fixture.grown_1']);
    expect(server.starts()).toHaveLength(1);
  });

  it('opens a new connection when it cannot be read', async () => {
    const server = await serve(startSessionServer);
    const { iterate, advance } = startInstance({ fixture: http(server.url) });
    await iterate();
    server.sessions.clear();
    advance(FRESH_MS);
    await iterate();
    expect([handshakes(server), server.sessions.size]).toEqual([2, 1]);
    // The old one was closed.
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
});

describe('a session that the server has lost', () => {
  it('is opened again, and calls that were refused are made again, whether they change something or not', async () => {
    const server = await serve(startSessionServer);
    const { begin } = startInstance({ fixture: http(server.url) });
    const executor = await begin();
    server.sessions.clear();
    const results = await Promise.all([run(executor, 'fail'), run(executor, 'fail'), run(executor, 'count')]);
    expect(results.map(({ content }) => content)).toEqual([
      'the disk is full',
      'the disk is full',
      'counted to {}',
    ]);
    expect([handshakes(server), server.sessions.size]).toEqual([2, 1]);
  });

  it('is a failed call when it is refused again', async () => {
    const server = await serve(startSessionServer);
    const { begin } = startInstance({ fixture: http(server.url) });
    const executor = await begin();
    // It forgets every session as soon as it has opened it.
    server.sessions.clear();
    server.sessions.set = () => server.sessions;
    const before = server.requests.length;
    const result = await run(executor, 'count');
    expect(result).toMatchObject({ isError: true, noAnswer: true });
    expect(server.requests.length - before).toBeLessThan(10);
  });
});

describe('a server that goes away', () => {
  it('is not missed by a stateless connection when it is back on its port', async () => {
    const first = await startStatelessServer();
    const { iterate } = startInstance({ fixture: http(first.url) });
    await iterate('echo');
    await closeNoticed(first);
    const second = await serve(() => startStatelessServer(Number(new URL(first.url).port)));
    const [result] = await iterate('count');
    expect(result).toMatchObject({ content: 'counted to {}' });
    expect(second.requests.map(({ headers }) => headers['mcp-method'])).toEqual(['tools/call']);
  });

  it('answers the call with the outage, is missing in the next iteration, and is found when it is back', async () => {
    const first = await startStatelessServer();
    const { iterate, begin } = startInstance({ fixture: http(first.url) });
    await iterate('echo');
    await closeNoticed(first);
    const [result] = await iterate('fail');
    expect(result).toMatchObject({ isError: true, noAnswer: true });
    expect(result?.content).toMatch(/^fixture\.fail could not be run: MCP server "fixture" is unavailable/);
    expect((await begin()).missing.map(({ name }) => name)).toEqual(['fixture']);
    await serve(() => startStatelessServer(Number(new URL(first.url).port)));
    expect((await begin()).missing).toEqual([]);
  });

  it('is connected again after an HTTP error, and the call is not made again', async () => {
    const server = await serve(() => startFlakyServer(false));
    const { iterate, begin } = startInstance({ fixture: http(server.url) });
    await iterate('echo');
    server.isDown = true;
    const before = server.requests.length;
    const [result] = await iterate('echo');
    expect(result?.content).toContain('HTTP 503');
    expect(server.requests.length - before).toBe(1);
    expect((await begin()).missing).toHaveLength(1);
    server.isDown = false;
    expect((await begin()).missing).toEqual([]);
  });
});

describe('a stdio server', () => {
  it('that is killed between two iterations is started again, and no call fails', async () => {
    const server = stdio();
    const { iterate, begin } = startInstance({ fixture: server.config });
    await iterate('echo');
    const [pid = 0] = server.starts();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    await turns();
    const executor = await begin();
    expect(executor.missing).toEqual([]);
    // Not read-only, so it would not be made again.
    expect(await run(executor, 'fail')).toMatchObject({ content: 'the disk is full' });
    expect(server.starts()).toHaveLength(2);
  });

  it('that dies during a call that can change something is not called again, but started for the next call', async () => {
    const server = stdio(['crash']);
    const { iterate } = startInstance({ fixture: server.config });
    const [died, counted] = await iterate('die', 'count');
    expect(died?.content).toBe(
      'The call to server "fixture" failed: Connection closed (its last words: Error: the cache is full). Whether it took effect is not known.',
    );
    expect(died).toMatchObject({ isError: true, noAnswer: true });
    expect(counted).toMatchObject({ content: 'counted to {}', isError: false });
    expect(server.starts()).toHaveLength(2);
  });

  it.runIf(IS_FULL)('that dies during a read-only call is called again', async () => {
    const server = stdio(['crash'], { readOnly: ['die'] });
    const { iterate } = startInstance({ fixture: server.config });
    const [died] = await iterate('die');
    expect(died).toMatchObject({ isError: true, noAnswer: true });
    expect(server.starts()).toHaveLength(2);
  });

  it.runIf(IS_FULL)('is asked on a new process when it was killed during a read-only call', async () => {
    const server = stdio([], { readOnly: ['wait'] });
    const { begin } = startInstance({ fixture: server.config });
    const executor = await begin();
    const waiting = run(executor, 'wait', { args: { file: server.gate } });
    const [pid = 0] = server.starts();
    process.kill(pid, 'SIGKILL');
    server.openGate();
    expect(await waiting).toMatchObject({ content: 'waited', isError: false });
  });

  it.runIf(IS_FULL)(
    'is replaced after a call that took too long; calls that it still answers end first',
    async () => {
      const server = stdio();
      const { begin } = startInstance({ fixture: server.config });
      const [one, other] = [await begin(), await begin()];
      const waiting = run(other, 'wait', { args: { file: server.gate } });
      expect(await run(one, 'slow', { timeoutMs: 200 })).toMatchObject({ timedOut: true });
      expect(await run(one, 'count')).toMatchObject({ content: 'counted to {}' });
      const [old = 0, ...others] = server.starts();
      expect(others).toHaveLength(1);
      expect(isRunning(old)).toBe(true);
      server.openGate();
      expect(await waiting).toMatchObject({ content: 'waited' });
      await other.close();
      expect(isRunning(old)).toBe(false);
    },
  );

  it.runIf(IS_FULL)('ends with the obstacle, and nothing is connected afterwards', async () => {
    const server = stdio(['stubborn']);
    const { kept, iterate, begin } = startInstance({ fixture: server.config });
    await iterate('echo');
    const [pid = 0] = server.starts();
    expect(isRunning(pid)).toBe(true);
    await kept.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect((await begin()).missing.map(({ error }) => error.message)).toEqual([
      'MCP server "fixture" is unavailable: this process ends',
    ]);
    expect(server.starts()).toHaveLength(1);
  });

  it.runIf(IS_FULL)('is asked to end when there is no time to wait', async () => {
    const server = stdio();
    const { kept, iterate } = startInstance({ fixture: server.config });
    await iterate('echo');
    kept.kill();
    const [pid = 0] = server.starts();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe('a call over HTTP', () => {
  it('that took too long leaves the connection as it is', async () => {
    const server = await serve(startSessionServer);
    const { begin } = startInstance({ fixture: http(server.url) });
    const executor = await begin();
    expect(await run(executor, 'slow', { timeoutMs: 200 })).toMatchObject({ timedOut: true });
    expect(await run(executor, 'count')).toMatchObject({ isError: false });
    expect(handshakes(server)).toBe(1);
  });

  it('that breaks is made again only if it is read-only', async () => {
    const server = await serve(startStatelessServer);
    const calls = () =>
      server.requests.filter(({ headers }) => headers['mcp-method'] === 'tools/call').length;
    const { iterate } = startInstance({ fixture: http(server.url) });
    expect((await iterate('die'))[0]).toMatchObject({ noAnswer: true });
    expect(calls()).toBe(1);
    const { iterate: readOnly } = startInstance({ fixture: http(server.url, { readOnly: ['die'] }) });
    expect((await readOnly('die'))[0]).toMatchObject({ noAnswer: true });
    expect(calls()).toBe(3);
  });
});

describe('two iterations at once', () => {
  it('open one connection; an abort of one is not felt by the other', async () => {
    const server = stdio(['late']);
    const { begin } = startInstance({ fixture: server.config });
    const abort = new AbortController();
    const reason = new Error('lease lost');
    const one = failure(begin(abort.signal));
    const other = begin();
    await expect.poll(() => server.starts().length).toBe(1);
    abort.abort(reason);
    expect(await one).toBe(reason);
    server.openGate();
    expect((await other).missing).toEqual([]);
    expect(server.starts()).toHaveLength(1);
  });

  it.runIf(IS_FULL)('end the attempt when both are aborted, and the next one starts again', async () => {
    const server = stdio(['late']);
    const { begin } = startInstance({ fixture: server.config });
    const aborts = [new AbortController(), new AbortController()];
    const attempts = aborts.map(({ signal }) => failure(begin(signal)));
    await expect.poll(() => server.starts().length).toBe(1);
    for (const abort of aborts) abort.abort(new Error('lease lost'));
    await turns();
    // While the first process is still ending.
    const next = begin();
    await Promise.all(attempts);
    const [first = 0] = server.starts();
    expect(isRunning(first)).toBe(false);
    server.openGate();
    expect((await next).missing).toEqual([]);
    expect(server.starts()).toHaveLength(2);
  });

  it('start nothing that is aborted already', async () => {
    const server = stdio();
    const { begin, kept } = startInstance({ fixture: server.config });
    const reason = new Error('lease lost');
    expect(await failure(begin(AbortSignal.abort(reason)))).toBe(reason);
    await kept.close();
    expect(server.starts()).toEqual([]);
  });

  it('share a failed attempt, which is not remembered', async () => {
    const server = await serve(() => startFlakyServer(true));
    const { begin } = startInstance({ fixture: http(server.url) });
    const executors = await Promise.all([begin(), begin()]);
    expect(executors.map(({ missing }) => missing.length)).toEqual([1, 1]);
    server.isDown = false;
    expect((await begin()).missing).toEqual([]);
  });

  it('get the answers of their own calls; an abort of one call is not felt by the other', async () => {
    const server = stdio();
    const { begin } = startInstance({ fixture: server.config });
    const [one, other] = [await begin(), await begin()];
    const abort = new AbortController();
    const slow = failure(run(one, 'slow', { signal: abort.signal }));
    const waiting = run(other, 'wait', { args: { file: server.gate } });
    abort.abort(new Error('lease lost'));
    expect(String(await slow)).toContain('lease lost');
    await one.close();
    server.openGate();
    expect(await waiting).toMatchObject({ content: 'waited', isError: false });
    expect(server.starts()).toHaveLength(1);
  });
});
