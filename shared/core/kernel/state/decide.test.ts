import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  samplePendingCall,
} from '../../../../test/support/samples.ts';
import type { Limits } from '../../schema/agent.ts';
import { isTerminal, TERMINAL_STATUSES } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import {
  CANCELLED,
  conclusionReason,
  type Decision,
  deadlineExceeded,
  decideIteration,
  endingDue,
  isParked,
  iterationMode,
  MAX_CONSECUTIVE_TIMEOUTS,
} from './decide.ts';

const now = SAMPLE_TIME;
const seconds = (count: number) => new Date(now.getTime() + count * 1_000);
const limits = (overrides: Partial<Limits>): Limits => ({ ...sampleAgent().limits, ...overrides });

/** Ready to run iteration 3 of 5. */
const ready = (overrides: Partial<Execution> = {}) =>
  sampleExecution({
    iteration: 3,
    publishedIteration: 2,
    lease: null,
    pendingCalls: [],
    limits: limits({ maxIterations: 5, afterFailure: 'fail' }),
    deadline: seconds(60),
    ...overrides,
  });
const decision = (
  execution: Execution,
  iteration = 3,
  messageId: string | null = 'a',
  isPaused = false,
): Decision => {
  const message = { schemaVersion: 1 as const, sessionId: 's', executionId: 'e', iteration };
  return decideIteration(execution, message, now, messageId, isPaused);
};

describe('a delivered message', () => {
  it('asks the model when nothing is in the way', () => {
    expect(decision(ready())).toEqual({ kind: 'ask_model', mode: 'investigate' });
    expect(decision(ready({ status: 'pending', iteration: 1 }), 1)).toEqual({
      kind: 'ask_model',
      mode: 'investigate',
    });
  });

  it('runs tools when the answer is stored', () => {
    expect(decision(ready({ pendingCalls: sampleExecution().pendingCalls }))).toEqual({ kind: 'run_tools' });
  });

  it('asks for the conclusion after the last iteration', () => {
    expect(decision(ready({ iteration: 5 }), 5)).toEqual({ kind: 'ask_model', mode: 'investigate' });
    expect(decision(ready({ iteration: 6 }), 6)).toEqual({ kind: 'ask_model', mode: 'conclude' });
  });

  it('does not count an iteration that ended in a change of models', () => {
    const asked = (iteration: number) => decision(ready({ iteration, modelIndex: 2 }), iteration);
    expect(asked(7)).toEqual({ kind: 'ask_model', mode: 'investigate' });
    expect(asked(8)).toEqual({ kind: 'ask_model', mode: 'conclude' });
  });

  it('collects nothing when its execution concludes at once', () => {
    const collecting = ready({ iteration: 1, collects: true });
    expect(decision(collecting, 1)).toEqual({ kind: 'collect' });
    expect(decision({ ...collecting, budgetReached: 'sessionTokens' }, 1)).toEqual({
      kind: 'ask_model',
      mode: 'conclude',
    });
  });

  it('is rejected when its iteration was never scheduled', () => {
    expect(decision(ready(), 4)).toEqual({ kind: 'reject_ahead' });
  });

  it.each(TERMINAL_STATUSES)('finds an execution that is %s already ended, whatever its number', (status) => {
    for (const iteration of [1, 3, 9]) {
      expect(decision(ready({ status }), iteration)).toEqual({ kind: 'already_ended' });
    }
  });

  it('is a late copy when the execution went on; the successor is published again if it was never claimed', () => {
    expect(decision(ready({ publishedIteration: 2 }), 2)).toEqual({ kind: 'late_copy', republish: true });
    expect(decision(ready({ publishedIteration: 3 }), 2)).toEqual({ kind: 'late_copy', republish: false });
  });

  it('waits while the execution pauses, up to the moment the pause is over', () => {
    const until = seconds(1);
    const { pendingCalls } = sampleExecution();
    expect(decision(ready({ notBefore: until }))).toEqual({ kind: 'wait', until });
    expect(decision(ready({ notBefore: until, pendingCalls }))).toEqual({ kind: 'wait', until });
    expect(decision(ready({ notBefore: now })).kind).toBe('ask_model');
    expect(decision(ready({ notBefore: seconds(-1) })).kind).toBe('ask_model');
  });

  it('does not wait out a pause that leads past the deadline', () => {
    expect(decision(ready({ notBefore: seconds(90) }))).toMatchObject({ kind: 'wait' });
    expect(decision(ready({ notBefore: seconds(90), deadline: now }))).toMatchObject({
      kind: 'end',
      ending: { status: 'timed_out' },
    });
  });

  it('is busy while another process holds the lease, until it expires', () => {
    const until = seconds(1);
    expect(decision(ready({ lease: { holder: 'other', until, messageId: null } }))).toEqual({
      kind: 'busy',
      until,
      spare: false,
    });
    expect(decision(ready({ lease: { holder: 'other', until: now, messageId: null } })).kind).toBe(
      'ask_model',
    );
    expect(decision(ready({ lease: { holder: 'other', until: seconds(-1), messageId: null } })).kind).toBe(
      'ask_model',
    );
  });

  it.each([
    ['a newer message', '99', '100', true],
    ['the same message', '100', '100', false],
    ['an older message, which may be settled', '100', '99', false],
    ['an unknown message', '100', null, false],
    ['a message, and the delivered one is unknown', null, '100', false],
    ['a message whose id is no number', '100', 'a', false],
  ])('is spare only when the holder handles a newer message: %s', (_, delivered, heldFor, spare) => {
    const lease = { holder: 'other', until: seconds(1), messageId: heldFor };
    expect(decision(ready({ lease }), 3, delivered)).toMatchObject({ kind: 'busy', spare });
  });
});

