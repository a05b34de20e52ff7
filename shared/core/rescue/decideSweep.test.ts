import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  sampleSession,
  sampleStage,
} from '../../../test/support/samples.ts';
import type { Stored, Version } from '../contract/store.ts';
import { endingDue } from '../kernel/state/decide.ts';
import { isTerminal, TERMINAL_STATUSES } from '../schema/common.ts';
import { composeExecutionId } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import { NOT_STEERED, type Session } from '../schema/session.ts';
import { decideExecution, decideSweep, isTimeToPublish } from './decideSweep.ts';
import { TICK_WINDOW_MS } from './sweepMark.ts';

const now = SAMPLE_TIME;
const seconds = (count: number) => new Date(now.getTime() + count * 1_000);
const lease = (until: Date) => ({ holder: 'other', until, messageId: null });

/** An execution between two iterations, a minute before its deadline, that changed `idleSeconds` ago. */
const stored = (overrides: Partial<Execution> = {}, idleSeconds = 0): Stored<Execution> => {
  const value = sampleExecution({ lease: null, pendingCalls: [], deadline: seconds(60), ...overrides });
  const { executionId: id } = value;
  return { path: `e/${id}`, id, value, version: '1' as Version, updatedAt: seconds(-idleSeconds) };
};
const named = (name: string, overrides: Partial<Execution> = {}, idleSeconds = 0) =>
  stored({ executionId: composeExecutionId(1, name), ...overrides }, idleSeconds);
const stageOf = (...names: string[]) =>
  sampleStage({ expectedExecutions: names.map((name) => composeExecutionId(1, name)) });
const session = (overrides: Partial<Session> = {}) => sampleSession({ deadline: seconds(60), ...overrides });

describe('an execution that has not ended', () => {
  const decided = (overrides: Partial<Execution>, idleSeconds = 0, steering = NOT_STEERED) =>
    decideExecution(stored(overrides, idleSeconds), now, TICK_WINDOW_MS, steering);
  const timedOut = { kind: 'end', ending: { status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } } };

  it('is left unchanged while its message can be on its way', () => {
    expect(decided({}, 0)).toEqual({ kind: 'leave' });
    expect(decided({}, 59.9)).toEqual({ kind: 'leave' });
  });

  it('is left unchanged while its session is paused, until its time is over', () => {
    const steering = { ...NOT_STEERED, paused: { by: 'ada', at: seconds(-3_000) } };
    expect(decided({}, 60, steering)).toEqual({ kind: 'leave' });
    expect(decided({ deadline: seconds(-1) }, 60, steering)).toMatchObject(timedOut);
  });

  it('gets its message again a minute after its session was resumed, however long it was paused', () => {
    const resumed = (ago: number) => ({ ...NOT_STEERED, resumedAt: seconds(-ago) });
    expect(decided({}, 100_000, resumed(59))).toEqual({ kind: 'leave' });
    expect(decided({}, 100_000, resumed(61))).toEqual({ kind: 'publish' });
    expect(decided({}, 61, resumed(100_000))).toEqual({ kind: 'publish' });
  });

  it('gets its message again after a minute in which nothing changed', () => {
    expect(decided({}, 60)).toEqual({ kind: 'publish' });
    expect(decided({ status: 'pending', publishedIteration: 0 }, 60)).toEqual({ kind: 'publish' });
  });

  it('gets it also when its holder died: that is a lease that ran out', () => {
    expect(decided({ lease: lease(now) }, 60)).toEqual({ kind: 'publish' });
    expect(decided({ lease: lease(seconds(-30)) }, 60)).toEqual({ kind: 'publish' });
  });

  it('is left unchanged while its calls wait: it has no message', () => {
    expect(decided({ status: 'waiting' }, 60)).toEqual({ kind: 'leave' });
    expect(decided({ status: 'waiting', deadline: now }, 60)).toMatchObject(timedOut);
  });

  it('is left to its holder while that lives, past its deadline too: the holder ends it', () => {
    expect(decided({ lease: lease(seconds(0.001)) }, 60)).toEqual({ kind: 'leave' });
    expect(decided({ lease: lease(seconds(1)), deadline: seconds(-1) }, 60)).toEqual({ kind: 'leave' });
  });

  it('is ended at its deadline, from its very moment on, whatever it waits for', () => {
    for (const overrides of [{}, { notBefore: seconds(30) }, { lease: lease(now) }]) {
      expect(decided({ ...overrides, deadline: now })).toMatchObject(timedOut);
      expect(decided({ ...overrides, deadline: seconds(0.001) }).kind).toBe('leave');
    }
  });

  it('is ended for two time-outs in a row, and for a last iteration that failed', () => {
    const limits = { ...sampleAgent().limits, maxIterations: 1, afterFailure: 'fail' as const };
    expect(decided({ consecutiveTimeouts: 2, limits })).toMatchObject({
      ending: { status: 'failed', failure: { code: 'ITERATION_TIMEOUT' } },
    });
    const used = { iteration: 2, lastInteractionFailed: true, limits };
    expect(decided(used)).toMatchObject({
      ending: { status: 'failed', failure: { code: 'MAX_ITERATIONS' } },
    });
  });

  it('that waited long for its model is published as soon as its pause is over, and again when that was lost', () => {
    const outage = { code: 'MODEL_QUOTA' as const, since: seconds(-500), pauses: 4, calls: 4, parked: true };
    const parked = (overdue: number) => decided({ notBefore: seconds(-overdue), outage }, 600).kind;
    expect(parked(-1)).toBe('leave');
    expect([0, 59, 100, 150].map(parked)).toEqual(['publish', 'publish', 'publish', 'publish']);
    expect(parked(230)).toBe('leave');
    expect(decided({ notBefore: seconds(-5), outage: { ...outage, parked: false } }, 600).kind).toBe('leave');
  });

  it('that pauses is left unchanged until a minute after the pause', () => {
    const paused = (until: Date) => decided({ notBefore: until }, 60).kind;
    expect(paused(seconds(1))).toBe('leave');
    expect(paused(now)).toBe('leave');
    expect(paused(seconds(-59))).toBe('leave');
    expect(paused(seconds(-60))).toBe('publish');
  });
});

