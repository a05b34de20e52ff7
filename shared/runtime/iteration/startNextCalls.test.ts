import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../test/support/samples.ts';
import type { PendingCall } from '../../schema/execution.ts';
import { startBatch } from './executionBatch.ts';
import { startNextCalls } from './startNextCalls.ts';

const call = (index: number, overrides: Partial<PendingCall> = {}): PendingCall =>
  samplePendingCall({
    index,
    callId: `call-${index}`,
    resultEvent: 10 + index,
    resultMessage: 20 + index,
    ...overrides,
  });

function start(pendingCalls: PendingCall[]) {
  const execution = sampleExecution({ pendingCalls, lastEvent: 19, lastMessage: 29 });
  const batch = startBatch(execution, SAMPLE_TIME);
  const next = startNextCalls(execution, batch);
  return { next, states: next.pendingCalls.map(({ state }) => state), writes: batch.writes };
}

it('the next calls are recorded as running', () => {
  const { states, writes } = start([call(0, { state: 'done' }), call(1), call(2)]);
  expect(states).toEqual(['done', 'running', 'running']);
  expect(writes).toEqual([]);
});

it('with the last result the iteration is finished', () => {
  const { next } = start([call(0, { state: 'done' }), call(1, { state: 'failed' })]);
  expect(next).toMatchObject({ iteration: 2, lease: null, pendingCalls: [], claims: 0 });
});

it.each(['child', 'person'] as const)(
  'a call that would have to wait for a %s fails in its turn, and the next ones start',
  (waits) => {
    const { next, states, writes } = start([call(0, { waits }), call(1, { state: 'done' })]);
    expect(next).toMatchObject({ iteration: 2, lastErrorMessage: expect.stringContaining(waits) });
    expect(states).toEqual([]);
    expect(writes.map(({ value }) => value)).toMatchObject([
      {
        eventType: 'tool_result',
        sequenceNumber: 10,
        status: 'failed',
        content: expect.stringMatching(`it would have to wait for a ${waits}`),
      },
      { role: 'tool', sequenceNumber: 20 },
    ]);
  },
);

it('ordinary calls run before any of their group is refused', () => {
  const { states } = start([call(0, { waits: 'child' }), call(1)]);
  expect(states).toEqual(['requested', 'running']);
});
