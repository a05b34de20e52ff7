import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAgent, sampleExecution } from '../../../../test/support/samples.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import type { Clock } from '../deps.ts';
import { isTimeout, startBudget } from './budget.ts';

const lost = new AbortController();

/** A budget under a clock that a test winds. */
function budgetOf(iterationTimeoutMs: number, untilDeadlineMs: number) {
  const timers: { ms: number; action: () => void; cancelled: boolean }[] = [];
  const clock: Clock = {
    now: () => SAMPLE_TIME,
    every: () => () => {},
    after(ms, action) {
      const timer = { ms, action, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  const limits = { ...sampleAgent().limits, iterationTimeoutMs };
  const deadline = new Date(SAMPLE_TIME.getTime() + untilDeadlineMs);
  const current = () => sampleExecution({ limits, deadline });
  const held = {
    current,
    signal: lost.signal,
    check: () => {},
    commit: () => Promise.resolve(),
    handBack: () => Promise.resolve(),
    onRenewal: () => {},
    release: () => {},
  };
  const budget = startBudget(held, clock);
  const [timer] = timers;
  if (timer === undefined) throw new Error('no timer was set');
  return { budget, timer };
}

describe('the budget of an iteration', () => {
  it("is the iteration's own limit, whose end is a time-out that can be tried again", () => {
    const { budget, timer } = budgetOf(1_000, 60_000);
    expect(timer.ms).toBe(1_000);
    expect(budget.until).toEqual(new Date(SAMPLE_TIME.getTime() + 1_000));
    timer.action();
    expect(budget.signal.reason).toBeInstanceOf(RetryableError);
    expect(budget.signal.reason).toMatchObject({ code: 'ITERATION_TIMEOUT' });
    expect(isTimeout(budget.signal.reason)).toBe(true);
  });

  it.each([500, 1_000])(
    "is the session's deadline when that comes first, or at the same moment (%i ms)",
    (ms) => {
      const { budget, timer } = budgetOf(1_000, ms);
      expect(timer.ms).toBe(ms);
      timer.action();
      expect(budget.signal.reason).toBeInstanceOf(TerminalError);
      expect(budget.signal.reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      expect(isTimeout(budget.signal.reason)).toBe(false);
    },
  );

  it('is over at once when the deadline has passed', () => {
    expect(budgetOf(1_000, -5).timer.ms).toBe(0);
  });

  it('sets no timer that outlives it', () => {
    const { budget, timer } = budgetOf(1_000, 60_000);
    budget.stop();
    expect(timer.cancelled).toBe(true);
    expect(budget.signal.aborted).toBe(false);
  });
});

describe('isTimeout', () => {
  it.each([
    [new RetryableError('ITERATION_TIMEOUT', 'x'), true],
    [new RetryableError('MODEL_TIMEOUT', 'x'), true],
    [new RetryableError('MODEL_UNAVAILABLE', 'timeout'), false],
    [new TerminalError('DEADLINE_EXCEEDED', 'x'), false],
    [new Error('timed out'), false],
  ])('recognises a time-out by class and code, never by text: %s', (error, expected) => {
    expect(isTimeout(error)).toBe(expected);
  });
});
