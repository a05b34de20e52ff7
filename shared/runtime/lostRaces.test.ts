// What people, the sweep and ends of executions do is done although another writer is faster, again and again.

import { describe, expect, it } from 'vitest';
import { contendedStore, repeatingStore } from '../../test/support/contendedStore.ts';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
  sampleStage,
} from '../../test/support/samples.ts';
import { create, type Store } from '../contract/store.ts';
import { createLogger } from '../log.ts';
import {
  approvalType,
  controlType,
  executionType,
  guidanceType,
  paths,
  sessionType,
  stageType,
} from '../schema/documents.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import { createMemoryPublisher } from '../store/memory/memoryPublisher.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory/memoryStore.ts';
import { decideApproval } from './approval/decideApproval.ts';
import { askQuestion } from './chat/askQuestion.ts';
import { endQuestion } from './chat/cancelQuestion.ts';
import { endDescendants } from './children/descendants.ts';
import type { AlertDeps } from './deps.ts';
import { CANCELLED } from './iteration/decide.ts';
import { continueAfterEnd } from './iteration/publishOrAdvance.ts';
import { settleWaits } from './iteration/settleWaits.ts';
import { createMaskers } from './maskers.ts';
import { EXECUTION_RACES, SESSION_RACES } from './races.ts';
import { buryIteration, MAX_CLAIMS } from './rescue/buryIteration.ts';
import { cancelSession, finishCancelling } from './session/cancelSession.ts';
import { endExecutions } from './session/endExecutions.ts';
import { startDeferred } from './session/startDeferred.ts';
import { advanceStage } from './stage/advanceStage.ts';
import { pauseSession, resumeSession } from './steering/pauseSession.ts';
import { tellSession } from './steering/tellSession.ts';

const now = new Date(SAMPLE_TIME.getTime() + 60_000);
const later = new Date(now.getTime() + 600_000);
const { sessionId } = sampleSession();
const { stageId, executionId } = sampleExecution();
const session = paths.session(sessionId);
const execution = paths.execution(sessionId, executionId);
const childId = `${executionId}~1`;
const child = paths.execution(sessionId, childId);
/** The last look at executions that are ended finds none open. */
const LOOKS = SESSION_RACES - 1;
const ADA = { by: 'ada' };

/** The documents of a session with one agent that is idle; null for one that is gone. */
interface Documents {
  session?: Partial<Session>;
  stage?: Partial<Stage> | null;
  execution?: Partial<Execution>;
  /** An execution below it. Default: there is none. */
  child?: Partial<Execution>;
}

async function storeWith(documents: Documents): Promise<MemoryStore> {
  const store = createMemoryStore(() => now);
  const value = sampleSession({ deadline: later, ...documents.session });
  const idle = { lease: null, pendingCalls: [], deadline: later };
  const own = sampleExecution({ ...idle, ...documents.execution });
  const below = { executionId: childId, parentExecutionId: executionId, depth: 1 };
  await store.commit([
    create(session, sessionType, value),
    create(paths.execution(sessionId, own.executionId), executionType, own),
    ...(documents.stage === null
      ? []
      : [create(paths.stage(sessionId, stageId), stageType, sampleStage(documents.stage))]),
    ...(documents.child === undefined
      ? []
      : [create(child, executionType, sampleExecution({ ...idle, ...below, ...documents.child }))]),
  ]);
  return store;
}

function depsOf(store: Store): AlertDeps & { publisher: ReturnType<typeof createMemoryPublisher> } {
  const clock = { now: () => now, every: () => () => {}, after: () => () => {} };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  return { store, publisher: createMemoryPublisher(), clock, log, maskerFor: createMaskers({}) };
}

const sessionIn = async (store: Store) => (await store.get(session, sessionType))?.value;
const executionIn = async (store: Store, path = execution) => (await store.get(path, executionType))?.value;

