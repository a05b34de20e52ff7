// The sweep on stored state: what it finds, by its queries and by its listing, and what it does about it.

import { describe, expect, it } from 'vitest';
import { sampleSession } from '../../../test/support/samples.ts';
import {
  child,
  childId,
  completed,
  concluded,
  type Documents,
  depsOf,
  execution,
  executionIn,
  later,
  now,
  openStage,
  session,
  sessionId,
  sessionIn,
  stageId,
  storeWith,
  waitsFor,
} from '../../../test/support/stateRig.ts';
import { paths, sessionType, stageType, sweepMarkType } from '../../lists/documents.ts';
import { createMemoryStore, type MemoryStore } from '../../store/memory/memoryStore.ts';
import { createDocument, type Store } from '../contract/store.ts';
import { RetryableError } from '../errors.ts';
import type { SweepFeature } from '../kernel/feature/sweepFeature.ts';
import { findLateSessions } from './findLateSessions.ts';
import { sweepSessions } from './sweep.ts';

const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const asking = { ...concluded, questions: 1, openStage };
const overdue = { ...asking, openStage: { ...openStage, deadline: now }, dueAt: now };
const CHAT = { kind: 'chat' } as const;

interface Sweep {
  given: Documents;
  /** When the documents were written, in minutes ago. Default: 1. */
  minutes?: number;
  /** When the last run was, in minutes ago; null: unknown, so all sessions are listed. Default: 1. */
  lastRun?: number | null;
  /** How the store differs. */
  change?: (store: MemoryStore) => Partial<Store>;
}

/** One run of the sweep over a session. */
async function swept({ given, minutes = 1, lastRun = 1, change = () => ({}) }: Sweep) {
  const store = await storeWith(given, ago(minutes));
  if (lastRun !== null) {
    const mark = { completedAt: ago(lastRun), listedAt: ago(lastRun), expireAt: later };
    await store.commit([createDocument(paths.sweepMark, sweepMarkType, mark)]);
  }
  const deps = depsOf({ ...store, ...change(store) });
  const report = await sweepSessions(deps, []);
  const mark = (await store.get(paths.sweepMark, sweepMarkType))?.value;
  return { report, store, mark, published: deps.publisher.published.length };
}

const stageIn = async (store: Store) => (await store.get(paths.stage(sessionId, stageId), stageType))?.value;
const failing = (): never => {
  throw new RetryableError('STORE_UNAVAILABLE', 'the query failed');
};
describe('the sweep finds', () => {
  it('executions that are late, and publishes their messages', async () => {
    const { report, published } = await swept({ given: { execution: { due: { b0: now } } } });
    expect([report.republished, published]).toEqual([1, 1]);
  });

  it('none that is late later', async () => {
    const { report, published } = await swept({ given: { execution: { due: { b0: later } } } });
    expect([report.sessions, published]).toEqual([0, 0]);
  });

  it('all that is late, of however many pages', async () => {
    const store = await storeWith({ execution: { due: { b0: now } }, child: { due: { b0: now } } });
    // Pages of one document.
    const findByTime: Store['findByTime'] = (query) => store.findByTime({ ...query, limit: 1 });
    const late = await findLateSessions(ago(5), now, { ...store, findByTime });
    expect([...late]).toEqual([[sessionId, [execution, child]]]);
  });

  it('sessions that are late: one whose cancellation died', async () => {
    const given = { session: { status: 'cancelling' as const }, execution: { due: { b0: later } } };
    const { store } = await swept({ given });
    expect([(await sessionIn(store))?.status, (await executionIn(store))?.status]).toEqual([
      'cancelled',
      'cancelled',
    ]);
  });

  it('stages whose executions have ended since five minutes before the last complete run', async () => {
    const ended = (minutes: number) => ({ execution: { ...completed, endedAt: ago(minutes), due: {} } });
    expect((await sessionIn((await swept({ given: ended(6) })).store))?.status).toBe('completed');
    expect((await sessionIn((await swept({ given: ended(7) })).store))?.status).toBe('in_progress');
  });

  it('sessions that start by themselves, when it is time', async () => {
    const deferral = { reason: 'settling' as const, startedAt: null, until: now };
    const given: Documents = { stage: null, execution: { executionId: '09-other', due: {} } };
    const start = (until: Date) =>
      swept({ given: { ...given, session: { status: 'deferred', deferral: { ...deferral, until } } } });
    expect((await sessionIn((await start(now)).store))?.status).toBe('in_progress');
    expect((await sessionIn((await start(later)).store))?.status).toBe('deferred');
  });

  it('all open sessions where its queries fail, and reports that', async () => {
    const given = { execution: { due: { b0: later } } };
    const { report, published } = await swept({ given, change: () => ({ findByTime: failing }) });
    expect([report.listed, report.sessions, published]).toEqual([true, 1, 1]);
  });

  it('all open sessions, however many there are', async () => {
    const { report } = await swept({
      given: {},
      lastRun: null,
      change: (store) => ({
        // As many as fill a page, then the last one.
        listIds: async (query) => {
          const ids = await store.listIds(query);
          return query.afterId === undefined ? Array(200).fill('a-gone') : ids;
        },
      }),
    });
    expect(report).toMatchObject({ listed: true, sessions: 1 });
  });
});

