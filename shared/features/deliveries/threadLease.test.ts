import { expect, it } from 'vitest';
import { sampleSession } from '../../../test/support/samples.ts';
import { createDocument } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { holdThread } from './threadLease.ts';

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
