import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleEvent, sampleSession } from '../../../test/support/samples.ts';
import { createDocument } from '../../core/contract/store.ts';
import { paths, sessionType, timelineEventType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import type { RequestDeps } from '../http/route.ts';
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
