import { expect, it } from 'vitest';
import { sampleSession } from '../../../test/support/samples.ts';
import { rerunPart } from '../../alerts/schema/rerun.ts';
import { createDocument } from '../../core/contract/store.ts';
import { NO_PARTS, type WithParts, withPart } from '../../core/schema/parts.ts';
import type { Thread } from '../../kits/deliveries/delivery.ts';
import { paths, sessionType, threadType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { holdThread } from './threadLease.ts';

const START = Date.parse('2026-11-26T09:00:00Z');

/** A session, and the threads of it and of the one that it repeats. */
async function open(parts: WithParts = NO_PARTS, threads: Partial<Thread>[] = []) {
  const clock = { now: () => new Date(START), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const session = sampleSession(parts);
  const { sessionId, expireAt } = session;
  const none = {
    holder: null,
    heldUntil: null,
    place: null,
    rootRef: null,
    editedAt: null,
    quietUntil: null,
  };
  const fresh: Thread = {
    ...{ sessionId, destination: 'team', root: 'none', ...none, expireAt, createdAt: clock.now() },
  };
  const stored = threads.map((one) => ({ ...fresh, ...one }));
  await store.commit([
    createDocument(paths.session(sessionId), sessionType, session),
    ...stored.map((one) => createDocument(paths.thread(one.sessionId, 'team'), threadType, one)),
  ]);
  const hold = (hasThreads = true, id = sessionId) =>
    holdThread(
      { sessionId: id, destination: 'team' },
      'p',
      { timeoutMs: 15_000, capabilities: { thread: hasThreads } },
      { store, clock },
    );
  const read = async () => (await store.get(paths.thread(sessionId, 'team'), threadType))?.value;
  return { store, fresh, hold, read };
}

it('a new thread is that of its session, without a first message', async () => {
  const { fresh, hold, read } = await open();
  const held = await hold();
  const taken = { ...fresh, holder: 'p', heldUntil: new Date(START + 45_000) };
  expect([held?.current(), await read()]).toEqual([taken, taken]);
  await held?.commit({ root: 'sent', rootRef: 'r' }, [], 60_000);
  const sent = { ...fresh, root: 'sent', rootRef: 'r' };
  const longer = { ...sent, holder: 'p', heldUntil: new Date(START + 90_000) };
  expect([held?.current(), await read()]).toEqual([longer, longer]);
  await held?.release();
  expect(await read()).toEqual(sent);
  expect((await hold())?.current()).toMatchObject({ root: 'sent', rootRef: 'r' });
});

it('there is no thread of a session that is not stored', async () => {
  const { hold } = await open();
  expect(await hold(true, 'missing')).toBeUndefined();
});

it('a thread that another process creates first is not held', async () => {
  const { store, hold } = await open();
  store.commit = async () => ({ ok: false, reason: 'exists' });
  expect(await hold()).toBeUndefined();
});

it('a commit has the versions of the other documents', async () => {
  const { store, fresh, hold } = await open();
  const other = { ...fresh, sessionId: 'other' };
  const held = await hold();
  const write = createDocument(paths.thread('other', 'team'), threadType, other);
  const versions = await held?.commit({}, [write], 15_000);
  expect(versions).toEqual([(await store.get(paths.thread('other', 'team'), threadType))?.version]);
});

it.each([
  [
    'where there are threads',
    true,
    { rootRef: 'r', place: 'C1', root: 'sent', editedAt: new Date(START) },
    { root: 'gone', rootRef: 'r', place: 'C1' },
  ],
  ['not without threads', false, { rootRef: 'r', place: 'C1', root: 'sent' }, {}],
  ['not if that was never sent', true, { place: 'C1', root: 'unknown' }, {}],
] as const)(
  'a rerun continues the first message of the session that it repeats: %s',
  async (_, hasThreads, earlier, expected) => {
    const { fresh, hold } = await open(withPart(rerunPart, NO_PARTS, { of: 'first' }), [
      { ...earlier, sessionId: 'first' },
    ]);
    expect((await hold(hasThreads))?.current()).toMatchObject({
      ...fresh,
      ...expected,
      holder: 'p',
      heldUntil: expect.any(Date),
    });
  },
);

it('a thread is held by one process until its lease ends, and the earlier holder stores nothing then', async () => {
  let now = Date.parse('2026-11-26T09:00:00Z');
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const session = sampleSession();
  const { sessionId } = session;
  await store.commit([createDocument(paths.session(sessionId), sessionType, session)]);
  const rules = {
    timeoutMs: 15_000,
    capabilities: { thread: true },
  };
  const hold = (holder: string) =>
    holdThread({ sessionId, destination: 'team' }, holder, rules, { store, clock });
  const first = await hold('first');
  now += 44_000;
  expect(await hold('second')).toBeUndefined();
  now += 1_000;
  const second = await hold('second');
  expect(second?.current().holder).toBe('second');
  expect(await first?.commit({ place: 'C1' }, [], 15_000)).toBeUndefined();
  expect(await second?.commit({ place: 'C2' }, [], 15_000)).toEqual([]);
});