describe('isTimeToPublish', () => {
  const HOUR = 60 * 60_000;

  it('makes up for a moment that came since the last look, however long ago that was', () => {
    expect(isTimeToPublish(68 * 60_000, TICK_WINDOW_MS)).toBe(false);
    expect(isTimeToPublish(68 * 60_000, HOUR)).toBe(true);
    expect(isTimeToPublish(125 * 60_000, HOUR)).toBe(false);
    expect(isTimeToPublish(30_000, HOUR)).toBe(false);
  });

  it.each([
    [-1, false],
    [0, false],
    [59_999, false],
    [60_000, true],
    [209_999, true],
    [210_000, false],
    [239_999, false],
    [240_000, true],
    [330_000, false],
  ])('after %i ms: %s', (idleMs, expected) => {
    expect(isTimeToPublish(idleMs, TICK_WINDOW_MS)).toBe(expected);
  });

  it('has a schedule that keeps to its minute, more or less, publish about twice for each doubling, and miss none', () => {
    const jitter = fc.array(fc.integer({ min: -15_000, max: 15_000 }), { minLength: 140, maxLength: 140 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), jitter, (phase, late) => {
        const ticks = late.map((ms, tick) => tick * 60_000 + phase + ms);
        for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128]) {
          const due = minutes * 60_000;
          const copies = ticks.filter(
            (idle) => idle >= due && idle < due * 2 && isTimeToPublish(idle, TICK_WINDOW_MS),
          );
          expect(copies.length).toBeGreaterThanOrEqual(minutes === 1 ? 0 : 1);
          expect(copies.length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});

describe('an open session', () => {
  it('is advanced when all executions of its stage have ended, also past its deadline', () => {
    const ended = [named('logs', { status: 'completed' }), named('metrics', { status: 'failed' })];
    for (const deadline of [seconds(60), now]) {
      const decision = decideSweep(
        session({ deadline }),
        stageOf('logs', 'metrics'),
        ended,
        now,
        TICK_WINDOW_MS,
      );
      expect(decision).toEqual({ kind: 'advance' });
    }
  });

  it('has each execution that has not ended looked at for itself', () => {
    const executions = [
      named('ended', { status: 'completed' }, 60),
      named('fresh'),
      named('held', { lease: lease(seconds(1)), deadline: now }, 60),
      named('late', { deadline: now }),
      named('lost', {}, 60),
    ];
    const stage = stageOf('ended', 'fresh', 'held', 'late', 'lost');
    const decision = decideSweep(session({ deadline: now }), stage, executions, now, TICK_WINDOW_MS);
    expect(decision).toMatchObject({
      kind: 'repair',
      end: [{ execution: executions[3], ending: { status: 'timed_out' } }],
      publish: [executions[4]?.value],
    });
  });

  it('that is being cancelled is finished, also while its executions are held', () => {
    const executions = [
      named('logs', { lease: lease(seconds(30)) }),
      named('metrics', { status: 'completed' }),
    ];
    const decision = decideSweep(
      session({ status: 'cancelling' }),
      stageOf('logs', 'metrics'),
      executions,
      now,
      TICK_WINDOW_MS,
    );
    expect(decision).toEqual({ kind: 'finish_cancelling' });
  });
});

describe('a session whose documents are missing', () => {
  it.each([
    ['stage', undefined, /stage 01-investigation of session session-1 is missing/],
    ['execution', stageOf('logs', 'metrics'), /execution 01-metrics of session session-1 is missing/],
  ] as const)('(%s) is given up at its deadline, not before', (_, stage, message) => {
    const executions = stage === undefined ? [] : [named('logs', { status: 'completed' })];
    expect(decideSweep(session({ deadline: now }), stage, executions, now, TICK_WINDOW_MS)).toMatchObject({
      kind: 'end_session',
      failure: { code: 'DOCUMENT_INVALID', message: expect.stringMatching(message) },
    });
    const before = decideSweep(session({ deadline: seconds(0.001) }), stage, executions, now, TICK_WINDOW_MS);
    const missing = { code: 'DOCUMENT_INVALID', message: expect.stringMatching(message) };
    expect(before).toEqual({ kind: 'repair', end: [], publish: [], settle: [], missing });
  });

  it('names the first of several', () => {
    const stage = stageOf('logs', 'metrics');
    expect(decideSweep(session(), stage, [], now, TICK_WINDOW_MS)).toMatchObject({
      missing: { message: expect.stringContaining('execution 01-logs ') },
    });
  });

  it('has those that are there looked after until then', () => {
    const lost = named('logs', {}, 60);
    const decision = decideSweep(session(), stageOf('logs', 'metrics'), [lost], now, TICK_WINDOW_MS);
    expect(decision).toMatchObject({ kind: 'repair', end: [], publish: [lost.value] });
  });
});

describe('whatever the state', () => {
  const secondsFromNow = fc.integer({ min: -90, max: 90 }).map(seconds);
  const executions = fc
    .array(
      fc.record({
        status: fc.constantFrom<Execution['status']>(
          'pending',
          'active',
          'active',
          'waiting',
          ...TERMINAL_STATUSES,
        ),
        lease: fc.option(secondsFromNow.map(lease)),
        notBefore: fc.option(secondsFromNow),
        deadline: secondsFromNow,
        consecutiveTimeouts: fc.constantFrom(0, 1, 2),
        idleSeconds: fc.integer({ min: 0, max: 600 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((states) =>
      states.map(({ idleSeconds, ...state }, index) => named(`agent${index}`, state, idleSeconds)),
    );
  const states = fc.record({
    status: fc.constantFrom<Session['status']>('in_progress', 'in_progress', 'cancelling'),
    deadline: secondsFromNow,
    executions,
    missing: fc.constantFrom('nothing' as const, 'nothing' as const, 'execution' as const, 'stage' as const),
  });
  type State = typeof states extends fc.Arbitrary<infer T> ? T : never;
  const isHeld = ({ value }: Stored<Execution>) => value.lease !== null && value.lease.until > now;
  const isOpen = ({ value }: Stored<Execution>) => !isTerminal(value.status);

  const decided = ({ status, deadline, executions: all, missing }: State) => {
    const stage = sampleStage({ expectedExecutions: all.map(({ id }) => id) });
    const found = missing === 'execution' ? all.slice(1) : all;
    const decision = decideSweep(
      session({ status, deadline }),
      missing === 'stage' ? undefined : stage,
      found,
      now,
      TICK_WINDOW_MS,
    );
    return { decision, found };
  };

  it('nothing is done about a holder that lives, unless the session is cancelled or given up', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { decision } = decided(state);
        if (decision.kind === 'finish_cancelling') expect(state.status).toBe('cancelling');
        if (decision.kind !== 'repair') return;
        const touched = [...decision.end.map(({ execution }) => execution.value), ...decision.publish];
        for (const { lease: held } of touched) expect(held === null || held.until <= now).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('an execution is ended, published or left, and one that has ended is always left', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { decision, found } = decided(state);
        if (decision.kind !== 'repair') return;
        const ended = new Set(decision.end.map(({ execution }) => execution.id));
        const published = new Set(decision.publish.map(({ executionId }) => executionId));
        for (const execution of found) {
          const due =
            isOpen(execution) && !isHeld(execution) && endingDue(execution.value, now) !== undefined;
          expect(ended.has(execution.id)).toBe(due);
          if (published.has(execution.id)) expect(isOpen(execution) && !isHeld(execution) && !due).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('the session is given up only for missing documents and at its deadline, and advanced only when all have ended', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { decision, found } = decided(state);
        const late = state.deadline <= now;
        const missing = state.missing !== 'nothing';
        if (decision.kind === 'end_session') expect(missing && late).toBe(true);
        if (state.status === 'in_progress' && missing && late) expect(decision.kind).toBe('end_session');
        if (decision.kind === 'advance') expect(!missing && !found.some(isOpen)).toBe(true);
        if (!missing && state.status === 'in_progress' && !found.some(isOpen))
          expect(decision.kind).toBe('advance');
      }),
      { numRuns: 2_000 },
    );
  });
});
