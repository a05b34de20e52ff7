import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createDocument, type Store } from '../../shared/core/contract/store.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import type { IterationMessage } from '../../shared/core/schema/iterationMessage.ts';
import { LONGEST_DEADLINE_DAYS } from '../../shared/core/schema/session.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { dieAt } from '../support/dieAt.ts';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../support/expectations.ts';
import {
  agentOf,
  type Bench,
  type BenchOptions,
  EXECUTION,
  investigate,
  startBench,
} from '../support/harness.ts';
import { withRawDocument } from '../support/rawDocument.ts';
import { sampleSession } from '../support/samples.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The report of a run that found nothing late. */
const NOTHING = {
  paused: false,
  listed: false,
  sessions: 0,
  republished: 0,
  settled: 0,
  ended: 0,
  advanced: 0,
  failed: 0,
  failures: [],
};
/** That of one that looked at a session. */
const LOOKED = { ...NOTHING, sessions: 1 };
const { afterClaim, afterCommitB, afterEnding, stageBeforeCommit, stageAfterCommit } = CRASH_POINTS;

const echo = { toolCalls: [{ name: 'fixture.echo' }] };
const agent = { tools: ['fixture'] };
const done = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const twoTurns = { conversations: [{ turns: [echo, { text: 'Done.' }] }] };
const analysis = (name: string) => ({ when: `You are ${name},`, turns: [{ text: `${name} says memory.` }] });
const twoAgents = {
  stages: [{ name: 'look', agents: [agentOf({ name: 'logs' }), agentOf({ name: 'metrics' })] }],
  script: { conversations: [analysis('logs'), analysis('metrics'), analysis('synth')] },
};
const synthesized = {
  ...twoAgents,
  stages: twoAgents.stages.map((stage) => ({
    ...stage,
    synthesis: agentOf({ name: 'synth', strategy: 'synthesis-native-thinking' }),
  })),
};

/** An investigation whose alert came after a sweep: later ones look for late work. */
async function opened(options: BenchOptions) {
  const bench = await startBench(options);
  expect(await bench.tick()).toEqual({ ...NOTHING, listed: true });
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  return { ...bench, sessionId };
}

/** Iteration messages, in the order they were published: execution and iteration. */
const published = ({ deps }: Bench) =>
  deps.publisher.published
    .filter(({ topic }) => topic === TOPICS.iterations)
    .map(({ data }) => JSON.parse(data.toString()) as IterationMessage)
    .map(({ executionId, iteration }) => `${executionId}/${iteration}`);

/** Rest of an investigation that nothing is in the way of any more. */
async function expectCompleted(bench: Bench & { sessionId: string }) {
  await bench.drain();
  const run = await bench.read(bench.sessionId);
  expect(run.session).toMatchObject({ status: 'completed', failure: null });
  expectNoGaps(run);
  expect(bench.deadLetters).toEqual([]);
  return run;
}

describe('a sweep finds stopped sessions:', () => {
  it('an execution whose holder died', async () => {
    const bench = await opened({ script: done });
    await dieAt(afterClaim, bench.deps, (process) => bench.deliverNext(process));
    expect(await bench.tick()).toEqual(NOTHING);
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 1 });
    await expectCompleted(bench);
    expect(bench.gemini.requests).toHaveLength(1);
  });

  it('an iteration whose message was lost', async () => {
    const bench = await opened({ script: twoTurns, agent });
    await dieAt(afterCommitB, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 1 });
    expect(published(bench)).toEqual([`${EXECUTION}/1`, `${EXECUTION}/2`]);
    await expectCompleted(bench);
    expect(bench.gemini.requests).toHaveLength(2);
  });

  it('the first messages of a session', async () => {
    const bench = await opened(twoAgents);
    // They were published, but nobody will ever deliver them.
    await dieAt(CRASH_POINTS.afterLoad, bench.deps, (process) => bench.deliverNext(process));
    await dieAt(CRASH_POINTS.afterLoad, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 2 });
    await expectCompleted(bench);
    expect(bench.gemini.requests).toHaveLength(2);
  });

  it('the first messages of a synthesis', async () => {
    const bench = await opened(synthesized);
    await bench.deliverNext();
    await dieAt(stageAfterCommit, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 1 });
    expect(published(bench).at(-1)).toBe('01-synth/1');
    await expectCompleted(bench);
  });

  it.each([afterEnding, stageBeforeCommit])(
    'a stage whose executions have all ended (%s), at the next tick',
    async (point) => {
      const bench = await opened(synthesized);
      await bench.deliverNext();
      await dieAt(point, bench.deps, (process) => bench.deliverNext(process));
      expect(await bench.tick()).toEqual({ ...LOOKED, advanced: 1 });
      expect(published(bench).at(-1)).toBe('01-synth/1');
      const run = await expectCompleted(bench);
      expect(run.session.finalAnalysis).toBe('synth says memory.');
    },
  );

  it('a session whose last execution has ended', async () => {
    const bench = await opened({ script: done });
    await dieAt(afterEnding, bench.deps, (process) => bench.deliverNext(process));
    expect(await bench.tick()).toEqual({ ...LOOKED, advanced: 1 });
    expect((await bench.read(bench.sessionId)).session).toMatchObject({
      status: 'completed',
      finalAnalysis: 'Done.',
    });
  });
});