const paused = { ...sampleSession().steering, paused: { by: 'bob', at: SAMPLE_TIME } };
const completed = { status: 'completed', endedAt: now, finalAnalysis: 'OOM.' } as const;
const chatAgent = sampleAgent({ name: 'chat', tools: [] });
const chain = { ...sampleSession().chain, chat: chatAgent };
const concluded = { status: 'completed', finalAnalysis: 'OOM.', chain } as const;
const openStage = { stageId, deadline: later, cancelling: false };
const deferral = { reason: 'triage' as const, startedAt: null, until: null, budgets: null };
const waitsFor = (kind: 'person' | 'child', id: string, until = later) => ({
  status: 'waiting' as const,
  children: kind === 'child' ? 1 : 0,
  pendingCalls: [samplePendingCall({ state: 'waiting', waits: kind, waitsFor: { kind, id, until } })],
});
const withApproval = async (until = later): Promise<MemoryStore> => {
  const { approvalId } = sampleApproval();
  const store = await storeWith({ execution: waitsFor('person', approvalId, until) });
  await store.commit([create(paths.approval(approvalId), approvalType, sampleApproval({ until }))]);
  return store;
};

/** Something that is done with a condition on a document, and what is stored then. */
interface Act {
  given: () => Promise<MemoryStore>;
  /** The document that another writer keeps changing. */
  path: string;
  /** Commits of the document that win before. */
  after?: number;
  /** Tries before it is given up. Default: those of a session. */
  races?: number;
  act: (deps: AlertDeps) => Promise<unknown>;
  /** Fails unless it was done. */
  expectDone: (outcome: unknown, store: MemoryStore) => Promise<void> | void;
}

