import { expect, it, onTestFinished, vi } from 'vitest';
import { follow } from './follow.ts';

it('a stream that is refused because too many are open is tried again, until it is let in', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: false, addEventListener: () => {}, removeEventListener: () => {} });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => {});
  const refusal = () =>
    Response.json({ code: 'RATE_LIMITED', status: 429, title: '', detail: 'wait' }, { status: 429 });
  const answers = [refusal(), refusal(), new Response('event: end\ndata: {}\n\n')];
  vi.stubGlobal('fetch', async () => answers.shift());
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const kinds: string[] = [];
  const events: string[] = [];
  const stop = follow<{ end: object }>({
    path: '/v1/sessions/events',
    onEvent: ({ event }) => events.push(event),
    onConnection: ({ kind }) => kinds.push(kind),
    onStale: () => {},
  });
  await vi.advanceTimersByTimeAsync(5_000);
  stop();
  expect(kinds).toEqual(['connecting', 'lost', 'lost', 'live', 'ended']);
  expect(events).toEqual(['end']);
});
