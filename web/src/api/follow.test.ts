// Streams: retries of a refused one, and the connection of a hidden page.

import { expect, it, onTestFinished, vi } from 'vitest';
import { follow } from './follow.ts';

/** Stubs the page with fake timers. @returns the page; its `onVisibility` is the listener of `follow`. */
function stubPage() {
  const page = {
    hidden: false,
    onVisibility: () => {},
    addEventListener(_name: string, listener: () => void) {
      page.onVisibility = listener;
    },
    removeEventListener: () => {},
  };
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => {});
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return page;
}

it.each([
  { stays: false, words: 'is disconnected after 30 seconds' },
  { stays: true, words: 'that notifies stays connected' },
])('a hidden page $words', async ({ stays }) => {
  const page = stubPage();
  const requests: AbortSignal[] = [];
  vi.stubGlobal('fetch', async (_path: string, { signal }: { signal: AbortSignal }) => {
    requests.push(signal);
    return new Response(new ReadableStream());
  });
  const stop = follow({
    path: '/v1/sessions/events',
    parameters: {},
    onEvent: () => {},
    onConnection: () => {},
    onStale: () => {},
    staysWhenHidden: () => stays,
  });
  // The reader of streams is loaded with the first one.
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(0);
  page.hidden = true;
  page.onVisibility();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(requests.map(({ aborted }) => aborted)).toEqual([!stays]);
  stop();
});

it('a stream that is refused because too many are open is retried until it is accepted', async () => {
  stubPage();
  const refusal = () =>
    Response.json({ code: 'RATE_LIMITED', status: 429, title: '', detail: 'wait' }, { status: 429 });
  const answers = [refusal(), refusal(), new Response('event: end\ndata: {}\n\n')];
  vi.stubGlobal('fetch', async () => answers.shift());
  const kinds: string[] = [];
  const events: string[] = [];
  const stop = follow({
    path: '/v1/sessions/{sessionId}/events',
    parameters: { sessionId: 'a' },
    onEvent: ({ event }) => events.push(event),
    onConnection: ({ kind }) => kinds.push(kind),
    onStale: () => {},
  });
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.dynamicImportSettled();
  await vi.waitFor(() => expect(kinds.at(-1)).toBe('ended'));
  stop();
  expect(kinds).toEqual(['connecting', 'lost', 'lost', 'live', 'ended']);
  expect(events).toEqual(['end']);
});

it.each([
  { chance: 1, waits: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] },
  { chance: 0, waits: [500, 1_000] },
])('a lost connection is opened again after $waits ms with chance $chance', async ({ chance, waits }) => {
  stubPage();
  vi.spyOn(Math, 'random').mockReturnValue(chance);
  onTestFinished(() => void vi.restoreAllMocks());
  const times: number[] = [];
  vi.stubGlobal('fetch', async () => {
    times.push(Date.now());
    throw new TypeError('lost');
  });
  const stop = follow({
    path: '/v1/sessions/events',
    parameters: {},
    onEvent: () => {},
    onConnection: () => {},
    onStale: () => {},
  });
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(100_000);
  stop();
  expect(waits.map((_, index) => (times[index + 1] ?? 0) - (times[index] ?? 0))).toEqual(waits);
});