const ACTS: Record<string, Act> = {
  guidance: {
    given: () => storeWith({}),
    path: session,
    act: (deps) => tellSession(sessionId, { text: 'Look at the disk.', ...ADA }, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'told' });
      const told = await store.list({ collection: paths.allGuidance(sessionId) }, guidanceType);
      expect(told.map(({ value }) => value.number)).toEqual([1]);
      expect((await store.get(paths.control(sessionId), controlType))?.value.guidance).toBe(1);
    },
  },
  'a pause': {
    given: () => storeWith({}),
    path: session,
    act: (deps) => pauseSession(sessionId, ADA, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'paused' });
      expect((await sessionIn(store))?.steering.paused).toEqual({ by: 'ada', at: now });
      expect((await store.get(paths.control(sessionId), controlType))?.value.paused).toBe(true);
    },
  },
  'a resumption': {
    given: () => storeWith({ session: { steering: paused } }),
    path: session,
    act: (deps) => resumeSession(sessionId, ADA, deps),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'resumed', published: 1 });
      expect((await sessionIn(store))?.steering).toMatchObject({ paused: null, resumedAt: now });
    },
  },
  'a cancellation': {
    given: () => storeWith({}),
    path: session,
    act: (deps) => cancelSession(sessionId, deps, { ...ADA, reason: null }),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'cancelled' });
      expect(await sessionIn(store)).toMatchObject({ status: 'cancelled', cancellation: ADA });
      expect(await executionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the end of what a cancellation has marked': {
    given: () => storeWith({}),
    path: session,
    after: 1,
    act: (deps) => cancelSession(sessionId, deps),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'cancelled' });
      expect(await sessionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the end of a session that is being cancelled': {
    given: () => storeWith({ session: { status: 'cancelling' } }),
    path: session,
    act: (deps) => finishCancelling(sampleSession(), deps),
    async expectDone(_, store) {
      expect(await sessionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the end of a session that is being cancelled, whose stage is gone': {
    given: () => storeWith({ session: { status: 'cancelling' }, stage: null }),
    path: session,
    act: (deps) => finishCancelling(sampleSession(), deps),
    async expectDone(_, store) {
      expect(await sessionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the cancellation of a deferred session': {
    given: () => storeWith({ session: { status: 'deferred', deferral } }),
    path: session,
    act: (deps) => cancelSession(sessionId, deps, { ...ADA, reason: null }),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'cancelled' });
      expect(await sessionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the cancellation of a question': {
    given: () => storeWith({ session: { ...concluded, openStage, questions: 1 }, stage: { kind: 'chat' } }),
    path: session,
    act: (deps) => cancelSession(sessionId, deps, { ...ADA, reason: null }),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'question_cancelled', stageId });
      expect(await sessionIn(store)).toMatchObject({ status: 'completed', openStage: null });
      expect(await executionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the end of a question': {
    given: () =>
      storeWith({
        session: { ...concluded, openStage, questions: 1 },
        stage: { kind: 'chat' },
        execution: completed,
      }),
    path: session,
    act: (deps) => advanceStage({ sessionId, stageId }, deps),
    async expectDone(_, store) {
      expect(await sessionIn(store)).toMatchObject({ status: 'completed', openStage: null });
      expect((await store.get(paths.stage(sessionId, stageId), stageType))?.value.status).toBe('completed');
    },
  },
  'the end of a question whose stage is gone': {
    given: () => storeWith({ session: { ...concluded, openStage, questions: 1 }, stage: null }),
    path: session,
    act: (deps) => endQuestion({ sessionId, stageId }, CANCELLED, deps),
    async expectDone(_, store) {
      expect(await sessionIn(store)).toMatchObject({ status: 'completed', openStage: null });
    },
  },
  'a question': {
    given: () => storeWith({ session: concluded }),
    path: session,
    act: (deps) => askQuestion(sessionId, { text: 'Since when?', ...ADA }, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'asked', isPublished: true });
      expect(await sessionIn(store)).toMatchObject({ questions: 1, openStage: { cancelling: false } });
    },
  },
  'the start of a deferred session': {
    given: () =>
      storeWith({
        session: { status: 'deferred', deferral },
        stage: null,
        execution: { executionId: '09-other' },
      }),
    path: session,
    act: (deps) => startDeferred(sessionId, deps),
    async expectDone(outcome, store) {
      expect(outcome).toEqual({ kind: 'started', isPublished: true });
      expect(await sessionIn(store)).toMatchObject({ status: 'in_progress' });
    },
  },
  'the end of a stage': {
    given: () => storeWith({ execution: completed }),
    path: session,
    act: (deps) => advanceStage({ sessionId, stageId }, deps),
    async expectDone(_, store) {
      expect(await sessionIn(store)).toMatchObject({ status: 'completed', finalAnalysis: 'OOM.' });
    },
  },
  'the end of the executions of a stage': {
    given: () => storeWith({}),
    path: execution,
    races: LOOKS,
    act: (deps) => endExecutions({ sessionId, stageId }, CANCELLED, deps),
    async expectDone(outcome, store) {
      expect(outcome).toBe(1);
      expect(await executionIn(store)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the end of what is open below an execution': {
    given: () => storeWith({ execution: { ...completed, children: 1 }, child: {} }),
    path: child,
    races: LOOKS,
    act: (deps) => endDescendants(sampleExecution({ children: 1 }), deps),
    async expectDone(_, store) {
      expect(await executionIn(store, child)).toMatchObject({ status: 'cancelled' });
    },
  },
  'the result of a child': {
    given: () => storeWith({ execution: waitsFor('child', childId), child: completed }),
    path: execution,
    act: async (deps) => {
      const ended = await executionIn(deps.store as MemoryStore, child);
      if (ended !== undefined) await continueAfterEnd(ended, deps);
    },
    async expectDone(_, store) {
      expect(await executionIn(store)).toMatchObject({ status: 'active', iteration: 2 });
    },
  },
  'the end of a child whose time is over': {
    given: () => storeWith({ execution: waitsFor('child', childId, now), child: { deadline: now } }),
    path: child,
    act: (deps) => settleWaits({ sessionId, executionId }, deps),
    async expectDone(outcome, store) {
      expect(outcome).toBe(true);
      expect(await executionIn(store, child)).toMatchObject({ status: 'timed_out' });
      expect(await executionIn(store)).toMatchObject({ status: 'active', iteration: 2 });
    },
  },
  'the end of a wait for a person': {
    given: () => withApproval(now),
    path: execution,
    act: (deps) => settleWaits({ sessionId, executionId }, deps),
    async expectDone(outcome, store) {
      expect(outcome).toBe(true);
      expect(await executionIn(store)).toMatchObject({ status: 'active', iteration: 2 });
    },
  },
  'a decision': {
    given: () => withApproval(),
    path: execution,
    act: (deps) =>
      decideApproval(sampleApproval().approvalId, { verdict: 'approved', by: 'ada', reason: null }, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'decided', approval: { decidedBy: 'ada' } });
      expect(await executionIn(store)).toMatchObject({ pendingCalls: [{ approval: { by: 'ada' } }] });
    },
  },
  'the end of an execution that was started too often': {
    given: () => storeWith({ execution: { claims: MAX_CLAIMS } }),
    path: execution,
    races: EXECUTION_RACES,
    act: (deps) => buryIteration({ schemaVersion: 1, sessionId, executionId, iteration: 1 }, 8, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'ended' });
      expect(await executionIn(store)).toMatchObject({ failure: { code: 'DELIVERY_EXHAUSTED' } });
    },
  },
};

