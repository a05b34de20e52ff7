// The kept connection to a server, on connections in memory.

import { setImmediate } from 'node:timers/promises';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { RetryableError } from '../../core/errors.ts';
import { keepServer } from './cachedConnection.ts';
import { keepConnections } from './connectionCache.ts';
import { STREAM_ENDED } from './httpLink.ts';
import type { CallRequest, LiveConnection, ToolList } from './mcpConnection.ts';

type Answer = () => Promise<unknown>;
const DONE: Answer = async () => ({ content: [] });
const { signal } = new AbortController();

/** A server whose calls have these answers in turn, and then succeed. */
function start({ kind = 'process' as LiveConnection['kind'], answers = [] as Answer[] } = {}) {
  const clock = { now: 0 };
  const opened: { closed: number; killed: number; lists: number; isClosed: boolean; changes: number }[] = [];
  const sent: { connection: number; timeoutMs: number }[] = [];
  const server = { tools: [] as unknown[], connect: DONE, list: DONE, close: DONE };
  const connect = async () => {
    const number = opened.length;
    const one = { closed: 0, killed: 0, lists: 0, isClosed: false, changes: 0 };
    opened.push(one);
    await server.connect();
    const list = () => ({ tools: [...server.tools], refused: [] }) as unknown as ToolList;
    return {
      kind,
      listed: list(),
      instructions: `of ${number}`,
      async call({ timeoutMs }: CallRequest) {
        sent.push({ connection: number, timeoutMs });
        return (answers.shift() ?? DONE)();
      },
      async listTools() {
        one.lists++;
        await server.list();
        return list();
      },
      listChanges: () => one.changes,
      isClosed: () => one.isClosed,
      lastWords: () => ` (words of ${number})`,
      async close() {
        one.closed++;
        await server.close();
      },
      kill: () => void one.killed++,
    } as unknown as LiveConnection;
  };
  const kept = keepServer('shop', connect, () => clock.now);
  return { clock, opened, sent, server, kept };
}

/** Whether work has ended. */
function track(work: Promise<unknown> | undefined) {
  const tracked = { isSettled: false, end: Promise.resolve() };
  const note = () => {
    tracked.isSettled = true;
  };
  tracked.end = Promise.resolve(work).then(note, note);
  return tracked;
}

const request = (rest: Partial<CallRequest> = {}) =>
  ({ readOnly: true, timeoutMs: 1_000, signal, ...rest }) as CallRequest;
const failing =
  (error: unknown): Answer =>
  () =>
    Promise.reject(error);
const systemError = (error: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), error) });
const sdk = (code: SdkErrorCode) => new SdkError(code, 'x');
const status = (number: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'x', { status: number, statusText: '' });

