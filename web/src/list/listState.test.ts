// The list of sessions: pages, filters, and the stream that changes its rows.

import { expect, it, onTestFinished, vi } from 'vitest';
import { connection } from '../frame/connection.ts';
import { openList } from './listState.ts';
import { type Filters, readFilters } from './rows.ts';

const NOW = '2026-11-29T10:00:00.000Z';
const row = (sessionId: string, changes: object = {}) => ({
  ...{ sessionId, status: 'completed', kind: 'investigation', title: sessionId, caveats: [] },
  ...{ createdAt: NOW, endedAt: null, ...changes },
});
const filters = (changes: Partial<Filters> = {}): Filters => ({ ...readFilters({}), ...changes });

/** A list on an API with fake timers. Requests for rows are in `asked`. */
function open() {
  const list = openList();
  const asked: URLSearchParams[] = [];
  const answers = {
    rows: [row('a')] as object[],
    next: null as string | null,
    approvals: [] as object[],
    isRefused: false,
  };
  let write = (_text: string) => {};
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async (address: string) => {
    const { pathname, searchParams } = new URL(address, 'https://a.example');
    if (pathname === '/v1/approvals') return Response.json({ approvals: answers.approvals });
    if (pathname === '/v1/sessions/events')
      return new Response(
        new ReadableStream({
          start: (controller) => {
            write = (text) => controller.enqueue(new TextEncoder().encode(text));
          },
        }),
      );
    asked.push(searchParams);
    if (answers.isRefused) return Response.json({ code: 'NOT_FOUND', detail: 'refused' }, { status: 404 });
    return Response.json({ sessions: answers.rows, next: answers.next, now: NOW });
  });
  vi.stubGlobal('document', { hidden: false, addEventListener() {}, removeEventListener() {} });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => {});
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  /** Starts the list and its stream. */
  const start = async () => {
    const stop = list.start(filters());
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(0);
    return stop;
  };
  const send = async (event: string, data: object) => {
    write(`event: ${event}\ndata: ${JSON.stringify({ now: NOW, ...data })}\n\n`);
    await vi.advanceTimersByTimeAsync(0);
  };
  const ids = () => ({
    shown: list.shown.value.map(({ sessionId }) => sessionId).join(' '),
    fresh: list.fresh.value.map(({ sessionId }) => sessionId).join(' '),
  });
  return { list, asked, answers, start, send, ids };
}

it('the list is read in pages, in the order of need', async () => {
  const { list, asked, answers, ids } = open();
  expect([list.isLoaded.value, ids(), list.next.value]).toEqual([false, { shown: '', fresh: '' }, null]);
  answers.rows = [row('a'), row('b', { status: 'in_progress' })];
  answers.next = 'two';
  await list.load();
  expect([list.isLoaded.value, ids(), list.next.value]).toEqual([true, { shown: 'b a', fresh: '' }, 'two']);
  answers.rows = [row('c')];
  answers.next = null;
  await list.load('two');
  expect([ids().shown, list.next.value]).toEqual(['b a c', null]);
  expect(asked.map((query) => `${query.get('limit')} ${query.get('after')}`)).toEqual([
    '100 null',
    '100 two',
  ]);
  expect([...list.found.value.ids]).toEqual(['a', 'b', 'c']);
});

it('a failure is shown until the next read', async () => {
  const { list, answers, ids } = open();
  answers.isRefused = true;
  await list.load();
  expect([list.error.value?.message, list.isLoaded.value, ids().shown]).toEqual(['refused', false, '']);
  answers.isRefused = false;
  await list.load();
  expect([list.error.value, ids().shown]).toEqual([undefined, 'a']);
});

it('changed filters are searched after the last key, and equal ones not again', async () => {
  const { list, asked } = open();
  list.search(filters({ q: 'first' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.map((query) => query.get('q'))).toEqual(['first']);
  list.search(filters({ q: 'sec' }));
  await vi.advanceTimersByTimeAsync(299);
  list.search(filters({ q: 'second' }));
  list.search(filters({ q: 'second' }));
  expect(list.found.value.ids.size).toBe(0);
  await vi.advanceTimersByTimeAsync(299);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.map((query) => query.get('q'))).toEqual(['first', 'second']);
});

it('an answer for filters that have changed since is not used', async () => {
  const { list, ids } = open();
  const reading = list.load();
  list.search(filters({ q: 'other' }));
  await reading;
  expect([ids().shown, list.isLoaded.value]).toEqual(['', false]);
});

it('the stream changes rows in their places, and new ones wait for theirs', async () => {
  const { list, asked, answers, start, send, ids } = open();
  answers.rows = [row('a'), row('b')];
  const stop = await start();
  expect([ids(), connection.value?.kind]).toEqual([{ shown: 'a b', fresh: '' }, 'live']);
  await send('session', { sessionId: 'b', status: 'in_progress' });
  await send('session', { sessionId: 'c', status: 'in_progress' });
  expect(ids()).toEqual({ shown: 'a b', fresh: 'c' });
  expect(list.shown.value.map(({ title, shown }) => `${title} ${shown}`)).toEqual([
    'a completed',
    'b in_progress',
  ]);
  list.sort();
  expect(ids()).toEqual({ shown: 'b c a', fresh: '' });
  expect(asked).toHaveLength(1);
  answers.rows = [row('c', { title: 'of C' })];
  await vi.advanceTimersByTimeAsync(700);
  expect(asked).toHaveLength(2);
  expect(list.shown.value[1]?.title).toBe('of C');
  stop();
  expect(connection.value).toBeUndefined();
});

it('a heartbeat reads approvals, which are shown at their sessions while they are pending', async () => {
  const { list, asked, answers, start, send } = open();
  answers.rows = [row('a', { status: 'in_progress', agents: [] })];
  const stop = await start();
  const approval = { approvalId: '1', sessionId: 'a', agentName: 'logs', toolName: 'k.restart' };
  for (const [status, shown] of [
    ['pending', 'waits'],
    ['approved', 'in_progress'],
  ]) {
    answers.approvals = [{ ...approval, status }];
    await send('heartbeat', {});
    await vi.advanceTimersByTimeAsync(700);
    expect(list.shown.value.map((one) => one.shown)).toEqual([shown]);
  }
  answers.isRefused = true;
  await send('heartbeat', {});
  await vi.advanceTimersByTimeAsync(700);
  expect([asked.length, list.error.value]).toEqual([4, undefined]);
  await send('heartbeat', {});
  stop();
  await vi.advanceTimersByTimeAsync(700);
  expect(asked).toHaveLength(4);
});

it('a session of the stream is the first row of an empty list, and keeps what the stream named before the page', async () => {
  const { list, answers, start, send, ids } = open();
  answers.rows = [];
  const stop = await start();
  await send('session', { sessionId: 'new', status: 'in_progress', paused: { by: 'kim', at: NOW } });
  expect(ids()).toEqual({ shown: 'new', fresh: '' });
  expect(list.shown.value[0]?.shown).toBe('paused');
  stop();
});