describe('an ending that is due', () => {
  const due = (overrides: Partial<Execution>) => endingDue(ready(overrides), now);
  const code = (overrides: Partial<Execution>) => due(overrides)?.failure.code;

  it('is none while the execution can continue', () => {
    expect(due({})).toBeUndefined();
    expect(
      due({ lastInteractionFailed: true, consecutiveTimeouts: 1, deadline: seconds(0.001) }),
    ).toBeUndefined();
  });

  it('is the deadline, from its very moment on', () => {
    expect(due({ deadline: now })).toMatchObject({
      status: 'timed_out',
      failure: { code: 'DEADLINE_EXCEEDED' },
    });
  });

  it.each([
    [null, ''],
    ['SCHEMA_TOO_NEW', ' It has waited for newer code since 2026-11-05T10:00:00.000Z.'],
    ['QUOTA_REACHED', ' It has waited for a quota since 2026-11-05T10:00:00.000Z.'],
    ['MODEL_QUOTA', ' Its model has not answered since 2026-11-05T10:00:00.000Z (MODEL_QUOTA).'],
  ] as const)('names the wait that led past the deadline: %s', (waited, wait) => {
    const since = new Date('2026-11-05T10:00:00Z');
    const outage = waited && { code: waited, since, pauses: 1, calls: 1, parked: false };
    expect(due({ deadline: now, outage })?.failure.message).toBe(
      `The agent did not finish before its deadline (${now.toISOString()}).${wait}`,
    );
  });

  it('is none after two time-outs in a row when afterFailure asks to conclude', () => {
    const conclude = limits({ maxIterations: 5, afterFailure: 'conclude' });
    expect(due({ consecutiveTimeouts: 2, limits: conclude })).toBeUndefined();
    expect(conclusionReason(ready({ consecutiveTimeouts: 2, limits: conclude }))).toBe('time_outs');
    expect(conclusionReason(ready({ consecutiveTimeouts: 1, limits: conclude }))).toBeUndefined();
  });

  it('is two time-outs in a row, with the last one in the message', () => {
    const consecutiveTimeouts = MAX_CONSECUTIVE_TIMEOUTS;
    expect(MAX_CONSECUTIVE_TIMEOUTS).toBe(2);
    expect(due({ consecutiveTimeouts, lastErrorMessage: 'no answer in 120 s' })).toEqual({
      status: 'failed',
      failure: {
        code: 'ITERATION_TIMEOUT',
        message: '2 time-outs in a row. The last one: no answer in 120 s',
      },
    });
  });

  it('is the limit of iterations, when the last one failed and a conclusion is not wanted then', () => {
    const used = { iteration: 6, lastInteractionFailed: true, lastErrorMessage: 'x.y: refused' };
    expect(due(used)).toMatchObject({
      status: 'failed',
      failure: { code: 'MAX_ITERATIONS', message: expect.stringMatching(/All 5 .*x\.y: refused/) },
    });
    expect(due({ ...used, lastInteractionFailed: false })).toBeUndefined();
    const concluding = limits({ maxIterations: 5, afterFailure: 'conclude' });
    expect(due({ ...used, limits: concluding })).toBeUndefined();
  });

  it('is the first of deadline, time-outs and limit', () => {
    const all: Partial<Execution> = {
      deadline: now,
      consecutiveTimeouts: 2,
      iteration: 6,
      lastInteractionFailed: true,
    };
    expect(code(all)).toBe('DEADLINE_EXCEEDED');
    expect(code({ ...all, deadline: seconds(1) })).toBe('ITERATION_TIMEOUT');
    expect(code({ ...all, deadline: seconds(1), consecutiveTimeouts: 1 })).toBe('MAX_ITERATIONS');
  });
});

