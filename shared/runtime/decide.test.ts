import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAgent, sampleExecution } from '../../test/support/samples.ts';
import type { Limits } from '../schema/agent.ts';
import { TERMINAL_STATUSES } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import { decide, endingDue, MAX_CONSECUTIVE_TIMEOUTS, turnMode } from './decide.ts';

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
    agent: sampleAgent({ limits: limits({ maxIterations: 5, afterFailure: 'fail' }) }),
    deadline: seconds(60),
    ...overrides,
  });
const decision = (execution: Execution, iteration = 3) =>
  decide(execution, { schemaVersion: 1, sessionId: 's', executionId: 'e', iteration }, now);

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

  it('waits while somebody else holds the lease, up to the moment it runs out', () => {
    const until = seconds(1);
    expect(decision(ready({ lease: { holder: 'other', until } }))).toEqual({ kind: 'busy', until });
    expect(decision(ready({ lease: { holder: 'other', until: now } })).kind).toBe('ask_model');
    expect(decision(ready({ lease: { holder: 'other', until: seconds(-1) } })).kind).toBe('ask_model');
  });
});

describe('an ending that is due', () => {
  const due = (overrides: Partial<Execution>) => endingDue(ready(overrides), now);
  const code = (overrides: Partial<Execution>) => due(overrides)?.failure.code;

  it('is none while the execution may go on', () => {
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
    const agent = sampleAgent({ limits: limits({ maxIterations: 5, afterFailure: 'conclude' }) });
    expect(due({ ...used, agent })).toBeUndefined();
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

describe('what comes first', () => {
  const everything: Partial<Execution> = {
    deadline: now,
    lease: { holder: 'other', until: seconds(10) },
    pendingCalls: sampleExecution().pendingCalls,
    publishedIteration: 0,
  };

  it('an end, then the number of the message, then the lease, then an ending, then tools, then the model', () => {
    expect(decision(ready({ ...everything, status: 'failed' }), 2).kind).toBe('already_ended');
    expect(decision(ready(everything), 2).kind).toBe('late_copy');
    expect(decision(ready(everything), 4).kind).toBe('reject_ahead');
    expect(decision(ready(everything)).kind).toBe('busy');
    expect(decision(ready({ ...everything, lease: null })).kind).toBe('end');
    expect(decision(ready({ ...everything, lease: null, deadline: seconds(1) })).kind).toBe('run_tools');
    expect(decision(ready({ ...everything, lease: null, deadline: seconds(1), pendingCalls: [] })).kind).toBe(
      'ask_model',
    );
  });
});

describe('turnMode', () => {
  it('concludes in the iteration after the last one, not in the last one', () => {
    expect(turnMode(ready({ iteration: 5 }))).toBe('investigate');
    expect(turnMode(ready({ iteration: 6 }))).toBe('conclude');
  });
});
