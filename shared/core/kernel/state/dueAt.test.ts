import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import { DUE_BUCKETS } from '../../schema/execution.ts';
import { computeDue, readDue } from './dueAt.ts';

const at = (seconds: number): Date => new Date(SAMPLE_TIME.getTime() + seconds * 1000);
const idle = { lease: null, notBefore: null, pendingCalls: [], deadline: at(3_600) };
type Overrides = Parameters<typeof sampleExecution>[0];
const due = (overrides: Overrides, now = at(0)) =>
  readDue({ due: computeDue(sampleExecution({ ...idle, ...overrides }), now) });
/** Seconds until it is due. */
const seconds = (overrides: Overrides, now = 0) =>
  (Number(due(overrides, at(now))) - SAMPLE_TIME.getTime()) / 1000 - now;

it('an execution that has ended is never late', () => {
  for (const status of ['completed', 'failed', 'cancelled', 'timed_out'] as const) {
    expect(computeDue(sampleExecution({ ...idle, status }), at(0))).toEqual({});
  }
});

const lease = (until: number) => ({ holder: 'a', until: at(until), messageId: null });

it('one without a message or with a holder is late 30 to 60 seconds after a write', () => {
  const all = Array.from({ length: 200 }, (_, n) => seconds({ executionId: `01-${n}` }));
  expect(Math.min(...all)).toBeGreaterThan(30);
  expect(Math.max(...all)).toBeLessThanOrEqual(60);
  expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(25);
  expect(due({ lease: lease(30) })).toEqual(due({}));
});

it('one that is held is not late while its lease runs', () => {
  expect(due({ lease: lease(500), notBefore: at(900) })).toEqual(at(500));
  expect(due({ lease: lease(30), deadline: at(20) })).toEqual(at(30));
  expect(due({ lease: lease(30), deadline: at(40) })).toEqual(at(40));
});

it('the time changes once in 30 seconds, however often it is written', () => {
  const times = Array.from({ length: 600 }, (_, tenth) =>
    Number(due(tenth % 2 === 0 ? {} : { lease: lease(tenth / 10 + 30) }, at(tenth / 10))),
  );
  expect(new Set(times).size).toBe(3);
});

it('each bucket has as many executions', () => {
  const counts = new Map<string, number>(DUE_BUCKETS.map((bucket) => [bucket, 0]));
  for (let n = 0; n < 8_000; n++) {
    const [bucket = ''] = Object.keys(computeDue(sampleExecution({ ...idle, sessionId: `s-${n}` }), at(0)));
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  expect(counts.size).toBe(DUE_BUCKETS.length);
  for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(200);
});

it('one that pauses is late at the end of its pause, but not before its message is', () => {
  expect(due({ notBefore: at(300) })).toEqual(at(300));
  expect(due({ notBefore: at(10) })).toEqual(due({}));
});

it('one that waits long for its model is late at the end of its pause', () => {
  const outage = { code: 'MODEL_QUOTA' as const, since: at(-1), pauses: 3, calls: 3, parked: true };
  expect(due({ notBefore: at(59), outage })).toEqual(at(59));
  expect(due({ notBefore: at(0), outage })).toEqual(due({}));
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