describe('how an execution ends', () => {
  it('of a cancelled session', () => {
    expect(CANCELLED).toEqual({
      status: 'cancelled',
      failure: { code: 'CANCELLED', message: 'The investigation was cancelled.' },
    });
  });

  it("at its session's deadline, which is named", () => {
    expect(deadlineExceeded(new Date('2026-11-05T11:00:00Z'))).toEqual({
      status: 'timed_out',
      failure: {
        code: 'DEADLINE_EXCEEDED',
        message: 'The investigation did not finish before its deadline (2026-11-05T11:00:00.000Z).',
      },
    });
  });
});

describe('the order of decisions', () => {
  const everything: Partial<Execution> = {
    deadline: now,
    notBefore: seconds(5),
    lease: { holder: 'other', until: seconds(10), messageId: null },
    pendingCalls: sampleExecution().pendingCalls,
    publishedIteration: 0,
  };

  it('an end, then the number of the message, then the lease, then an ending, then a pause, then a wait, then tools, then the model', () => {
    expect(decision(ready({ ...everything, status: 'failed' }), 2).kind).toBe('already_ended');
    expect(decision(ready(everything), 2).kind).toBe('late_copy');
    expect(decision(ready(everything), 4).kind).toBe('reject_ahead');
    expect(decision(ready(everything)).kind).toBe('busy');
    expect(decision(ready({ ...everything, lease: null })).kind).toBe('end');
    const free = { ...everything, lease: null, deadline: seconds(1) };
    expect(decision(ready(free)).kind).toBe('wait');
    expect(decision(ready({ ...free, notBefore: null, status: 'waiting' })).kind).toBe('waits');
    expect(decision(ready({ ...free, notBefore: null })).kind).toBe('run_tools');
    expect(decision(ready({ ...free, notBefore: null, pendingCalls: [] })).kind).toBe('ask_model');
  });
});

it('an execution is parked while it pauses without a message', () => {
  const outage = { code: 'MODEL_QUOTA' as const, since: now, pauses: 1, calls: 1, parked: true };
  expect(isParked({ waitingSince: null, outage, notBefore: seconds(1) })).toBe(true);
  expect(isParked({ waitingSince: null, outage, notBefore: null })).toBe(false);
  expect(isParked({ waitingSince: null, outage: { ...outage, parked: false }, notBefore: seconds(1) })).toBe(
    false,
  );
  expect(isParked({ waitingSince: null, outage: null, notBefore: seconds(1) })).toBe(false);
  const waitingSince = { kind: 'thought', at: now };
  expect(isParked({ waitingSince, outage: null, notBefore: seconds(1) })).toBe(true);
});

it('a message about an execution whose model thinks is work, before the wait is over', () => {
  const waiting = { notBefore: seconds(60), pendingCalls: [] };
  expect(decision(ready(waiting)).kind).toBe('wait');
  const waitingSince = { kind: 'thought', at: now };
  expect(decision(ready({ ...waiting, waitingSince })).kind).toBe('ask_model');
});

describe('iterationMode', () => {
  it('concludes in the iteration after the last one, not in the last one', () => {
    expect(iterationMode(ready({ iteration: 5 }))).toBe('investigate');
    expect(iterationMode(ready({ iteration: 6 }))).toBe('conclude');
  });
});

describe('two empty answers in a row', () => {
  const silent = { emptyAnswers: 2, lastInteractionFailed: true };

  it('make the next iteration the forced conclusion; one does not', () => {
    expect(decision(ready(silent))).toEqual({ kind: 'ask_model', mode: 'conclude' });
    expect(decision(ready({ ...silent, emptyAnswers: 1 }))).toMatchObject({ mode: 'investigate' });
  });

  it('are no failure at the limit of iterations either', () => {
    expect(endingDue(ready({ ...silent, iteration: 6 }), now)).toBeUndefined();
    expect(conclusionReason(ready({ ...silent, iteration: 6 }))).toBe('empty_answers');
    expect(conclusionReason(ready({ iteration: 6 }))).toBe('iterations_used');
  });
});