describe('executions that a sweep does not touch', () => {
  it('an iteration that has just been published', async () => {
    const bench = await opened({ script: done });
    const { versions } = await bench.read(bench.sessionId);
    expect(await bench.tick()).toEqual(NOTHING);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(published(bench)).toHaveLength(1);
  });

  it('a holder that lives, past the deadline too: it ends itself', async () => {
    const bench = await opened({ script: done, deadlineMs: 5 * MINUTE });
    bench.deps.clock.advance(5 * MINUTE);
    const until = new Date(bench.deps.clock.now().getTime() + LEASE_MS);
    await bench.editExecution(bench.sessionId, (execution) => ({
      ...execution,
      lease: { holder: 'somebody', until, messageId: null },
    }));
    const { versions } = await bench.read(bench.sessionId);
    expect(await bench.tick()).toEqual(LOOKED);
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
    expect(published(bench)).toHaveLength(1);
    // It did not.
    bench.deps.clock.advance(LEASE_MS);
    expect(await bench.tick()).toEqual({ ...LOOKED, ended: 1 });
    expect((await bench.read(bench.sessionId)).session.status).toBe('timed_out');
  });

  it('an execution that pauses, until a minute after its pause', async () => {
    const bench = await opened({ script: done });
    const notBefore = new Date(bench.deps.clock.now().getTime() + 3 * MINUTE);
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, notBefore }));
    bench.deps.clock.advance(2 * MINUTE);
    expect(await bench.tick()).toEqual(NOTHING);
    bench.deps.clock.advance(1.5 * MINUTE);
    expect(await bench.tick()).toEqual(LOOKED);
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 1 });
  });

  it('sessions that have ended: it does not even look at them', async () => {
    const run = await investigate({ script: done });
    run.deps.clock.advance(24 * 60 * MINUTE);
    for (const listed of [true, false]) expect(await run.tick()).toEqual({ ...NOTHING, listed });
    expect((await run.read(run.sessionId)).versions).toEqual(run.versions);
  });

  it('a session that another sweep has given up since it was listed', async () => {
    const bench = await opened({ script: done, deadlineMs: MINUTE });
    const { store } = bench.deps;
    await writeRaw(bench, paths.stage(bench.sessionId, '01-investigation'), undefined);
    bench.deps.clock.advance(MINUTE);
    await bench.tick();
    const { session, versions } = await bench.read(bench.sessionId);
    expect(session.status).toBe('failed');
    const slow: Store = {
      ...store,
      async *findByTime() {
        yield [paths.session(bench.sessionId)];
      },
    };
    await bench.tick({ ...bench.deps, store: slow });
    expect((await bench.read(bench.sessionId)).versions).toEqual(versions);
  });
});

describe('an execution that nothing helps', () => {
  // After 1, 2, 4, 8, … minutes, within a minute and a half: a tick may be late.
  it('gets its message again, less and less often', async () => {
    const bench = await opened({ script: done });
    const minutes: number[] = [];
    for (let minute = 1; minute <= 9; minute++) {
      bench.deps.clock.advance(MINUTE);
      if ((await bench.tick()).republished > 0) minutes.push(minute);
    }
    expect(minutes).toEqual([1, 2, 3, 4, 5, 8, 9]);
    // However many there are in the end, they are one iteration.
    await expectCompleted(bench);
    expect(bench.gemini.requests).toHaveLength(1);
  });
});