describe('where another writer is faster each time but the last,', () => {
  it.each(Object.entries(ACTS))(
    '%s is stored',
    async (_, { given, path, after = 0, races = SESSION_RACES, act, expectDone }) => {
      const store = await given();
      const outcome = await act(depsOf(contendedStore(store, { path, after, times: races - 1 })));
      await expectDone(outcome, store);
    },
  );
});

describe('where another writer is faster each time,', () => {
  it.each(Object.entries(ACTS))('%s fails, to be tried again', async (_, { given, path, after = 0, act }) => {
    const store = await given();
    const contended = contendedStore(store, { path, after, times: Number.POSITIVE_INFINITY });
    await expect(act(depsOf(contended))).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  });
});

describe('where the answer of the store was lost and the repetition was refused,', () => {
  const OWN = ['guidance', 'a pause', 'a resumption', 'a question'];
  it.each(OWN)('%s counts as stored by this call, once', async (name) => {
    const { given, act, expectDone } = ACTS[name] as Act;
    const store = await given();
    await expectDone(await act(depsOf(repeatingStore(store))), store);
  });

  it('guidance, a pause or a resumption of another call does not', async () => {
    const store = await storeWith({});
    const deps = depsOf(store);
    const told = { text: 'Look at the disk.', ...ADA };
    await tellSession(sessionId, told, deps);
    expect(await tellSession(sessionId, told, deps)).toMatchObject({ kind: 'told_before' });
    expect(await tellSession(sessionId, { ...told, by: 'bob' }, deps)).toMatchObject({ kind: 'told' });
    await pauseSession(sessionId, ADA, deps);
    expect(await pauseSession(sessionId, ADA, deps)).toMatchObject({ kind: 'already_paused' });
    await resumeSession(sessionId, ADA, deps);
    expect(await resumeSession(sessionId, ADA, deps)).toMatchObject({ kind: 'not_paused' });
  });
});

describe('a question that is being cancelled', () => {
  const open = { ...concluded, openStage, questions: 1 };
  const marked = { ...open, openStage: { ...openStage, cancelling: true } };

  it('is marked before anything of it ends, so that the sweep can finish, also after a lost race', async () => {
    const store = await storeWith({ session: open, stage: { kind: 'chat' } });
    const contended = contendedStore(store, { path: session, after: 0, times: 1 });
    const failpoint = () => Promise.reject(new Error('killed'));
    await expect(cancelSession(sessionId, { ...depsOf(contended), failpoint })).rejects.toThrow('killed');
    expect((await sessionIn(store))?.openStage).toEqual(marked.openStage);
  });

  it('ends with its stage when its execution has ended, and closes no newer question', async () => {
    const given = { session: marked, stage: { kind: 'chat' as const }, execution: completed };
    const store = await storeWith(given);
    await endQuestion({ sessionId, stageId }, CANCELLED, depsOf(store));
    expect((await store.get(paths.stage(sessionId, stageId), stageType))?.value.status).toBe('completed');
    const newer = { ...openStage, stageId: '09-chat' };
    const next = await storeWith({ ...given, session: { ...open, openStage: newer } });
    await endQuestion({ sessionId, stageId }, CANCELLED, depsOf(next));
    expect((await sessionIn(next))?.openStage).toEqual(newer);
    // Its documents are gone.
    const gone = await storeWith({ ...given, stage: null, session: { ...open, openStage: newer } });
    await endQuestion({ sessionId, stageId }, CANCELLED, depsOf(gone));
    expect((await sessionIn(gone))?.openStage).toEqual(newer);
  });
});
