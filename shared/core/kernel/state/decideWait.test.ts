import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import { TERMINAL_STATUSES } from '../../schema/common.ts';
import type { WaitKind } from '../../schema/execution.ts';
import { decideWait, isWaitOver } from './decideWait.ts';

const now = SAMPLE_TIME;
const seconds = (count: number) => new Date(now.getTime() + count * 1_000);
const waiting = (kind: WaitKind, until = seconds(1)) =>
  samplePendingCall({ state: 'waiting', waits: kind, waitsFor: { kind, id: '01-a~1', until } });
const child = sampleExecution({ executionId: '01-a~1' });

it('a child that is at work is left unchanged', () => {
  expect(decideWait(waiting('child'), child, now)).toEqual({ kind: 'leave' });
});

it.each(TERMINAL_STATUSES)('a child that is %s settles the call, also when the time is up', (status) => {
  const ended = { ...child, status };
  for (const until of [seconds(1), now]) {
    expect(decideWait(waiting('child', until), ended, now)).toEqual({ kind: 'settle', child: ended });
  }
});

it('a child that was never claimed gets its message again', () => {
  const unclaimed = { ...child, publishedIteration: 0 };
  expect(decideWait(waiting('child'), unclaimed, now)).toEqual({ kind: 'publish_child', child: unclaimed });
});

it('a child is ended when the time is up, from that very moment on', () => {
  expect(decideWait(waiting('child', now), child, now)).toEqual({ kind: 'end_child', child });
  expect(decideWait(waiting('child', seconds(0.001)), child, now)).toEqual({ kind: 'leave' });
});

it('a child that is missing or broken fails the call', () => {
  expect(decideWait(waiting('child'), undefined, now)).toEqual({ kind: 'fail' });
});

it('a person can decide until the time is up', () => {
  expect(decideWait(waiting('person'), undefined, now)).toEqual({ kind: 'leave' });
  expect(decideWait(waiting('person', now), undefined, now)).toEqual({ kind: 'time_out' });
});

it('a call that waits for nothing fails', () => {
  expect(decideWait(samplePendingCall({ state: 'waiting' }), undefined, now)).toEqual({ kind: 'fail' });
});

it.each([
  ['none of its calls is over', [waiting('child'), waiting('person')], false],
  ['one is over', [waiting('child'), waiting('person', now)], true],
  ['its child has a time limit that has passed', [waiting('child', now)], true],
  ['a call waits for nothing', [samplePendingCall({ state: 'waiting' })], true],
  ['a call that is over was settled', [{ ...waiting('person', now), state: 'done' as const }], false],
])('the wait of an execution is over or not when %s', (_, pendingCalls, isOver) => {
  const children = new Map([['01-a~1', child]]);
  const execution = sampleExecution({ status: 'waiting', pendingCalls });
  expect(isWaitOver(execution, children, now)).toBe(isOver);
  expect(isWaitOver({ ...execution, status: 'active' }, children, now)).toBe(false);
});

it('a child that was never claimed ends no wait, one that is missing or has ended does', () => {
  const execution = sampleExecution({ status: 'waiting', pendingCalls: [waiting('child')] });
  const over = (found?: typeof child) => isWaitOver(execution, new Map(found && [['01-a~1', found]]), now);
  expect(over({ ...child, publishedIteration: 0 })).toBe(false);
  expect(over({ ...child, status: 'failed' })).toBe(true);
  expect(over()).toBe(true);
});