describe("the session's deadline", () => {
  const late = { script: done, deadlineMs: 10 * MINUTE };

  it('ends an execution that waits for a message that never comes, with a status of its own', async () => {
    const bench = await opened(late);
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, ended: 1 });
    const run = await bench.read(bench.sessionId);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    expect(run.execution.status).toBe('timed_out');
    expect(run.stages).toMatchObject([{ status: 'timed_out' }]);
    expect(listEventTypes(run)).toEqual(['error timed_out']);
    expect(listErrorCodes(run)).toEqual(['DEADLINE_EXCEEDED']);
    expectNoGaps(run);

    await bench.drain();
    await bench.tick();
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
    expect(bench.gemini.requests).toEqual([]);
  });

  it('ends a paused execution, and one whose holder died', async () => {
    const paused = await opened(late);
    await paused.editExecution(paused.sessionId, (execution) => ({
      ...execution,
      notBefore: new Date(paused.deps.clock.now().getTime() + 60 * MINUTE),
    }));
    const dead = await opened(late);
    await dieAt(afterClaim, dead.deps, (process) => dead.deliverNext(process));
    for (const bench of [paused, dead]) {
      bench.deps.clock.advance(10 * MINUTE);
      expect(await bench.tick()).toEqual({ ...LOOKED, ended: 1 });
      expect((await bench.read(bench.sessionId)).session.status).toBe('timed_out');
    }
  });

  it('ends a session between two stages, and keeps its analyses', async () => {
    const bench = await opened({ ...synthesized, deadlineMs: 10 * MINUTE });
    await bench.deliverNext();
    await dieAt(afterEnding, bench.deps, (process) => bench.deliverNext(process));
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, advanced: 1 });
    const run = await bench.read(bench.sessionId);
    expect(run.session).toMatchObject({
      status: 'timed_out',
      failure: { code: 'DEADLINE_EXCEEDED' },
      finalAnalysis: expect.stringContaining('metrics says memory.'),
    });
    expect(run.stages).toMatchObject([{ stageId: '01-look', status: 'completed' }]);
    expect(published(bench)).toHaveLength(2);
  });

  it('is the reason of the session also when another agent failed before', async () => {
    const failing = { when: 'You are logs,', turns: [{ failures: [{ status: 400 }] }] };
    const bench = await opened({
      ...twoAgents,
      script: { conversations: [failing, analysis('metrics')] },
      deadlineMs: 10 * MINUTE,
    });
    await bench.deliverNext();
    bench.deps.clock.advance(10 * MINUTE);
    await bench.tick();
    const run = await bench.read(bench.sessionId);
    expect(run.executions.map(({ status }) => status)).toEqual(['failed', 'timed_out']);
    expect(run.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
  });

  it('ends one agent and does not touch the living holder of another', async () => {
    const bench = await opened({ ...twoAgents, deadlineMs: 10 * MINUTE });
    bench.deps.clock.advance(10 * MINUTE);
    const until = new Date(bench.deps.clock.now().getTime() + LEASE_MS);
    const holder = { holder: 'somebody', until, messageId: null };
    await bench.editExecution(bench.sessionId, (execution) => ({ ...execution, lease: holder }), '01-logs');
    expect(await bench.tick()).toEqual({ ...LOOKED, ended: 1 });
    const run = await bench.read(bench.sessionId);
    expect(run.executions.map(({ status }) => status)).toEqual(['pending', 'timed_out']);
    expect(run.session.status).toBe('in_progress');
  });
});