/** Whether a failed call is made again, if it only reads and if not; whether the connection is lent on. */
it.each<[string, LiveConnection['kind'], unknown, readOnly: boolean, other: boolean, stays: boolean]>([
  ['an answer that is an error', 'process', new ProtocolError(-32_602, 'x'), false, false, true],
  ['a stream without an answer', 'stateless', new ProtocolError(STREAM_ENDED, 'x'), true, false, false],
  ['no answer in time of a process', 'process', sdk(SdkErrorCode.RequestTimeout), false, false, false],
  ['no answer in time of a session', 'session', sdk(SdkErrorCode.RequestTimeout), false, false, true],
  ['no answer in time over HTTP', 'stateless', sdk(SdkErrorCode.RequestTimeout), false, false, true],
  ['a closed connection before the call', 'process', sdk(SdkErrorCode.NotConnected), true, true, false],
  ['a connection that closes', 'process', sdk(SdkErrorCode.ConnectionClosed), true, false, false],
  ['a message that cannot be sent', 'process', sdk(SdkErrorCode.SendFailed), true, false, false],
  ['another error of the client', 'process', sdk(SdkErrorCode.InvalidResult), false, false, true],
  ['an unknown session', 'session', status(404), true, true, false],
  ['an unknown session of an old server', 'session', status(400), true, false, false],
  ['a missing page', 'stateless', status(404), false, false, false],
  ['a bad request', 'stateless', status(400), false, false, false],
  ['an overload', 'session', status(503), false, false, false],
  ['a missing token', 'session', new RetryableError('TOOL_SERVER_UNAVAILABLE', 'x'), false, false, false],
  ['a refused connection', 'session', systemError({ syscall: 'connect' }), true, true, false],
  ['an unknown host', 'session', systemError({ syscall: 'getaddrinfo' }), true, true, false],
  ['no connection in time', 'session', systemError({ code: 'UND_ERR_CONNECT_TIMEOUT' }), true, true, false],
  ['a lost connection', 'session', systemError({ syscall: 'read', code: 'ECONNRESET' }), true, false, false],
  ['anything that is thrown', 'session', 'text', true, false, false],
])('%s (%s)', async (_, kind, error, ifReadOnly, ifNot, stays) => {
  for (const [readOnly, repeated] of [
    [true, ifReadOnly],
    [false, ifNot],
  ] as const) {
    const { kept, sent, opened } = start({ kind, answers: [failing(error)] });
    const connection = await kept.lend(signal);
    const outcome = connection.call(request({ readOnly }));
    if (repeated) await outcome;
    else await expect(outcome).rejects.toBe(error);
    expect(sent.map((one) => one.connection)).toEqual(repeated ? [0, 1] : [0]);
    expect(opened[0]?.closed).toBe(stays ? 0 : 1);
    expect(connection.lastWords()).toBe(stays ? '' : ' (words of 0)');
    await (await kept.lend(signal)).call(request());
    expect(sent.at(-1)?.connection).toBe(stays ? 0 : 1);
    expect(opened).toHaveLength(stays ? 1 : 2);
  }
});

describe('a call that is made again', () => {
  const lost = sdk(SdkErrorCode.ConnectionClosed);

  it('is made again once', async () => {
    const { kept, sent } = start({ answers: [failing(lost), failing(lost)] });
    await expect((await kept.lend(signal)).call(request())).rejects.toBe(lost);
    expect(sent).toHaveLength(2);
  });

  it.each([
    [400, [1_000, 600]],
    [1_000, [1_000]],
  ])('after %d ms of 1,000 has the time that is left', async (ms, timeouts) => {
    const answers: Answer[] = [];
    const { kept, sent, clock } = start({ answers });
    answers.push(async () => {
      clock.now += ms;
      throw lost;
    });
    await (await kept.lend(signal)).call(request()).catch(() => {});
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual(timeouts);
  });

  it('is not made again when its caller has aborted, and the connection is lent on', async () => {
    const stop = new AbortController();
    const abort: Answer = async () => {
      stop.abort(new Error('enough'));
      throw lost;
    };
    const { kept, sent, opened } = start({ answers: [abort] });
    await expect((await kept.lend(signal)).call(request({ signal: stop.signal }))).rejects.toBe(lost);
    expect([sent.length, opened[0]?.closed]).toEqual([1, 0]);
  });
});

