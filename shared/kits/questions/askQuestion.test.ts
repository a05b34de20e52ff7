import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAgent, sampleControl, sampleSession } from '../../../test/support/samples.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { Session } from '../../core/schema/session.ts';
import { controlType, paths, sessionType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { askQuestion, MAX_QUESTIONS } from './askQuestion.ts';

const MINUTE = 60_000;
const now = new Date(SAMPLE_TIME.getTime() + 600 * MINUTE);
const chain = { ...sampleSession().chain, chat: sampleAgent({ name: 'chat' }) };

/** Asks about a session that has ended, whose investigation could take half an hour. */
async function ask(session: Partial<Session> = {}, publish?: () => Promise<string>) {
  const store = createMemoryStore(() => now);
  const value = sampleSession({ status: 'completed', chain, ...session });
  const path = paths.session(value.sessionId);
  const control = sampleControl({ paused: value.steering.paused !== null });
  await store.commit([
    createDocument(path, sessionType, value),
    createDocument(paths.control(value.sessionId), controlType, control),
  ]);
  const publisher = createMemoryPublisher();
  const outcome = await askQuestion(
    value.sessionId,
    { text: 'Since when?', by: 'ada' },
    composeState({
      store,
      publisher: publish === undefined ? publisher : { ...publisher, publish },
      clock: { now: () => now, every: () => () => {}, after: () => () => {} },
      log: createLogger({ LOG_LEVEL: 'silent' }),
      maskerFor: createMaskers({}),
    }),
  );
  const stored = (await store.get(path, sessionType))?.value;
  const isPaused = (await store.get(paths.control(value.sessionId), controlType))?.value.paused;
  return { outcome, stored, isPaused };
}

describe('a question', () => {
  it('has as long as its investigation had, but not longer than the session is kept', async () => {
    const deadline = new Date(now.getTime() + 30 * MINUTE);
    expect((await ask()).outcome).toMatchObject({ kind: 'asked', deadline });
    const expireAt = new Date(now.getTime() + 10 * MINUTE);
    expect((await ask({ expireAt })).outcome).toMatchObject({ kind: 'asked', deadline: expireAt });
  });

  it('is the last of fifty', async () => {
    const last = await ask({ questions: MAX_QUESTIONS - 1 });
    expect(last.stored).toMatchObject({ questions: 50, openStage: { cancelling: false } });
    expect((await ask({ questions: MAX_QUESTIONS })).outcome).toEqual({ kind: 'too_many' });
  });

  it.each(['in_progress', 'cancelling', 'deferred'] as const)(
    'is refused while its session is %s',
    async (status) => {
      expect((await ask({ status })).outcome).toEqual({ kind: 'not_ended', status });
    },
  );

  it('about a session that ended while it was paused is not paused', async () => {
    const { steering } = sampleSession();
    const { stored, isPaused } = await ask({ steering: { ...steering, paused: { by: 'bob', at: now } } });
    expect([stored?.steering.paused, isPaused]).toEqual([null, false]);
  });

  it('whose message is not published is asked all the same: the sweep publishes it', async () => {
    const { outcome, stored } = await ask({}, () => Promise.reject(new Error('Pub/Sub is down')));
    expect(outcome).toMatchObject({ kind: 'asked', isPublished: false });
    expect(stored?.openStage).not.toBeNull();
  });
});
