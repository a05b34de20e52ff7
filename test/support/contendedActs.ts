// What is done on condition that a document has not changed: for tests in which another writer is faster.

import { expect } from 'vitest';
import type { AlertDeps } from '../../shared/core/kernel/deps.ts';
import { DOCUMENT_RACES, SESSION_RACES } from '../../shared/core/kernel/documents/retryConflict.ts';
import { endDescendants } from '../../shared/core/kernel/execution/descendants.ts';
import { CANCELLED } from '../../shared/core/kernel/state/decide.ts';
import { buryIteration, MAX_CLAIMS } from '../../shared/core/rescue/buryIteration.ts';
import { endQuestion } from '../../shared/core/session/cancelQuestion.ts';
import { cancelSession, finishCancelling } from '../../shared/core/session/cancelSession.ts';
import { endExecutions } from '../../shared/core/session/endExecutions.ts';
import { startDeferred } from '../../shared/core/session/startDeferred.ts';
import { advanceStage } from '../../shared/core/stage/advanceStage.ts';
import { continueAfterEnd } from '../../shared/core/stage/publishOrAdvance.ts';
import { settleWaits } from '../../shared/core/stage/settleWaits.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { askQuestion } from '../../shared/kits/questions/askQuestion.ts';
import { addGuidance } from '../../shared/kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../../shared/kits/steering/pauseSession.ts';
import { controlType, guidanceType, paths, stageType } from '../../shared/lists/documents.ts';
import type { MemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { sampleApproval, sampleExecution, sampleSession } from './samples.ts';
import {
  ADA,
  child,
  childId,
  completed,
  concluded,
  deferral,
  execution,
  executionId,
  executionIn,
  now,
  openStage,
  paused,
  session,
  sessionId,
  sessionIn,
  stageId,
  storeWith,
  waitsFor,
  withApproval,
} from './stateRig.ts';

/** Something that is done with a condition on a document, and what is stored then. */
export interface Act {
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

/** The last look at executions that are ended finds none open. */
const LOOKS = SESSION_RACES - 1;

/** What people, the sweep and ends of executions do. */
export const ACTS: Record<string, Act> = {
  guidance: {
    given: () => storeWith({}),
    path: session,
    act: (deps) => addGuidance(sessionId, { text: 'Look at the disk.', ...ADA }, deps),
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
    races: DOCUMENT_RACES,
    act: (deps) => buryIteration({ schemaVersion: 1, sessionId, executionId, iteration: 1 }, 8, deps),
    async expectDone(outcome, store) {
      expect(outcome).toMatchObject({ kind: 'ended' });
      expect(await executionIn(store)).toMatchObject({ failure: { code: 'DELIVERY_EXHAUSTED' } });
    },
  },
};