describe('the report of a sweep', () => {
  const none = {
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

  it('counts what was done about each session', async () => {
    const ended = { execution: { ...completed, due: {} } };
    const deferral = { reason: 'settling' as const, startedAt: null, until: now };
    const deferred = { stage: null, session: { status: 'deferred' as const, deferral } };
    const waiting = { execution: { ...waitsFor('child', childId, now), due: { b0: now } } };
    const reports = [
      await swept({ given: { execution: { due: { b0: later } } } }),
      await swept({ given: { execution: { due: { b0: now } } } }),
      await swept({ given: { session: { status: 'cancelling' } } }),
      await swept({ given: ended }),
      await swept({ given: { ...deferred, execution: { executionId: '09-other', due: {} } } }),
      await swept({ given: waiting }),
      await swept({ given: { execution: { due: { b0: now }, deadline: now } } }),
    ];
    expect(reports.map(({ report }) => report)).toEqual([
      none,
      { ...none, sessions: 1, republished: 1 },
      { ...none, sessions: 1, ended: 1, advanced: 1 },
      { ...none, sessions: 1, advanced: 1 },
      { ...none, sessions: 1, advanced: 1 },
      { ...none, sessions: 1, settled: 1 },
      { ...none, sessions: 1, ended: 1 },
    ]);
  });

  it('names the first twenty failures, and counts all', async () => {
    const store = await storeWith({});
    const ids = Array.from({ length: 21 }, (_, index) => `broken-${index}`);
    await store.commit(
      ids.map((id) =>
        createDocument(paths.session(id), sessionType, sampleSession({ sessionId: id, dueAt: now })),
      ),
    );
    const get: Store['get'] = (path, type) =>
      path.includes('broken-') ? Promise.reject(new Error('broken')) : store.get(path, type);
    const report = await sweepSessions(depsOf({ ...store, get }), []);
    expect([report.failed, report.failures.length]).toEqual([21, 20]);
    expect(report.failures[0]).toEqual({
      sessionId: expect.stringContaining('broken-'),
      code: null,
      message: 'broken',
    });
  });

  it('has the work of features, in their order', async () => {
    const failures = Array.from({ length: 15 }, (_, index) => ({
      sessionId: `s-${index}`,
      code: null,
      message: 'broken',
    }));
    const feature = { run: async () => ({ started: 2, failures }) } as unknown as SweepFeature;
    const report = await sweepSessions(depsOf(await storeWith({})), [feature, feature]);
    expect(report).toMatchObject({ advanced: 4, failed: 30 });
    expect(report.failures).toEqual([...failures, ...failures.slice(0, 5)]);
  });
});

describe('a question', () => {
  it('that is being cancelled ends, and its session stays as it was', async () => {
    const cancelling = {
      ...asking,
      currentStageId: '01-investigation-before',
      openStage: { ...openStage, cancelling: true },
    };
    const { store } = await swept({ given: { session: cancelling, stage: CHAT } });
    expect(await sessionIn(store)).toMatchObject({ status: 'completed', openStage: null });
    expect((await executionIn(store))?.status).toBe('cancelled');
  });

  it('that is overdue ends also where all sessions are listed', async () => {
    const given = { session: overdue, stage: CHAT, execution: { deadline: now } };
    const { store, report } = await swept({ given, lastRun: null });
    expect(report).toMatchObject({ listed: true, ended: 1 });
    expect((await sessionIn(store))?.openStage).toBeNull();
  });

  it('is looked for again where the query for questions failed', async () => {
    const given = { session: overdue, stage: CHAT };
    const { mark } = await swept({ given, lastRun: null, change: () => ({ findByTime: failing }) });
    expect(mark?.completedAt).toEqual(ago(60));
  });

  it('whose stage is gone is closed at its deadline', async () => {
    const { store } = await swept({ given: { session: overdue, stage: null } });
    expect(await sessionIn(store)).toMatchObject({ status: 'completed', openStage: null });
    const early = await swept({ given: { session: { ...asking, dueAt: now }, stage: null } });
    expect(await sessionIn(early.store)).toMatchObject({ openStage });
    expect(early.report).toMatchObject({ failed: 1, failures: [{ sessionId, code: 'DOCUMENT_INVALID' }] });
  });

  it('of a session that ended while it was paused is published', async () => {
    const steering = { ...sampleSession().steering, paused: { by: 'bob', at: ago(9) } };
    const { published } = await swept({
      given: { session: { ...asking, steering }, stage: CHAT, execution: { due: { b0: now } } },
    });
    expect(published).toBe(1);
  });
});

describe('documents that its session left behind', () => {
  const left = (deadline: Date): Documents => ({
    session: { status: 'failed', endedAt: ago(1) },
    execution: { due: { b0: now }, deadline },
  });

  it('ends at its deadline, and is not published before', async () => {
    const { store, report } = await swept({ given: left(now) });
    expect([(await executionIn(store))?.status, report.ended]).toEqual(['timed_out', 1]);
    const early = await swept({ given: left(later) });
    expect([(await executionIn(early.store))?.status, early.published]).toEqual(['active', 0]);
  });

  it('is left unchanged when it has ended, or cannot be read', async () => {
    const ended = { ...left(now), execution: { ...completed, due: { b0: now } } };
    const { store, report } = await swept({ given: ended });
    expect(report).toMatchObject({ ended: 0, failed: 0 });
    expect((await executionIn(store))?.status).toBe('completed');
    const broken = await swept({
      given: left(now),
      change: (memory) => {
        memory.rewrite(execution, (data) => ({ ...data, iteration: 'x' }));
        return {};
      },
    });
    expect(broken.report).toMatchObject({ sessions: 0, ended: 0, failed: 0 });
  });
});

describe('a session that cannot be read', () => {
  const DAY = 24 * 60;
  const broken = (days: number, changes: Record<string, unknown> = {}) =>
    swept({
      given: { execution: { due: { b0: now } } },
      change(store) {
        store.rewrite(session, (data) => ({
          ...data,
          input: 5,
          createdAt: ago(days * DAY),
          ...changes,
        }));
        return {};
      },
    });
  const statusIn = (store: MemoryStore) =>
    store.documents().find(({ path }) => path === session)?.data.status;

  it('fails, with its executions, when it is older than any deadline', async () => {
    const { store, report } = await broken(8);
    expect([statusIn(store), report.advanced]).toEqual(['failed', 1]);
    expect((await executionIn(store))?.status).toBe('timed_out');
  });

  it('is reported until then', async () => {
    const { store, report, mark } = await broken(6);
    expect([statusIn(store), report.failed]).toEqual(['in_progress', 1]);
    // No repetition can help.
    expect(mark?.completedAt).toEqual(now);
  });

  it('is left unchanged when it has ended', async () => {
    const { store, report } = await broken(8, { status: 'cancelled' });
    expect([statusIn(store), report.advanced, report.failed]).toEqual(['cancelled', 0, 0]);
  });
});

describe('a session whose documents are gone', () => {
  it('ends at its deadline, with the executions that are there', async () => {
    const missing = { expectedExecutions: [execution.split('/').at(-1) ?? '', '01-gone'] };
    const given: Documents = { session: { deadline: now, dueAt: now }, stage: missing };
    const { store, report } = await swept({ given });
    expect(await sessionIn(store)).toMatchObject({
      status: 'failed',
      failure: { code: 'DOCUMENT_INVALID', message: expect.stringContaining('01-gone') },
    });
    expect([(await executionIn(store))?.status, report.advanced]).toEqual(['timed_out', 1]);
    const early = await swept({ given: { ...given, session: { dueAt: now } } });
    expect([(await sessionIn(early.store))?.status, early.report.failed]).toEqual(['in_progress', 1]);
  });

  it('has the open executions below a broken execution ended with it', async () => {
    const store = await storeWith({ session: { status: 'cancelling' }, child: {} }, ago(1));
    store.rewrite(execution, (data) => ({ ...data, iteration: 'x' }));
    await sweepSessions(depsOf(store), []);
    expect((await executionIn(store, child))?.status).toBe('cancelled');
    expect((await store.get(session, sessionType))?.value.status).toBe('cancelled');
  });
});

it('the mark stays where a session failed in a way that can be temporary', async () => {
  const given = { execution: { due: { b0: now } } };
  const change = (store: MemoryStore): Partial<Store> => ({
    get: (path, type) =>
      path === execution
        ? Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'down'))
        : store.get(path, type),
  });
  const { mark, report } = await swept({ given, change });
  expect([report.failed, mark?.completedAt]).toEqual([1, ago(1)]);
});

