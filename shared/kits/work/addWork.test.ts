import { describe, expect, it, vi } from 'vitest';
import { SAMPLE_TIME, sampleKnowledge, sampleSession } from '../../../test/support/samples.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import type { Session } from '../../core/schema/session.ts';
import { knowledgeType, paths, sessionType, timelineEventType, workType } from '../../lists/documents.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { type Origin, UNREVIEWED } from '../../search/knowledge.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { addWork, type WorkInput } from './addWork.ts';
import { MAX_WORK, MAX_WORK_TEXT, WORK_EVENTS } from './work.ts';

const { sessionId } = sampleSession();
const note = (text: string): WorkInput => ({ kind: 'note', text, review: null, by: 'ada', seen: null });

/** A store with a session that has ended, and a clock that advances with each reading. */
async function start(changes: Partial<Session> = {}) {
  let now = SAMPLE_TIME.getTime();
  const clock = { now: () => new Date(now++), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const session = sampleSession({
    status: 'completed',
    finalAnalysis: 'The disk is full.',
    ...changes,
  });
  await store.commit([createDocument(paths.session(sessionId), sessionType, session)]);
  const add = (input: WorkInput, through: Store = store) =>
    addWork(sessionId, input, { store: through, clock, maskerFor: createMaskers({}) });
  const entries = () => store.list({ collection: paths.allWork(sessionId) }, workType);
  return { store, add, entries };
}

describe('an entry', () => {
  it.each([
    ['was lost', () => ({ ok: false as const, reason: 'exists' as const })],
    [
      'was an error',
      () => {
        throw new RetryableError('STORE_UNAVAILABLE', 'no response');
      },
    ],
  ])('is added once although the response to its commit %s', async (_, answer) => {
    const { store, add, entries } = await start();
    await add(note('first'));
    let commits = 0;
    const losing: Store = {
      ...store,
      async commit(writes) {
        const result = await store.commit(writes);
        commits += 1;
        return commits === 1 ? answer() : result;
      },
    };
    const outcome = await add({ ...note('second'), seen: 1 }, losing);
    expect(outcome).toMatchObject({ kind: 'added', entry: { number: 2, text: 'second' } });
    expect((await entries()).map(({ value }) => value.text)).toEqual(['first', 'second']);
    expect(commits).toBe(1);
  });

  it('gets the next number when another person was faster, also with the same text', async () => {
    const { store, add, entries } = await start();
    let isFirst = true;
    const late: Store = {
      ...store,
      async commit(writes) {
        if (isFirst) await add(note('restarted'));
        isFirst = false;
        return await store.commit(writes);
      },
    };
    expect(await add(note('restarted'), late)).toMatchObject({ kind: 'added', entry: { number: 2 } });
    expect(await entries()).toHaveLength(2);
  });

  it('is stored when masking makes it longer than a person can write', async () => {
    const { store, add, entries } = await start();
    const secret = 'password=aB3dE6gH9 ';
    const text = secret.repeat(Math.floor(MAX_WORK_TEXT / secret.length));
    expect(await add(note(text))).toMatchObject({ kind: 'added' });
    const [entry] = await entries();
    expect(entry?.value.text?.length).toBeGreaterThan(MAX_WORK_TEXT);
    expect(entry?.value.text).not.toContain('aB3dE6gH9');
    const event = await store.get(paths.event(sessionId, WORK_EVENTS, 1), timelineEventType);
    expect(event?.value.content).toContain(entry?.value.text ?? '?');
  });

  it('of a review has its details in the timeline', async () => {
    const { store, add } = await start();
    const cause = { component: 'api', mechanism: null, text: 'no memory' };
    const review = { rating: 'wrong' as const, cause, action: 'restart', missed: null };
    await add({ ...note('x'), kind: 'review', text: null, review });
    const event = await store.get(paths.event(sessionId, WORK_EVENTS, 1), timelineEventType);
    expect(event?.value.content).toBe('Review of ada: wrong: Cause: api, no memory. Helped: restart');
  });
});

describe('a whole entry', () => {
  const ORIGIN: Origin = { ...UNREVIEWED, sessionId, identity: null, shown: [] };
  const cause = { component: 'api password=aB3dE6gH9', mechanism: null, text: null };
  const review = { rating: 'right' as const, cause, action: ' restart ', missed: null };

  it('has masked texts without blanks around them, and an event with the number of masked values', async () => {
    const { store, add, entries } = await start();
    await add({ kind: 'review', text: null, review, by: ' ada ', seen: 0 });
    const { expireAt, currentStageId } = sampleSession();
    const createdAt = expect.any(Date);
    const component = expect.stringMatching(/^api password=\S+$/);
    expect((await entries()).map(({ value }) => value)).toEqual([
      {
        sessionId,
        number: 1,
        kind: 'review',
        text: null,
        review: { rating: 'right', cause: { ...cause, component }, action: 'restart', missed: null },
        by: 'ada',
        expireAt,
        createdAt,
      },
    ]);
    const event = await store.get(paths.event(sessionId, WORK_EVENTS, 1), timelineEventType);
    expect(event?.value).toEqual({
      eventType: 'notice',
      sessionId,
      stageId: currentStageId,
      executionId: WORK_EVENTS,
      parentExecutionId: null,
      sequenceNumber: 1,
      iteration: null,
      status: 'completed',
      content: expect.stringMatching(/^Review of ada: right: Cause: api password=\S+\. Helped: restart$/),
      metadata: { code: 'work_reviewed', subject: 'ada', masked: 1 },
      expireAt,
      createdAt,
    });
  });

  it('without a text, or anything to mask, has no more in its event', async () => {
    const { store, add } = await start();
    const outcome = await add({ kind: 'claim', text: null, review: null, by: 'ada', seen: null });
    expect(outcome).toMatchObject({ kind: 'added', state: { claimedBy: 'ada' } });
    const event = await store.get(paths.event(sessionId, WORK_EVENTS, 1), timelineEventType);
    expect(event?.value).toMatchObject({ content: 'ada works on it.' });
    expect(event?.value.metadata).toStrictEqual({ code: 'work_claimed', subject: 'ada' });
  });

  it('of a review decides the trust of the memory of its session, unless that was removed', async () => {
    for (const trust of ['unreviewed', 'expired'] as const) {
      const { store, add } = await start();
      const entry = sampleKnowledge({ session: { ...ORIGIN, trust } });
      const path = paths.knowledgeEntry('default', sessionEntryKey(sessionId));
      await store.commit([createDocument(path, knowledgeType, entry)]);
      await add(note('a note'));
      expect((await store.get(path, knowledgeType))?.value).toEqual(entry);
      await add({ kind: 'review', text: null, review, by: 'ada', seen: null });
      const after = (await store.get(path, knowledgeType))?.value.session;
      expect(after?.trust).toBe(trust === 'expired' ? 'expired' : 'confirmed');
    }
  });
});

describe('an entry is refused', () => {
  const review = { rating: 'right' as const, cause: null, action: null, missed: null };

  it('for a session that does not exist', async () => {
    const store = createMemoryStore();
    const clock = { now: () => SAMPLE_TIME, every: () => () => {}, after: () => () => {} };
    const deps = { store, clock, maskerFor: createMaskers({}) };
    expect(await addWork('none', note('x'), deps)).toEqual({ kind: 'unknown_session' });
  });

  it('if it reviews no analysis, or the person has not seen all entries', async () => {
    const { add } = await start({ finalAnalysis: null });
    const reviewed = { ...note('x'), kind: 'review' as const, review };
    expect(await add(reviewed)).toEqual({ kind: 'no_analysis' });
    expect(await add(note('x'))).toMatchObject({ kind: 'added' });
    expect(await add({ ...note('y'), seen: 0 })).toEqual({ kind: 'changed', entries: 1 });
  });

  it('if there are already as many as there can be', async () => {
    const { store, add } = await start();
    const { expireAt } = sampleSession();
    const entry = { sessionId, kind: 'note' as const, text: 'x', review: null, by: 'ada' };
    const numbers = Array.from({ length: MAX_WORK - 1 }, (_, index) => index + 1);
    for (const from of [0, 250])
      await store.commit(
        numbers.slice(from, from + 250).map((number) =>
          createDocument(paths.work(sessionId, number), workType, {
            ...entry,
            number,
            expireAt,
            createdAt: SAMPLE_TIME,
          }),
        ),
      );
    expect(await add(note('the last'))).toMatchObject({ kind: 'added', entry: { number: MAX_WORK } });
    expect(await add(note('one more'))).toEqual({ kind: 'too_many' });
  });

  it('by a store that fails twice, or with another error', async () => {
    const { store, add, entries } = await start();
    const failing = (error: Error) => {
      const commit = vi.fn(() => Promise.reject(error));
      return { ...store, commit };
    };
    const unavailable = failing(new RetryableError('STORE_UNAVAILABLE', 'no response'));
    await expect(add(note('x'), unavailable)).rejects.toThrow('no response');
    expect(unavailable.commit).toHaveBeenCalledTimes(2);
    const denied = failing(new TerminalError('DOCUMENT_INVALID', 'denied'));
    await expect(add(note('x'), denied)).rejects.toThrow('denied');
    expect(denied.commit).toHaveBeenCalledTimes(1);
    expect(await entries()).toEqual([]);
  });
});