describe('a session that cannot be read', () => {
  /** Two sessions in one database; the second one only waits for its message, which was lost. */
  async function openedTwo(options: Partial<BenchOptions> = {}) {
    const bench = await opened({ script: done, deadlineMs: 10 * MINUTE, ...options });
    const other = await bench.publishAlert({ title: 'Another' });
    await deliverLast(bench);
    return { ...bench, other };
  }

  async function deliverLast(bench: Bench) {
    const message = bench.deps.publisher.published.at(-1);
    if (message === undefined) throw new Error('nothing was published');
    await bench.deliver(message);
  }

  const ofExecution = (sessionId: string) => paths.execution(sessionId, EXECUTION);
  const ofStage = (sessionId: string) => paths.stage(sessionId, '01-investigation');

  it.each<[string, (sessionId: string) => string, Record<string, unknown>]>([
    ['session of newer code', paths.session, { schemaVersion: 99 }],
    ['stage of newer code', ofStage, { schemaVersion: 99 }],
    ['execution of newer code', ofExecution, { schemaVersion: 99 }],
    ['broken session', paths.session, { chain: 'none' }],
    ['broken stage', ofStage, { kind: 'picnic' }],
    ['broken execution', ofExecution, { iteration: 'first' }],
  ])('does not keep the sweep from the others: %s', async (_, pathOf, harm) => {
    const bench = await openedTwo();
    const broken = await writeRaw(bench, pathOf(bench.sessionId), harm);
    bench.deps.clock.advance(MINUTE);
    const failure = {
      sessionId: bench.sessionId,
      code: harm.schemaVersion === undefined ? 'DOCUMENT_INVALID' : 'SCHEMA_TOO_NEW',
      message: expect.stringContaining(bench.sessionId),
    };
    const failures = [failure];
    expect(await bench.tick()).toEqual({ ...NOTHING, sessions: 2, republished: 1, failed: 1, failures });
    expect(await readRaw(bench, pathOf(bench.sessionId))).toEqual(broken);
    await deliverLast(bench);
    expect((await bench.read(bench.other)).session.status).toBe('completed');
  });

  it('does not keep the sweep from the others: one that was opened again by hand after its end', async () => {
    const bench = await openedTwo();
    await bench.deliverNext();
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
    await writeRaw(bench, paths.session(bench.sessionId), { status: 'in_progress', endedAt: null });
    bench.deps.clock.advance(MINUTE);
    const { store } = bench.deps;
    let reads = 0;
    const counted: Store = {
      ...store,
      get(path, type) {
        reads += 1;
        return reads < 300 ? store.get(path, type) : Promise.reject(new Error('it reads for ever'));
      },
    };
    expect(await bench.tick({ ...bench.deps, store: counted })).toMatchObject({ sessions: 2, failed: 0 });
    await deliverLast(bench);
    expect((await bench.read(bench.other)).session.status).toBe('completed');
  });

  it.each<[string, (sessionId: string) => string, Record<string, unknown>]>([
    ['session', paths.session, { schemaVersion: 99 }],
    ['stage', ofStage, { schemaVersion: 99 }],
    ['execution', ofExecution, { schemaVersion: 99 }],
  ])('by this code is left to newer code, past its deadline too (%s)', async (_, pathOf, harm) => {
    const bench = await openedTwo();
    const session = await readRaw(bench, paths.session(bench.sessionId));
    await writeRaw(bench, pathOf(bench.sessionId), harm);
    bench.deps.clock.advance(60 * MINUTE);
    expect(await bench.tick()).toMatchObject({ failed: 1, ended: 1 });
    expect(await readRaw(bench, paths.session(bench.sessionId))).toMatchObject({
      ...session,
      schemaVersion: expect.any(Number),
    });
  });

  it('because its own document is broken ends with its executions once it is older than any deadline', async () => {
    const bench = await opened({ script: done });
    const path = paths.session(bench.sessionId);
    const broken = await writeRaw(bench, path, { chain: 'none', noted: 'by hand' });
    bench.deps.clock.advance(LONGEST_DEADLINE_DAYS * DAY - MINUTE);
    expect(await bench.tick()).toMatchObject({ failed: 1, advanced: 0 });
    expect(await readRaw(bench, path)).toEqual(broken);

    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, advanced: 1 });
    expect(await readRaw(bench, path)).toEqual({
      ...broken,
      status: 'failed',
      failure: { code: 'DOCUMENT_INVALID', message: expect.stringContaining('chain') },
      dueAt: null,
      endedAt: expect.anything(),
    });
    expect(await readRaw(bench, ofExecution(bench.sessionId))).toMatchObject({ status: 'timed_out' });
    expect(await bench.tick()).toEqual(NOTHING);
  });

  it.each<[string, (sessionId: string) => string, Record<string, unknown> | undefined]>([
    ['a broken stage', ofStage, { kind: 'picnic' }],
    ['a broken execution', ofExecution, { iteration: 'first' }],
    ['an execution without version', ofExecution, { schemaVersion: null }],
    ['no stage', ofStage, undefined],
    ['no execution', ofExecution, undefined],
  ])('because of %s ends at its deadline, not before', async (_, pathOf, harm) => {
    const bench = await openedTwo();
    const sessionOf = async () => readRaw(bench, paths.session(bench.sessionId));
    const before = await sessionOf();
    await writeRaw(bench, pathOf(bench.sessionId), harm);
    bench.deps.clock.advance(9 * MINUTE);
    await bench.tick();
    expect(await sessionOf()).toEqual(before);

    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toMatchObject({ failed: 0, advanced: 1 });
    const ended = await sessionOf();
    expect(ended).toMatchObject({
      status: 'failed',
      failure: { code: harm?.schemaVersion === null ? 'SCHEMA_UNSUPPORTED' : 'DOCUMENT_INVALID' },
    });
    expect(ended?.endedAt).not.toBeNull();
    expect(await bench.tick()).toMatchObject({ sessions: 0 });
    expect(await sessionOf()).toEqual(ended);
  });

  it.each<[string, Record<string, unknown> | undefined]>([
    ['is missing', undefined],
    ['is broken', { iteration: 'first' }],
  ])(
    'because one execution %s has the others looked after until then, and ended with it',
    async (_, harm) => {
      const bench = await opened({ ...twoAgents, deadlineMs: 10 * MINUTE });
      await writeRaw(bench, paths.execution(bench.sessionId, '01-logs'), harm);
      bench.deps.clock.advance(MINUTE);
      expect(await bench.tick()).toMatchObject({ republished: 1 });
      expect(published(bench).at(-1)).toBe('01-metrics/1');
      bench.deps.clock.advance(9 * MINUTE);
      await bench.tick();
      expect(await readRaw(bench, paths.session(bench.sessionId))).toMatchObject({ status: 'failed' });
      expect(await readRaw(bench, paths.execution(bench.sessionId, '01-metrics'))).toMatchObject({
        status: 'timed_out',
      });
    },
  );
});

