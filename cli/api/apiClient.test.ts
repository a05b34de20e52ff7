import { expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from './apiClient.ts';

const event = (id: string) => `event: timeline\nid: ${id}\ndata: {"id":"${id}"}\n\n`;

it('a stream that is lost continues with the next event, and reports the loss', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const bodies = [event('a'), `${event('b')}event: end\ndata: {}\n\n`];
  const asked: (string | undefined)[] = [];
  const client = createClient({
    base: new URL('http://127.0.0.1'),
    where: 'here',
    mayLoseAnswers: true,
    async send(_, { headers = {} }) {
      asked.push(headers['last-event-id']);
      return new Response(bodies.shift());
    },
  });
  const lost: string[] = [];
  const names: unknown[] = [];
  const reading = (async () => {
    const { signal } = new AbortController();
    for await (const { name, data } of client.follow('/x', signal, (line) => lost.push(line)))
      names.push([name, data]);
  })();
  await vi.waitFor(() => expect(lost).toEqual(['the connection ended; connecting again in 1 s']));
  await vi.runAllTimersAsync();
  await reading;
  expect(asked).toEqual([undefined, 'a']);
  expect(names).toEqual([
    ['timeline', { id: 'a' }],
    ['timeline', { id: 'b' }],
    ['end', {}],
  ]);
});

it.each(['get', 'post'] as const)('a %s whose answer is lost is sent again', async (method) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const cut = new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) });
  const answers = [new Response('', { status: 503 }), new Response(cut), new Response('{"ok":true}')];
  const keys: (string | undefined)[] = [];
  const client = createClient({
    base: new URL('http://127.0.0.1'),
    where: 'here',
    mayLoseAnswers: true,
    async send(_, { headers = {} }) {
      keys.push(headers['idempotency-key']);
      return answers.shift() ?? new Response('', { status: 500 });
    },
  });
  const reading = method === 'get' ? client.get('/x') : client.post('/x', {});
  await vi.runAllTimersAsync();
  expect(await reading).toEqual({ ok: true });
  expect(new Set(keys).size).toBe(1);
  expect([keys.length, keys[0] === undefined]).toEqual([3, method === 'get']);
});
