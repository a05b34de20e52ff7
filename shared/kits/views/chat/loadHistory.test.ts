import { describe, expect, it } from 'vitest';
import {
  sampleAgent,
  sampleEvent,
  sampleExecution,
  sampleSession,
} from '../../../../test/support/samples.ts';
import { createDocument } from '../../../core/contract/store.ts';
import { RetryableError } from '../../../core/errors.ts';
import { chatExecutionId } from '../../../core/kernel/conversation/chatStage.ts';
import { executionType, paths, timelineEventType } from '../../../lists/documents.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { fitExchanges, loadExchanges } from './loadHistory.ts';

const chain = { ...sampleSession().chain, chat: sampleAgent({ name: 'chat' }) };
const log = createLogger({ LOG_LEVEL: 'silent' });

/** The history of questions with these answers: null: failed, undefined: documents are gone. */
async function historyOf(
  answers: (string | null | undefined)[],
  question = (number: number) => `q${number}`,
  tools: string[] = [],
) {
  const planned = { ...chain, chat: { ...chain.chat, tools } };
  const session = sampleSession({ chain: planned, questions: answers.length });
  const { sessionId } = session;
  const store = createMemoryStore();
  for (const [index, finalAnalysis] of answers.entries()) {
    if (finalAnalysis === undefined) continue;
    const executionId = chatExecutionId(session, index + 1);
    const asked = sampleEvent('user_question', { executionId, content: question(index + 1) });
    await store.commit([
      createDocument(paths.event(sessionId, executionId, 1), timelineEventType, asked),
      createDocument(
        paths.execution(sessionId, executionId),
        executionType,
        sampleExecution({ executionId, finalAnalysis }),
      ),
    ]);
  }
  const { exchanges: all, leftOut } = await loadExchanges(session, { store, log });
  const exchanges = fitExchanges(all, planned.chat);
  return { session, store, history: { exchanges, leftOut: leftOut + all.length - exchanges.length } };
}

describe('earlier questions', () => {
  it('is in order, without unanswered questions', async () => {
    const { history } = await historyOf(['a1', null, undefined, '', 'a5']);
    expect(history).toMatchObject({
      exchanges: [
        { question: 'q1', answer: 'a1' },
        { question: 'q5', answer: 'a5' },
      ],
      leftOut: 0,
    });
  });

  it('is the latest twenty questions', async () => {
    const { history } = await historyOf(Array.from({ length: 23 }, (_, index) => `a${index + 1}`));
    expect(history.exchanges).toHaveLength(20);
    expect(history).toMatchObject({
      leftOut: 3,
      exchanges: { 0: { question: 'q4' }, 19: { answer: 'a23' } },
    });
  });

  it('is the latest of those that fit in 200,000 bytes', async () => {
    const { history } = await historyOf(['a', 'b', 'c'], (number) => String(number).repeat(99_990));
    expect(history).toMatchObject({ leftOut: 1, exchanges: [{ answer: 'b' }, { answer: 'c' }] });
  });

  it('has whole answers up to 200,000 bytes, above it the oldest shortened for an agent with tools', async () => {
    const half = 'x'.repeat(99_998);
    const whole = (await historyOf([half, half], undefined, ['search'])).history;
    expect(whole.exchanges.map(({ answer }) => answer.length)).toEqual([99_998, 99_998]);
    const above = (await historyOf([half, half, 'x'.repeat(90_000)], undefined, ['search'])).history;
    expect(above.leftOut).toBe(0);
    expect(above.exchanges.map(({ answer }) => answer.length > 1_000)).toEqual([false, true, true]);
    expect(above.exchanges[0]?.answer).toContain('REM LOOKUP session-');
    const without = (await historyOf([half, half, half])).history;
    expect(without).toMatchObject({ leftOut: 1, exchanges: [{ question: 'q2' }, { answer: half }] });
  });

  it('has at least the latest answer, cut where it is larger than all that fits', async () => {
    const { history } = await historyOf(['a', 'x'.repeat(300_000)]);
    expect(history).toMatchObject({ leftOut: 1, exchanges: [{ question: 'q2' }] });
    expect(history.exchanges[0]?.answer.length).toBeGreaterThan(150_000);
    expect(history.exchanges[0]?.answer.length).toBeLessThanOrEqual(200_000);
  });

  it('is left out whole where the store fails, and nothing else is hidden', async () => {
    const { session, store } = await historyOf(['a1']);
    const failing = (error: Error) =>
      loadExchanges(session, {
        store: { ...store, get: () => Promise.reject(error) },
        log,
      });
    const down = new RetryableError('STORE_UNAVAILABLE', 'the store is down');
    expect(await failing(down)).toEqual({ exchanges: [], leftOut: 1 });
    await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug');
  });
});