describe('once an hour a sweep lists all open sessions, and finds', () => {
  const HOUR = 60 * MINUTE;
  const ofExecution = (sessionId: string) => paths.execution(sessionId, EXECUTION);
  const lateSession = { script: done, deadlineMs: 2 * MINUTE };

  it.each<[string, Record<string, unknown>]>([
    ['has no time at all, as older code left it', { due: {} }],
    ['has something else in its place', { due: 'soon' }],
  ])('an execution that no query finds: it %s', async (_, harm) => {
    const bench = await opened({ script: done, deadlineMs: 5 * HOUR });
    await writeRaw(bench, ofExecution(bench.sessionId), harm);
    bench.deps.clock.advance(HOUR - MINUTE);
    expect(await bench.tick()).toEqual(NOTHING);
    bench.deps.clock.advance(5 * MINUTE);
    expect(await bench.tick()).toMatchObject({ listed: true, sessions: 1 });
    bench.deps.clock.advance(MINUTE);
    expect(await bench.tick()).toEqual(NOTHING);
  });

  it('a session past its deadline that no query finds', async () => {
    const bench = await opened(lateSession);
    await writeRaw(bench, paths.session(bench.sessionId), { dueAt: null });
    await writeRaw(bench, ofExecution(bench.sessionId), { due: {} });
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toEqual(NOTHING);
    bench.deps.clock.advance(HOUR);
    expect(await bench.tick()).toEqual({ ...LOOKED, listed: true, ended: 1 });
    expect((await bench.read(bench.sessionId)).session.status).toBe('timed_out');
  });
});

