import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  samplePendingCall,
} from '../../../../test/support/samples.ts';
import { createMemoryPublisher } from '../../../store/memory/memoryPublisher.ts';
import { type Failure, TERMINAL_STATUSES } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { closeExecution, endWithFailure, finishIteration, publishIteration } from './nextIteration.ts';

const now = SAMPLE_TIME;
const execution = (overrides: Partial<Execution> = {}) =>
  sampleExecution({ lastEvent: 4, lastMessage: 5, ...overrides });
const events = (batch: ReturnType<typeof startBatch>) =>
  batch.writes.filter(({ type }) => type.name === 'timelineEvent').map(({ value }) => value as TimelineEvent);

describe('finishIteration', () => {
  it('makes the execution ready for the next message', () => {
    const before = execution();
    const batch = startBatch(before, now);
    batch.appendEvent({ eventType: 'llm_response', content: 'x', metadata: {} });
    expect(finishIteration(before, batch)).toEqual({
      ...before,
      iteration: 2,
      claims: 0,
      startedClaims: 0,
      pendingCalls: [],
      lease: null,
      lastEvent: 5,
      lastMessage: 5,
    });
  });

  it('counts time-outs in a row', () => {
    const before = execution({ consecutiveTimeouts: 0 });
    const next = (consecutiveTimeouts: number, timedOut: boolean) => {
      const execution = { ...before, consecutiveTimeouts };
      return finishIteration(execution, startBatch(execution, now), { timedOut }).consecutiveTimeouts;
    };
    expect(next(0, true)).toBe(1);
    expect(next(1, false)).toBe(0);
  });

  it('does not count a time-out of a call, which is a result for the model', () => {
    const timedOut = samplePendingCall({ index: 1, state: 'failed', timedOut: true });
    const before = execution({ pendingCalls: [samplePendingCall({ state: 'done' }), timedOut] });
    expect(finishIteration(before, startBatch(before, now)).consecutiveTimeouts).toBe(0);
  });

  it('counts empty answers in a row, and forgets them after an iteration with an answer', () => {
    const before = execution({ emptyAnswers: 1, pendingCalls: [] });
    const next = (answeredNothing: boolean) =>
      finishIteration(before, startBatch(before, now), { answeredNothing });
    expect(next(true)).toMatchObject({ emptyAnswers: 2, status: 'active' });
    expect(next(false).emptyAnswers).toBe(0);
  });

  it('ends it in the same batch when an ending is due, with the number of the iteration that ran', () => {
    const limits = { ...sampleAgent().limits, afterFailure: 'fail' as const };
    const before = execution({ limits, consecutiveTimeouts: 1, lastErrorMessage: 'slow', pendingCalls: [] });
    const batch = startBatch(before, now);
    const after = finishIteration(before, batch, { timedOut: true });
    expect(after).toMatchObject({ status: 'failed', iteration: 1, endedAt: now, lastEvent: 5 });
    expect(after.failure?.code).toBe('ITERATION_TIMEOUT');
    expect(events(batch)).toMatchObject([
      { eventType: 'error', sequenceNumber: 5, metadata: { iteration: 1 } },
    ]);
  });

  it('ends it after the last iteration when that failed', () => {
    const limits = { ...sampleAgent().limits, maxIterations: 1, afterFailure: 'fail' as const };
    const before = execution({ limits, lastInteractionFailed: true, pendingCalls: [] });
    const after = finishIteration(before, startBatch(before, now));
    expect(after.failure?.code).toBe('MAX_ITERATIONS');
  });
});

describe('endWithFailure', () => {
  const failure: Failure = { code: 'CANCELLED', message: 'Cancelled.' };
  const before = execution({
    lastEvent: 9,
    lastMessage: 8,
    pendingCalls: [
      samplePendingCall({ index: 0, state: 'done', resultEvent: 5, resultMessage: 6 }),
      samplePendingCall({ index: 1, state: 'running', resultEvent: 7, resultMessage: 7 }),
      samplePendingCall({ index: 2, state: 'requested', resultEvent: 9, resultMessage: 8 }),
    ],
  });

  it('appends a result for each call without one, then the error event', () => {
    const batch = startBatch(before, now);
    const after = endWithFailure(before, { status: 'cancelled', failure }, batch);
    expect(events(batch)).toMatchObject([
      {
        eventType: 'tool_result',
        sequenceNumber: 7,
        status: 'cancelled',
        content: expect.stringMatching(/^No result: Cancelled\..*unverified/),
      },
      { eventType: 'tool_result', sequenceNumber: 9, status: 'cancelled', content: 'Not run: Cancelled.' },
      { eventType: 'error', sequenceNumber: 10, status: 'cancelled', content: 'Cancelled.' },
    ]);
    const messages = batch.writes.filter(({ type }) => type.name === 'message').map(({ value }) => value);
    expect(messages).toMatchObject([
      { role: 'tool', sequenceNumber: 7 },
      { role: 'tool', sequenceNumber: 8 },
    ]);
    expect(after).toMatchObject({
      status: 'cancelled',
      failure,
      pendingCalls: [],
      lease: null,
      lastEvent: 10,
      lastMessage: 8,
    });
  });

  it('writes documents that are valid', () => {
    const batch = startBatch(before, now);
    endWithFailure(before, { status: 'timed_out', failure }, batch);
    for (const { type, value } of batch.writes) expect(() => type.encode(value as never)).not.toThrow();
  });
});

describe('closeExecution', () => {
  it('leaves nothing pending', () => {
    const before = execution();
    const after = closeExecution(
      before,
      { status: 'completed', failure: null, finalAnalysis: 'OOM' },
      startBatch(before, now),
    );
    expect(after).toMatchObject({
      status: 'completed',
      finalAnalysis: 'OOM',
      pendingCalls: [],
      lease: null,
      endedAt: now,
    });
  });
});

describe('publishIteration', () => {
  it('publishes ids only, with the session in the attributes', async () => {
    const publisher = createMemoryPublisher();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await publishIteration(publisher, execution({ iteration: 7, traceparent }));
    const [message] = publisher.published;
    expect(message).toMatchObject({
      topic: 'iterations',
      attributes: { sessionId: 'session-1', executionId: '01-kubernetes', traceparent },
    });
    // Pinned: another version of this code may read it.
    expect(String(message?.data)).toBe(
      '{"schemaVersion":1,"sessionId":"session-1","executionId":"01-kubernetes","iteration":7}',
    );
  });

  it('has no traceparent when there is none', async () => {
    const publisher = createMemoryPublisher();
    await publishIteration(publisher, execution());
    expect(publisher.published[0]?.attributes).toEqual({
      sessionId: 'session-1',
      executionId: '01-kubernetes',
    });
  });

  it.each(TERMINAL_STATUSES)('publishes nothing for an execution that is %s', async (status) => {
    const publisher = createMemoryPublisher();
    await publishIteration(publisher, execution({ status }));
    expect(publisher.published).toEqual([]);
  });
});
