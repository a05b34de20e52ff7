import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, sampleSession } from '../../../test/support/samples.ts';
import type { Stored, Version } from '../contract/store.ts';
import type { Execution } from '../schema/execution.ts';
import { extendedDeadlines, extendSession } from './extendPaused.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const session = sampleSession({
  status: 'in_progress',
  createdAt: at(0),
  deadline: at(40),
  openStage: null,
  waitedUntil: null,
  expireAt: at(10_000),
});
const pause = (from: number, to: number) => ({ from: at(from), to: at(to) });

describe('a session after a pause of the installation', () => {
  it('has its deadline extended once, by the part in which it existed and did not wait for its model', () => {
    const once = extendSession(session, pause(10, 40));
    expect(once).toMatchObject({ deadline: at(70), waitedUntil: at(40) });
    expect(extendSession(once, pause(10, 40))).toBe(once);
    expect(extendSession(once, pause(10, 45)).deadline).toEqual(at(75));
    expect(extendSession({ ...session, createdAt: at(30) }, pause(10, 40)).deadline).toEqual(at(50));
    expect(extendSession({ ...session, waitedUntil: at(15) }, pause(10, 40))).toMatchObject({
      deadline: at(65),
      waitedUntil: at(40),
    });
  });

  it('has no time from before its start if it was deferred', () => {
    const deferral = { reason: 'settling' as const, startedAt: at(30), until: null };
    const started = extendSession({ ...session, deferral }, pause(10, 40));
    expect(started).toMatchObject({ deadline: at(50), waitedUntil: at(40) });
  });

  it('is kept no longer than its documents, and unchanged once it has ended', () => {
    expect(extendSession({ ...session, expireAt: at(50) }, pause(10, 40)).deadline).toEqual(at(50));
    const ended = { ...session, status: 'completed' as const };
    expect(extendSession(ended, pause(10, 40))).toBe(ended);
    const openStage = { stageId: 's', deadline: at(20), cancelling: false };
    expect(extendSession({ ...ended, openStage }, pause(10, 40))).toMatchObject({
      deadline: at(40),
      openStage: { deadline: at(50) },
    });
  });
});

it('executions end no later than their session, and children a minute before their parents', () => {
  const stored = (overrides: Partial<Execution>): Stored<Execution> => {
    const value = sampleExecution({ createdAt: at(0), deadline: at(30), waitedUntil: null, ...overrides });
    return { path: '', id: value.executionId, value, version: '1' as Version, updatedAt: at(0) };
  };
  const extended = extendSession({ ...session, deadline: at(31) }, pause(10, 20));
  const deadlines = extendedDeadlines(
    extended,
    [
      stored({ executionId: 'p~1', parentExecutionId: 'p', depth: 1, deadline: at(29) }),
      stored({ executionId: 'p' }),
      stored({ executionId: 'late', createdAt: at(15) }),
      stored({ executionId: 'long', deadline: at(31), waitedUntil: at(5) }),
    ],
    pause(10, 20),
  );
  expect(Object.fromEntries(deadlines)).toEqual({
    p: at(40),
    'p~1': at(39),
    late: at(35),
    long: at(41),
  });
});