describe('the mark of the sweep', () => {
  const markOf = (bench: Bench) => readRaw(bench, paths.sweepMark);
  /** A session whose last execution has ended, and whose stage no message will advance. */
  async function unadvanced() {
    const bench = await opened({ script: done, deadlineMs: 120 * MINUTE });
    await dieAt(afterEnding, bench.deps, (process) => bench.deliverNext(process));
    return bench;
  }

  it('moves with every run that is complete', async () => {
    const bench = await opened({ script: done });
    bench.deps.clock.advance(MINUTE);
    const { clock } = bench.deps;
    const startedAt = clock.now();
    await bench.tick();
    expect((await markOf(bench))?.completedAt).toEqual(startedAt);
  });

  it('stays when a run dies or fails, and the next one looks as far back', async () => {
    const bench = await unadvanced();
    const before = await markOf(bench);
    bench.deps.clock.advance(10 * MINUTE);
    await dieAt(CRASH_POINTS.duringSweep, bench.deps, (process) => bench.tick(process));
    expect(await markOf(bench)).toEqual(before);

    const { store } = bench.deps;
    const unavailable = new RetryableError('STORE_UNAVAILABLE', 'no answer');
    const failing: Store = {
      ...store,
      get: (path, type) =>
        path.startsWith(paths.sessions) ? Promise.reject(unavailable) : store.get(path, type),
    };
    expect(await bench.tick({ ...bench.deps, store: failing })).toMatchObject({ failed: 1 });
    expect((await markOf(bench))?.completedAt).toEqual(before?.completedAt);
    bench.deps.clock.advance(10 * MINUTE);
    expect(await bench.tick()).toEqual({ ...LOOKED, advanced: 1 });
  });

  it.each<[string, Record<string, unknown>]>([
    ['in the far future', { completedAt: new Date('2100-01-01'), listedAt: new Date('2100-01-01') }],
    ['that is broken', { completedAt: 'yesterday' }],
    ['of newer code', { schemaVersion: 99 }],
  ])('%s blinds no sweep: it lists all open sessions', async (_, harm) => {
    const bench = await unadvanced();
    const broken = await writeRaw(bench, paths.sweepMark, harm);
    expect(await bench.tick()).toEqual({ ...LOOKED, listed: true, advanced: 1 });
    // Newer code's own mark stays; any other is right again.
    const isNewer = harm.schemaVersion !== undefined;
    if (isNewer) expect(await markOf(bench)).toEqual(broken);
    expect(await bench.tick()).toEqual({ ...NOTHING, listed: isNewer });
  });

  it('is not needed while the queries cannot be answered, as without their indexes', async () => {
    const bench = await unadvanced();
    const missing = new RetryableError('STORE_UNAVAILABLE', 'an index is missing');
    const store: Store = { ...bench.deps.store, findByTime: failingQuery(missing) };
    // Late messages and outcomes have no other list: the report names them.
    const { code, message } = missing;
    const failures = [
      { sessionId: 'deliveries', code, message },
      { sessionId: 'outcomes', code, message: `outcome: ${message}` },
    ];
    const report = { ...LOOKED, listed: true, advanced: 1, failed: 2, failures };
    expect(await bench.tick({ ...bench.deps, store })).toEqual(report);
  });
});

it('a sweep ends an execution that its session left behind, at its deadline', async () => {
  const bench = await opened({ script: done, deadlineMs: 10 * MINUTE });
  await writeRaw(bench, paths.session(bench.sessionId), { status: 'cancelled', dueAt: null });
  bench.deps.clock.advance(9 * MINUTE);
  expect(await bench.tick()).toEqual(NOTHING);
  bench.deps.clock.advance(MINUTE);
  expect(await bench.tick()).toEqual({ ...NOTHING, ended: 1 });
  const { execution, session } = await bench.read(bench.sessionId);
  expect(execution).toMatchObject({ status: 'timed_out', due: {} });
  expect(session.status).toBe('cancelled');
  expect(await bench.tick()).toEqual(NOTHING);
});

