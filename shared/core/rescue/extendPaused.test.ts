import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
} from '../../../test/support/samples.ts';
import {
  child,
  childId,
  completed,
  depsOf,
  executionId,
  executionIn,
  later,
  now,
  openStage,
  paused,
  sessionId,
  sessionIn,
  storeWith,
} from '../../../test/support/stateRig.ts';
import { approvalType, paths } from '../../lists/documents.ts';
import { createDocument, type Stored, type Version } from '../contract/store.ts';
import type { Approval } from '../schema/approval.ts';
import type { Execution } from '../schema/execution.ts';
import { extendedDeadlines, extendPausedSession, extendSession } from './extendPaused.ts';

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

describe('the open work of a session', () => {
  const soon = (seconds: number) => new Date(later.getTime() + seconds * 1_000);
  const minute = { from: SAMPLE_TIME, to: now };
  const { approvalId } = sampleApproval();
  const call = (kind: 'child' | 'person', id: string, seconds: number) =>
    samplePendingCall({ state: 'waiting', waits: kind, waitsFor: { kind, id, until: soon(seconds) } });
  const waiting = (...pendingCalls: Execution['pendingCalls']) => ({
    status: 'waiting' as const,
    children: 1,
    pendingCalls: pendingCalls.map((one, index) => ({ ...one, index })),
  });
  const extend = async (documents: Parameters<typeof storeWith>[0], approval: Partial<Approval> = {}) => {
    const store = await storeWith(documents);
    const stored = sampleApproval({ until: soon(-300), ...approval });
    await store.commit([createDocument(paths.approval(approvalId), approvalType, stored)]);
    const open = await extendPausedSession(sessionId, minute, depsOf(store));
    return {
      published: open.map((one) => one.executionId),
      session: await sessionIn(store),
      execution: await executionIn(store),
      child: await executionIn(store, child),
      approval: (await store.get(paths.approval(approvalId), approvalType))?.value,
    };
  };

  it('is extended with all that it waits for; only what does not wait is published', async () => {
    const settled = { ...call('person', approvalId, -400), state: 'done' as const };
    const found = await extend({
      execution: waiting(
        call('child', childId, -120),
        call('person', approvalId, -300),
        settled,
        samplePendingCall(),
      ),
      child: { deadline: soon(-120) },
    });
    expect(found).toMatchObject({
      published: [childId],
      session: { deadline: soon(60), waitedUntil: now },
      execution: { deadline: soon(60), waitedUntil: now },
      child: { deadline: soon(-60), waitedUntil: now },
      approval: { until: soon(-240) },
    });
    expect(found.execution?.pendingCalls.map(({ waitsFor }) => waitsFor?.until)).toEqual([
      soon(-60),
      soon(-240),
      soon(-400),
      undefined,
    ]);
  });

  it('has an approval from its creation on, and none that was decided', async () => {
    const execution = waiting(call('person', approvalId, -300));
    const created = new Date(now.getTime() - 20_000);
    const late = await extend({ execution }, { createdAt: created });
    expect(late.approval?.until).toEqual(soon(-280));
    expect(late.execution?.pendingCalls[0]?.waitsFor?.until).toEqual(soon(-280));
    const decided = await extend({ execution }, { status: 'approved', decidedBy: 'ada', decidedAt: now });
    expect(decided.approval?.until).toEqual(soon(-300));
    expect(decided.execution?.pendingCalls[0]?.waitsFor?.until).toEqual(soon(-240));
  });

  it('waits for a child that is gone no longer than before', async () => {
    const { execution } = await extend({ execution: waiting(call('child', 'gone', -120)) });
    expect(execution?.pendingCalls[0]?.waitsFor?.until).toEqual(soon(-120));
  });

  it.each<[string, Partial<Execution>]>([
    ['is held', { lease: { holder: 'other', until: later, messageId: null } }],
    ['has ended', { ...completed, deadline: later }],
  ])('is left as it is when it %s', async (_, execution) => {
    const found = await extend({ execution });
    expect(found).toMatchObject({ published: [], execution: { deadline: later, waitedUntil: null } });
  });

  it('is not published where it is parked', async () => {
    const outage = { code: 'MODEL_QUOTA' as const, since: now, pauses: 1, calls: 1, parked: true };
    const found = await extend({ execution: { outage, notBefore: later } });
    expect(found).toMatchObject({ published: [], execution: { deadline: soon(60) } });
  });

  it('of a session that is paused itself is not published, but its question is', async () => {
    const found = await extend({ session: { steering: paused } });
    expect(found).toMatchObject({ published: [], execution: { deadline: soon(60) } });
    const asked = await extend({ session: { status: 'completed', steering: paused, openStage } });
    expect(asked).toMatchObject({ published: [executionId], session: { openStage: { deadline: soon(60) } } });
  });

  it('is none after its end, and none of a session that is gone', async () => {
    const found = await extend({ session: { status: 'completed' } });
    expect(found).toMatchObject({
      published: [],
      session: { deadline: later },
      execution: { deadline: later },
    });
    expect(await extendPausedSession('gone', minute, depsOf(await storeWith({})))).toEqual([]);
  });
});