it('stages that have ended are advanced once', async () => {
  const { store } = await swept({ given: { execution: { ...completed, due: {} } } });
  expect([(await stageIn(store))?.status, (await sessionIn(store))?.finalAnalysis]).toEqual([
    'completed',
    'OOM.',
  ]);
  expect(await sweepSessions(depsOf(store), [])).toMatchObject({ advanced: 0, failed: 0 });
});

it('a run continues the listing of one that died', async () => {
  const store = createMemoryStore(() => now);
  const open = Array.from({ length: 250 }, (_, n) =>
    sampleSession({ sessionId: `s-${String(n).padStart(3, '0')}`, deadline: later, dueAt: later }),
  );
  await store.commit(open.map((one) => createDocument(paths.session(one.sessionId), sessionType, one)));
  let checked = 0;
  const failpoint = async () => {
    if (++checked > 230) throw new Error('died');
  };
  await expect(sweepSessions({ ...depsOf(store), failpoint }, [])).rejects.toThrow('died');
  expect(await sweepSessions(depsOf(store), [])).toMatchObject({ listed: true, sessions: 50 });
  const mark = (await store.get(paths.sweepMark, sweepMarkType))?.value;
  expect(mark).toMatchObject({ listedAt: now });
  expect(mark).not.toHaveProperty('listing');
  expect(await sweepSessions(depsOf(store), [])).toMatchObject({ listed: false });
});
