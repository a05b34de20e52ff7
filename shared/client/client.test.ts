import { expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from './apiError.ts';
import { composeAddress, createClient } from './client.ts';

const event = (id: string) => `event: timeline\nid: ${id}\ndata: {"id":"${id}"}\n\n`;

/** A client whose requests get these answers, and the headers and statuses of its requests. */
function clientOf(answers: (Response | Error)[]) {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  onTestFinished(() => void vi.useRealTimers());
  onTestFinished(() => void vi.restoreAllMocks());
  const sent: Headers[] = [];
  const statuses: number[] = [];
  const client = createClient({
    base: 'http://127.0.0.1',
    lostText: () => 'nothing answers',
    onStatus: (status) => statuses.push(status),
    async send(_, { headers }) {
      sent.push(new Headers(headers));
      const answer = answers.shift() ?? new Response('', { status: 500 });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { client, sent, statuses };
}

/** Reads the stream of a session to its end, or to its error. */
async function read({ client }: ReturnType<typeof clientOf>, lastId = '') {
  const lost: string[] = [];
  const names: unknown[] = [];
  let isStale = false;
  const reading = (async () => {
    const following = client.follow(
      '/v1/sessions/{sessionId}/events',
      { sessionId: 's' },
      {
        signal: new AbortController().signal,
        lastId,
        onStale: () => {
          isStale = true;
        },
        async pause(ms, { message }) {
          lost.push(`${message}: ${ms} ms`);
        },
      },
    );
    for await (const messages of following) names.push(messages.map(({ data }) => data));
  })();
  const error = await reading.catch((caught) => caught);
  return { lost, names, isStale, error };
}

it('parameters fill the path, and the others are the query', () => {
  const parameters = { sessionId: 'a/b', part: 1, after: undefined, ids: ['x', 'y'] };
  expect(composeAddress('/v1/sessions/{sessionId}/alert', parameters)).toBe(
    '/v1/sessions/a%2Fb/alert?part=1&ids=x&ids=y',
  );
});

it('a stream that is lost continues with the next event, and messages of one piece come together', async () => {
  const bodies = [event('a'), `${event('b')}${event('c')}`, 'event: end\ndata: {}\n\n'];
  const rig = clientOf(bodies.map((body) => new Response(body)));
  const { lost, names } = await read(rig);
  expect(lost).toEqual(['the connection ended: 1000 ms', 'the connection ended: 1000 ms']);
  expect(rig.sent.map((headers) => headers.get('last-event-id'))).toEqual([null, 'a', 'c']);
  expect(names).toEqual([[{ id: 'a' }], [{ id: 'b' }, { id: 'c' }], [{}]]);
});

it('a stream whose position has expired starts again without it', async () => {
  const gone = Response.json({ code: 'REQUEST_INVALID', detail: 'no id' }, { status: 400 });
  const rig = clientOf([gone, new Response('event: end\ndata: {}\n\n')]);
  expect(await read(rig, 'old')).toMatchObject({ lost: ['no id: 1000 ms'], isStale: true });
  expect(rig.sent.map((headers) => headers.get('last-event-id'))).toEqual(['old', null]);
});

it('a refused stream ends with its problem, one that is over a limit is opened again', async () => {
  const refusal = (status: number) => Response.json({ code: 'A', detail: 'no' }, { status });
  const rig = clientOf([refusal(429), new TypeError('no network'), refusal(401)]);
  const { lost, error } = await read(rig);
  expect(lost).toEqual(['no: 1000 ms', 'nothing answers: 2000 ms']);
  expect(error).toMatchObject({ code: 'A', status: 401 });
  expect(rig.statuses).toEqual([429, 401]);
});

it('a stream without data for two heartbeats is opened again', async () => {
  const silent = new Response(new ReadableStream());
  const rig = clientOf([]);
  const answers = [silent, new Response('event: end\ndata: {}\n\n')];
  const client = createClient({
    lostText: () => 'silent',
    async send(_, { signal }) {
      const answer = answers.shift() as Response;
      // As `fetch` does: the signal also ends the body.
      const body = answer.body?.pipeThrough(new TransformStream(), { signal: signal as AbortSignal });
      return new Response(body);
    },
  });
  const reading = read({ ...rig, client });
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(32_000);
  expect((await reading).lost).toEqual([expect.stringMatching(/: 1000 ms$/)]);
});

it.each(['get', 'post'] as const)('a %s whose answer is lost is sent again', async (method) => {
  const cut = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) });
  const { client, sent } = clientOf([
    new Response('', { status: 503 }),
    new Response(cut),
    new Response('{"ok":true}'),
  ]);
  const reading = method === 'get' ? client.get('/v1/me') : client.post('/v1/chats', {}, { text: 'a' });
  await vi.runAllTimersAsync();
  expect(await reading).toEqual({ ok: true });
  const keys = sent.map((headers) => headers.get('idempotency-key'));
  expect(new Set(keys).size).toBe(1);
  expect([keys.length, keys[0] === null]).toEqual([3, method === 'get']);
});

it('a request without response ends as UNREACHABLE, one whose signal aborted with its reason', async () => {
  const lost = () => new TypeError('no network');
  const { client } = clientOf([lost(), lost(), lost(), lost()]);
  const reading = expect(client.get('/v1/me')).rejects.toEqual(
    new ApiError('UNREACHABLE', 'nothing answers'),
  );
  await vi.runAllTimersAsync();
  await reading;
  const left = client.get('/v1/me', {}, AbortSignal.abort());
  await expect(left).rejects.toThrow('no network');
});
