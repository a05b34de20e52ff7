import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  samplePendingCall,
} from '../../../test/support/samples.ts';
import { isTerminal, TERMINAL_STATUSES } from '../schema/common.ts';
import type { Execution, PendingCall } from '../schema/execution.ts';
import { decideBurial, MAX_CLAIMS, MAX_STARTED_CLAIMS } from './buryIteration.ts';

const now = SAMPLE_TIME;
const seconds = (count: number) => new Date(now.getTime() + count * 1_000);
const lease = (until: Date) => ({ holder: 'other', until, messageId: null });

/** Iteration 3 is to run again, after as many claims as it may have; no process holds it. */
const waiting = (overrides: Partial<Execution> = {}) =>
  sampleExecution({
    iteration: 3,
    publishedIteration: 3,
    claims: MAX_STARTED_CLAIMS,
    startedClaims: MAX_STARTED_CLAIMS,
    lease: null,
    pendingCalls: [],
    deadline: seconds(60),
    ...overrides,
  });
const decided = (execution: Execution, iteration = 3, deliveries?: number) =>
  decideBurial(execution, { schemaVersion: 1, sessionId: 's', executionId: 'e', iteration }, deliveries, now);
const messageOf = (execution: Execution, deliveries?: number) => {
  const decision = decided(execution, 3, deliveries);
  return decision.kind === 'end' ? decision.ending.failure.message : decision.kind;
};

describe('the dead letter of the current iteration', () => {
  const exhausted = { kind: 'end', ending: { status: 'failed', failure: { code: 'DELIVERY_EXHAUSTED' } } };

  it.each<[string, Partial<Execution>]>([
    ['whose last holder gave it back', {}],
    ['whose holder died', { lease: lease(now) }],
    ['whose tools were cut off', { pendingCalls: [samplePendingCall({ state: 'running' })] }],
  ])('ends the execution: %s', (_, overrides) => {
    expect(decided(waiting(overrides))).toMatchObject(exhausted);
  });

  it('states how often it was delivered, if that is known, and the last error', () => {
    expect(messageOf(waiting(), 20)).toMatch(
      /^Iteration 3 was claimed 3 times, started 3 times and never finished; all 20 deliveries of its message failed. See the log of runIteration for the cause.$/,
    );
    expect(messageOf(waiting())).toContain('every delivery of its message failed');
    expect(messageOf(waiting({ lastErrorMessage: 'no answer' }))).toMatch(/The last error known: no answer$/);
  });

  it('of a paused session ends nothing until the session is resumed or its deadline passes', () => {
    const message = { schemaVersion: 1, sessionId: 's', executionId: 'e', iteration: 3 } as const;
    expect(decideBurial(waiting(), message, 8, now, true)).toEqual({ kind: 'paused' });
    expect(decideBurial(waiting({ deadline: now }), message, 8, now, true)).toMatchObject({
      kind: 'end',
      ending: { status: 'timed_out' },
    });
  });

  it('waits for a copy that is at work, up to the moment its lease runs out', () => {
    const until = seconds(0.001);
    expect(decided(waiting({ lease: lease(until), deadline: now }))).toEqual({ kind: 'busy', until });
  });

  it('is needed no more by an execution whose calls wait', () => {
    const calls = [samplePendingCall({ state: 'waiting', waits: 'child' })];
    expect(decided(waiting({ status: 'waiting', pendingCalls: calls }))).toEqual({ kind: 'waits' });
  });

  it('ends the execution for the reason that is due, if one is', () => {
    const due = decided(waiting({ deadline: now, notBefore: seconds(5) }));
    expect(due).toMatchObject({ ending: { status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } } });
  });

  it.each([
    [0, 0],
    [1, 1],
    [MAX_CLAIMS - 1, MAX_STARTED_CLAIMS - 1],
  ])(
    'is published again after %i claims of which %i started, whatever failed at the other deliveries',
    (claims, startedClaims) => {
      const tried = { claims, startedClaims };
      expect(decided(waiting(tried), 3, 20)).toEqual({ kind: 'publish_again' });
      expect(decided(waiting({ ...tried, lease: lease(now) }))).toEqual({ kind: 'publish_again' });
      expect(decided(waiting({ ...tried, notBefore: now }))).toEqual({ kind: 'publish_again' });
    },
  );

  it('waits out a pause, because a new message could only be refused', () => {
    const until = seconds(5);
    expect(decided(waiting({ claims: 0, notBefore: until }))).toEqual({ kind: 'wait', until });
  });
});

describe('any other dead letter', () => {
  it('of an earlier iteration ends nothing; the successor is published again if it was never claimed', () => {
    expect(decided(waiting({ publishedIteration: 2 }), 2)).toEqual({ kind: 'late_copy', republish: true });
    expect(decided(waiting({ publishedIteration: 3 }), 2)).toEqual({ kind: 'late_copy', republish: false });
  });

  it.each(TERMINAL_STATUSES)('of an execution that is %s changes nothing', (status) => {
    for (const iteration of [2, 3, 4]) {
      expect(decided(waiting({ status }), iteration)).toEqual({ kind: 'already_ended' });
    }
  });

  it('of an iteration that was never scheduled is rejected', () => {
    expect(decided(waiting(), 4)).toEqual({ kind: 'reject_ahead' });
  });
});

describe('whatever the state', () => {
  const secondsFromNow = fc.integer({ min: -60, max: 60 }).map(seconds);
  const states = fc.record({
    status: fc.constantFrom<Execution['status']>('pending', 'active', 'active', ...TERMINAL_STATUSES),
    publishedIteration: fc.constantFrom(2, 3),
    lease: fc.option(secondsFromNow.map(lease)),
    notBefore: fc.option(secondsFromNow),
    claims: fc.integer({ min: 0, max: MAX_CLAIMS + 1 }),
    startedClaims: fc.integer({ min: 0, max: MAX_STARTED_CLAIMS + 1 }),
    deadline: secondsFromNow,
    consecutiveTimeouts: fc.constantFrom(0, 0, 2),
    pendingCalls: fc.constantFrom<PendingCall[]>([], [samplePendingCall({ state: 'running' })]),
  });

  it('a dead letter ends its execution as exhausted exactly when it was tried often enough and has no other way to end', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 2, max: 4 }), (state, iteration) => {
        const limits = { ...sampleAgent().limits, afterFailure: 'fail' as const };
        const decision = decided(waiting({ ...state, limits }), iteration);
        const isHeld = state.lease !== null && state.lease.until > now;
        const isDue = state.deadline <= now || state.consecutiveTimeouts === 2;
        const current = !isTerminal(state.status) && iteration === 3;
        const pauses = state.notBefore !== null && state.notBefore > now;
        const isTried = state.claims >= MAX_CLAIMS || state.startedClaims >= MAX_STARTED_CLAIMS;
        const isExhausted = !pauses && isTried;
        expect(decision.kind === 'end').toBe(current && !isHeld && (isDue || isExhausted));
        if (decision.kind !== 'end') return;
        expect(decision.ending.failure.code === 'DELIVERY_EXHAUSTED').toBe(!isDue);
      }),
      { numRuns: 2_000 },
    );
  });
});