describe('a kept connection', () => {
  it('is lent for a minute with the tools that it listed, then lists them again', async () => {
    const { kept, clock, opened, server } = start();
    const first = await kept.lend(signal);
    expect(first.instructions).toBe('of 0');
    clock.now = 59_999;
    expect((await kept.lend(signal)).listed).toBe(first.listed);
    expect(opened[0]?.lists).toBe(0);
    clock.now = 60_000;
    // Equal lists are the same object.
    expect((await kept.lend(signal)).listed).toBe(first.listed);
    expect(opened[0]?.lists).toBe(1);
    clock.now = 119_999;
    await kept.lend(signal);
    expect(opened[0]?.lists).toBe(1);
    server.tools = ['more'];
    expect((await kept.lend(signal, true)).listed).toEqual({ tools: ['more'], refused: [] });
    expect(opened.map(({ lists }) => lists)).toEqual([2]);
  });

  it('lists its tools again after the server announced a change, and only once for each', async () => {
    const { kept, opened } = start();
    await kept.lend(signal);
    const [connection] = opened;
    if (connection) connection.changes = 1;
    for (const lists of [1, 1]) {
      await kept.lend(signal);
      expect(connection?.lists).toBe(lists);
    }
  });

  it.each(['closed', 'without a list'])('that is %s is replaced, and closed once', async (how) => {
    const { kept, clock, opened, server } = start();
    await kept.lend(signal);
    const [first] = opened;
    if (how === 'closed' && first) first.isClosed = true;
    if (how !== 'closed') server.list = failing(new Error('no list'));
    clock.now = how === 'closed' ? 1 : 60_000;
    expect((await kept.lend(signal)).instructions).toBe('of 1');
    expect(opened.map(({ closed }) => closed)).toEqual([1, 0]);
  });

  it('that is replaced is closed after its last call', async () => {
    const wait = Promise.withResolvers<unknown>();
    const { kept, opened } = start({
      answers: [() => wait.promise, failing(sdk(SdkErrorCode.RequestTimeout))],
    });
    const connection = await kept.lend(signal);
    const long = connection.call(request());
    await expect(connection.call(request())).rejects.toThrow();
    expect(opened[0]?.closed).toBe(0);
    await connection.call(request());
    expect(opened).toHaveLength(2);
    wait.resolve({ content: [] });
    await long;
    await connection.close();
    expect(opened.map(({ closed }) => closed)).toEqual([1, 0]);
  });

  it('that two calls lose is closed once', async () => {
    const wait = Promise.withResolvers<never>();
    const { kept, opened } = start({ answers: [() => wait.promise, () => wait.promise] });
    const connection = await kept.lend(signal);
    const calls = [1, 2].map(() => connection.call(request({ readOnly: false })));
    wait.reject(sdk(SdkErrorCode.ConnectionClosed));
    await Promise.allSettled(calls);
    expect(opened.map(({ closed }) => closed)).toEqual([1]);
  });

  it('that is replaced has ended when its iteration has', async () => {
    const ended = Promise.withResolvers<unknown>();
    const { kept, server } = start({ answers: [failing(sdk(SdkErrorCode.RequestTimeout))] });
    server.close = () => ended.promise;
    const connection = await kept.lend(signal);
    await expect(connection.call(request())).rejects.toThrow();
    const closing = track(connection.close());
    await setImmediate();
    expect(closing.isSettled).toBe(false);
    ended.resolve(undefined);
    await closing.end;
  });

  it('stays when all abort who wait for its list', async () => {
    const list = Promise.withResolvers<unknown>();
    const { kept, opened, server, clock } = start();
    await kept.lend(signal);
    clock.now = 60_000;
    server.list = () => list.promise;
    const stop = new AbortController();
    const waits = kept.lend(stop.signal);
    stop.abort(new Error('enough'));
    list.reject(new Error('aborted'));
    await expect(waits).rejects.toThrow('enough');
    expect(opened.map(({ closed }) => closed)).toEqual([0]);
  });

  it('is opened once for all that ask at the same time; a failure is that of all, and is not kept', async () => {
    const { kept, opened, server } = start();
    server.connect = failing(new Error('down'));
    const both = await Promise.allSettled([kept.lend(signal), kept.lend(signal)]);
    expect(both.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    server.connect = DONE;
    await Promise.all([kept.lend(signal), kept.lend(signal)]);
    expect(opened).toHaveLength(2);
  });

  it('that was opened for nobody is closed: all who asked have aborted', async () => {
    const opening = Promise.withResolvers<unknown>();
    const { kept, opened, server } = start();
    server.connect = () => opening.promise;
    const [one, other] = [new AbortController(), new AbortController()];
    const waits = [kept.lend(one.signal), kept.lend(other.signal)];
    one.abort(new Error('first'));
    await expect(waits[0]).rejects.toThrow('first');
    other.abort(new Error('second'));
    const last = track(waits[1]);
    await setImmediate();
    expect(last.isSettled).toBe(false);
    opening.resolve(undefined);
    await expect(waits[1]).rejects.toThrow('second');
    expect(opened.map(({ closed }) => closed)).toEqual([1]);
    server.connect = DONE;
    await kept.lend(signal);
    expect(opened).toHaveLength(2);
    const stopped = AbortSignal.abort(new Error('third'));
    await expect(kept.lend(stopped)).rejects.toThrow('third');
  });

  it('is closed at the end, with an attempt to open one, and nothing is lent afterwards', async () => {
    const { kept, opened } = start();
    await kept.lend(signal);
    await kept.close();
    expect(opened.map(({ closed }) => closed)).toEqual([1]);
    await expect(kept.lend(signal)).rejects.toThrow('MCP server "shop" is unavailable: this process ends');
    const opening = Promise.withResolvers<unknown>();
    const other = start();
    other.server.connect = () => opening.promise;
    const lent = other.kept.lend(signal);
    const closing = track(other.kept.close());
    await setImmediate();
    expect(closing.isSettled).toBe(false);
    opening.resolve(undefined);
    await expect(lent).rejects.toThrow('this process ends');
    await closing.end;
    expect(other.opened.map(({ closed }) => closed)).toEqual([1]);
  });

  it('is killed with those whose calls still run', async () => {
    const { kept, opened } = start({
      answers: [() => new Promise(() => {}), failing(sdk(SdkErrorCode.RequestTimeout))],
    });
    const connection = await kept.lend(signal);
    void connection.call(request());
    await expect(connection.call(request())).rejects.toThrow();
    await connection.call(request());
    kept.kill();
    expect(opened.map(({ killed }) => killed)).toEqual([1, 1]);
  });
});

describe('the connections of a process', () => {
  const config = (rest: object = {}) =>
    mcpServerConfigSchema.parse({ transport: 'http', url: 'https://mcp.example.com/', ...rest });

  /** Keeps connections, and notes each that is opened, closed and killed. */
  function keep() {
    const notes: string[] = [];
    const kept = keepConnections({
      now: () => 0,
      connect: async (name, settings, _, fresh) => {
        const headers = settings.transport === 'http' && settings.headers;
        notes.push(`opens ${name} ${JSON.stringify(headers)}${fresh ? ', fresh' : ''}`);
        return {
          listed: { tools: [], refused: [] },
          listChanges: () => 0,
          isClosed: () => false,
          close: async () => void notes.push(`closes ${name}`),
          kill: () => void notes.push(`kills ${name}`),
        } as unknown as LiveConnection;
      },
    });
    return { ...kept, notes };
  }

  it('are one for each name and configuration, and are closed and killed together', async () => {
    const { connect, close, kill, notes } = keep();
    const headers = { key: 'b' };
    for (const [name, rest] of [
      ['shop', {}],
      ['shop', { headers }],
      ['bank', {}],
      ['shop', {}],
    ] as const)
      await (await connect(name, config(rest), signal)).close();
    expect(notes).toEqual(['opens shop {}, fresh', 'opens shop {"key":"b"}, fresh', 'opens bank {}, fresh']);
    kill();
    await close();
    expect(notes.slice(3)).toEqual([
      ...['kills shop', 'kills shop', 'kills bank'],
      ...['closes shop', 'closes shop', 'closes bank'],
    ]);
  });

  it('are opened for each iteration when configured so, and for servers after the 32nd', async () => {
    const { connect, notes } = keep();
    for (let round = 0; round < 2; round++)
      await (await connect('shop', config({ keepConnection: false }), signal, round === 1)).close();
    expect(notes).toEqual(['opens shop {}', 'closes shop', 'opens shop {}, fresh', 'closes shop']);
    for (let round = 0; round < 2; round++)
      for (let index = 1; index <= 33; index++)
        await (await connect(`server-${index}`, config(), signal)).close();
    expect(notes.slice(4).filter((note) => note.startsWith('opens'))).toHaveLength(34);
    expect(notes.slice(4).filter((note) => note.startsWith('closes'))).toEqual(
      Array(2).fill('closes server-33'),
    );
  });
});