describe('whatever the state', () => {
  const secondsFromNow = fc.integer({ min: -60, max: 60 }).map(seconds);
  const states = fc.record({
    status: fc.constantFrom<Execution['status']>(
      'pending',
      'active',
      'active',
      'waiting',
      ...TERMINAL_STATUSES,
    ),
    iteration: fc.integer({ min: 1, max: 6 }),
    isClaimed: fc.boolean(),
    isPaused: fc.boolean(),
    collects: fc.boolean(),
    lease: fc.option(secondsFromNow.map((until) => ({ holder: 'other', until, messageId: null }))),
    notBefore: fc.option(secondsFromNow),
    deadline: secondsFromNow,
    pendingCalls: fc.constantFrom<PendingCall[]>([], [samplePendingCall()]),
    consecutiveTimeouts: fc.constantFrom(0, 0, 1, 2),
    lastInteractionFailed: fc.boolean(),
    outage: fc.constantFrom(
      null,
      ...[true, false].map((parked) => ({
        code: 'MODEL_QUOTA' as const,
        since: now,
        pauses: 1,
        calls: 1,
        parked,
      })),
    ),
  });
  type State = typeof states extends fc.Arbitrary<infer T> ? T : never;

  /** Every decision with its only possible states; one of them fits any state and message. */
  const rules: Record<Decision['kind'], (state: State, iteration: number) => boolean> = {
    already_ended: (s) => isTerminal(s.status),
    late_copy: (s, iteration) => !isTerminal(s.status) && iteration < s.iteration,
    reject_ahead: (s, iteration) => !isTerminal(s.status) && iteration > s.iteration,
    busy: (s, iteration) => isCurrent(s, iteration) && isHeld(s),
    end: (s, iteration) => isCurrent(s, iteration) && !isHeld(s) && isDue(s),
    paused: (s, iteration) => mayRun(s, iteration) && s.isPaused && s.status !== 'waiting',
    wait: (s, iteration) => mayGoOn(s, iteration) && isPausing(s) && s.outage?.parked !== true,
    parked: (s, iteration) => mayGoOn(s, iteration) && isPausing(s) && s.outage?.parked === true,
    waits: (s, iteration) => mayGoOn(s, iteration) && !isPausing(s) && s.status === 'waiting',
    run_tools: (s, iteration) => mayWork(s, iteration) && s.pendingCalls.length > 0,
    collect: (s, iteration) =>
      mayWork(s, iteration) && s.pendingCalls.length === 0 && s.collects && s.iteration === 1,
    ask_model: (s, iteration) =>
      mayWork(s, iteration) && s.pendingCalls.length === 0 && !(s.collects && s.iteration === 1),
  };
  const isCurrent = (s: State, iteration: number) => !isTerminal(s.status) && iteration === s.iteration;
  const isHeld = (s: State) => s.lease !== null && s.lease.until > now;
  const isPausing = (s: State) => s.notBefore !== null && s.notBefore > now;
  const isDue = (s: State) =>
    s.deadline <= now ||
    s.consecutiveTimeouts === 2 ||
    (s.iteration - (s.collects ? 1 : 0) === 6 && s.lastInteractionFailed);
  const mayRun = (s: State, iteration: number) => isCurrent(s, iteration) && !isHeld(s) && !isDue(s);
  const mayWork = (s: State, iteration: number) =>
    mayGoOn(s, iteration) && !isPausing(s) && s.status !== 'waiting';
  const mayGoOn = (s: State, iteration: number) =>
    mayRun(s, iteration) && !(s.isPaused && s.status !== 'waiting');

  it('exactly one decision follows from it and the message', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: -1, max: 1 }), ({ isClaimed, isPaused, ...state }, offset) => {
        const execution = ready({
          ...state,
          publishedIteration: isClaimed ? state.iteration : state.iteration - 1,
        });
        const iteration = state.iteration + offset;
        const fitting = Object.entries(rules).filter(([, fits]) =>
          fits({ isClaimed, isPaused, ...state }, iteration),
        );
        const decided = decision(execution, iteration, 'a', isPaused);
        expect(fitting.map(([kind]) => kind)).toEqual([decided.kind]);
        if (decided.kind === 'late_copy') expect(decided.republish).toBe(!isClaimed);
      }),
      { numRuns: 5_000 },
    );
  });
});
