import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import { computeDueAt } from './dueAt.ts';

const at = (seconds: number): Date => new Date(SAMPLE_TIME.getTime() + seconds * 1000);
const idle = { lease: null, notBefore: null, pendingCalls: [] };
const due = (overrides: Parameters<typeof sampleExecution>[0]) =>
  computeDueAt(sampleExecution({ ...idle, ...overrides }), at(0));

it('an execution that has ended is never late', () => {
  for (const status of ['completed', 'failed', 'cancelled', 'timed_out'] as const) {
    expect(due({ status })).toBeNull();
  }
});

it('one that is held is late when its lease has run out', () => {
  const lease = { holder: 'a', until: at(30), messageId: null };
  expect(due({ lease, notBefore: at(500) })).toEqual(at(30));
});

it('one that waits for its message is late after a minute', () => {
  expect(due({})).toEqual(at(60));
});

it('one that pauses is late at the end of its pause, but not before its message is', () => {
  expect(due({ notBefore: at(300) })).toEqual(at(300));
  expect(due({ notBefore: at(10) })).toEqual(at(60));
});

it('one that waits long for its model is late at the end of its pause', () => {
  const outage = { code: 'MODEL_QUOTA' as const, since: at(-1), pauses: 3, calls: 3, parked: true };
  expect(due({ notBefore: at(59), outage })).toEqual(at(59));
  expect(due({ notBefore: at(0), outage })).toEqual(at(60));
});

it('none is late later than its deadline', () => {
  expect(due({ deadline: at(20) })).toEqual(at(20));
  expect(due({ deadline: at(20), notBefore: at(300) })).toEqual(at(20));
  expect(due({ deadline: at(-5) })).toEqual(at(-5));
});

it('one whose calls wait is late when the first of the waits is over', () => {
  const waiting = (seconds: number) =>
    samplePendingCall({
      state: 'waiting',
      waits: 'child',
      waitsFor: { kind: 'child', id: '01-a~1', until: at(seconds) },
    });
  const settled = { ...waiting(5), state: 'done' as const };
  expect(due({ status: 'waiting', pendingCalls: [settled, waiting(400), waiting(200)] })).toEqual(at(200));
});
