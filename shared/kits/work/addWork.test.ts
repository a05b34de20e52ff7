import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleSession } from '../../../test/support/samples.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { paths, sessionType, timelineEventType, workType } from '../../lists/documents.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { addWork, type WorkInput } from './addWork.ts';
import { MAX_WORK_TEXT, WORK_EVENTS } from './work.ts';

const { sessionId } = sampleSession();
const note = (text: string): WorkInput => ({ kind: 'note', text, review: null, by: 'ada', seen: null });

/** A store with a session that has ended, and a clock that advances with each reading. */
async function start() {
  let now = SAMPLE_TIME.getTime();
  const clock = { now: () => new Date(now++), every: () => () => {}, after: () => () => {} };
  const store = createMemoryStore(clock.now);
  const session = sampleSession({ status: 'completed', finalAnalysis: 'The disk is full.' });
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
