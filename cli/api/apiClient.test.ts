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