describe('sweeps', () => {
  it('at the same moment, five of them, have the effect of one', async () => {
    const bench = await opened({ ...synthesized, deadlineMs: 10 * MINUTE });
    await bench.deliverNext();
    bench.deps.clock.advance(10 * MINUTE);
    // By the same clock all of them would write the same documents, and each would count them as its own.
    const { clock } = bench.deps;
    const clocks = [0, 1, 2, 3, 4].map((ms) => ({
      ...clock,
      now: () => new Date(clock.now().getTime() + ms),
    }));
    const reports = await Promise.all(clocks.map((own) => bench.tick({ ...bench.deps, clock: own })));
    expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0, 0, 0]);
    expect(reports.reduce((sum, { ended }) => sum + ended, 0)).toBe(1);
    const run = await bench.read(bench.sessionId);
    expect(run.session).toMatchObject({ status: 'timed_out', finalAnalysis: 'logs says memory.' });
    expectNoGaps(run);
    await bench.tick();
    expect((await bench.read(bench.sessionId)).versions).toEqual(run.versions);
  });

  it('while everything runs change nothing about how it runs', async () => {
    const bench = await opened({ ...synthesized, agent });
    const ticks = Array.from({ length: 20 }, () => bench.tick());
    await bench.drain();
    for (const report of await Promise.all(ticks)) expect(report).toMatchObject({ ended: 0, failed: 0 });
    const run = await expectCompleted(bench);
    expect(run.session.finalAnalysis).toBe('synth says memory.');
    expect(bench.gemini.requests).toHaveLength(3);
  });

  it.each([CRASH_POINTS.duringSweep, CRASH_POINTS.beforeEnding, afterEnding, stageBeforeCommit])(
    'that die (%s) are made up for by the next one',
    async (point) => {
      const bench = await opened({ ...twoAgents, deadlineMs: 10 * MINUTE });
      bench.deps.clock.advance(10 * MINUTE);
      await dieAt(point, bench.deps, (process) => bench.tick(process));
      expect(await bench.tick()).toMatchObject({ sessions: 1, failed: 0 });
      const run = await bench.read(bench.sessionId);
      expect(run.session.status).toBe('timed_out');
      expect(listErrorCodes(run)).toEqual(['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED']);
      expectNoGaps(run);
    },
  );

  it('look at every session that is late, however many there are', async () => {
    const bench = await opened({ script: done });
    const ids = Array.from({ length: 450 }, (_, index) => `s-${String(index).padStart(3, '0')}`);
    const sessions = ids.map((sessionId, index) => {
      const status = index % 3 === 0 ? ('completed' as const) : ('in_progress' as const);
      const value = sampleSession({ sessionId, status, deadline: new Date(0) });
      return createDocument(paths.session(sessionId), sessionType, value);
    });
    await bench.deps.store.commit(sessions);
    // None of the 300 has a stage, and the deadline of all has passed.
    expect(await bench.tick()).toEqual({ ...NOTHING, sessions: 300, advanced: 300 });
    expect(await bench.tick()).toEqual(NOTHING);
  });

  it('fail as a whole when the sessions can neither be found nor listed', async () => {
    const bench = await opened({ script: done });
    const unavailable = new RetryableError('STORE_UNAVAILABLE', 'no answer');
    const fail = () => Promise.reject(unavailable);
    const store: Store = { ...bench.deps.store, findByTime: failingQuery(unavailable), listIds: fail };
    await expect(bench.tick({ ...bench.deps, store })).rejects.toBe(unavailable);
  });

  it('continue with the other sessions when a message cannot be published', async () => {
    const bench = await opened(twoAgents);
    bench.deps.clock.advance(MINUTE);
    const { publisher } = bench.deps;
    const failing = {
      ...publisher,
      publish: () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'no')),
    };
    expect(await bench.tick({ ...bench.deps, publisher: failing })).toMatchObject({
      ...LOOKED,
      failed: 1,
      failures: [{ sessionId: bench.sessionId }],
    });
    expect(await bench.tick()).toEqual({ ...LOOKED, republished: 2 });
  });
});

/** A query by time that fails at its first page. */
const failingQuery = (error: Error): Store['findByTime'] =>
  async function* () {
    yield await Promise.reject(error);
  };

/** Changes a document past the converters, or deletes it; returns it as it is then. */
function writeRaw({ projectId }: Bench, path: string, change: Record<string, unknown> | undefined) {
  return withRawDocument(projectId, path, async (document) => {
    await (change === undefined ? document.delete() : document.update(change));
    return document.get();
  });
}

const readRaw = ({ projectId }: Bench, path: string) =>
  withRawDocument(projectId, path, (document) => document.get());
