import { expect, it, vi } from 'vitest';
import { SAMPLE_TIME, sampleEvent, sampleSession } from '../../../test/support/samples.ts';
import { createDocument, deleteDocument } from '../../core/contract/store.ts';
import { liveTextType, paths, sessionType, timelineEventType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import type { RequestDeps } from '../http/route.ts';
import { followLive } from './followLive.ts';
import { followSession } from './followSession.ts';

it('a reader that connects late gets the events in the order of their times', async () => {
  const clock = { now: () => SAMPLE_TIME, every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const session = sampleSession({ status: 'completed', openStage: null });
  const { sessionId } = session;
  const event = (executionId: string, seconds: number) =>
    createDocument(paths.event(sessionId, executionId, 1), timelineEventType, {
      ...sampleEvent('error', { sessionId, executionId, sequenceNumber: 1 }),
      createdAt: new Date(SAMPLE_TIME.getTime() + seconds * 1_000),
    });
  await store.commit([
    createDocument(paths.session(sessionId), sessionType, session),
    event('session', 0),
    event('01-investigator', 1),
  ]);
  const deps = { store, clock, log: console } as unknown as RequestDeps;
  const read: string[] = [];
  const { signal } = new AbortController();
  const seen = new Set<string>();
  const take = ({ executionId }: { executionId: string }) =>
    !seen.has(executionId) && !!seen.add(executionId);
  for await (const item of followSession({ sessionId, take, signal }, deps))
    if (item.kind === 'event') read.push(item.event.executionId);
  expect(read).toEqual(['session', '01-investigator']);
});

it('the streamed text of an answer ends when it is deleted', async () => {
  const clock = { now: () => SAMPLE_TIME, every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const { sessionId } = sampleSession();
  const path = paths.live(sessionId, '01-investigator');
  const until = new Date(SAMPLE_TIME.getTime() + 60_000);
  const text = { text: 'It is', textStart: 0, thinking: '', thinkingStart: 0, verbatim: true };
  const place = { sessionId, executionId: '01-investigator', iteration: 1 };
  await store.commit([
    createDocument(path, liveTextType, { ...place, ...text, freshUntil: until, expireAt: until }),
  ]);
  const old = { ...place, executionId: '02-investigator', ...text, freshUntil: SAMPLE_TIME, expireAt: until };
  await store.commit([createDocument(paths.live(sessionId, '02-investigator'), liveTextType, old)]);
  const changes: boolean[] = [];
  const deps = { store, clock, log: console } as unknown as RequestDeps;
  const stop = followLive(sessionId, ({ ended }) => changes.push(ended), deps);
  await vi.waitFor(() => expect(changes).toEqual([false]));
  await store.commit([deleteDocument(path, liveTextType)]);
  await vi.waitFor(() => expect(changes).toEqual([false, true]));
  stop();
});
