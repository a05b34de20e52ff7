// What else people do to a session depends on what it is: over, concluded, answering a question.

import { describe, expect, it } from 'vitest';
import { contendedStore } from '../../../test/support/contendedStore.ts';
import { sampleExecution, sampleSession } from '../../../test/support/samples.ts';
import {
  ADA,
  child,
  completed,
  concluded,
  depsOf,
  executionIn,
  openStage,
  session,
  sessionId,
  sessionIn,
  stageId,
  storeWith,
} from '../../../test/support/stateRig.ts';
import { addGuidance } from '../../kits/steering/addGuidance.ts';
import { paths, stageType, timelineEventType } from '../../lists/documents.ts';
import { CANCELLED } from '../kernel/state/decide.ts';
import type { Session } from '../schema/session.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { endQuestion } from './cancelQuestion.ts';
import { cancelSession, finishCancelling } from './cancelSession.ts';

describe('executions that are over or full', () => {
  it('takes no guidance: an investigation that has concluded, and a session with fifty', async () => {
    const tell = async (changes: Partial<Session>) =>
      addGuidance(sessionId, { text: 'Look.', ...ADA }, depsOf(await storeWith({ session: changes })));
    const conclusion = { status: 'completed' as const, failure: null };
    expect(await tell({ conclusion })).toEqual({ kind: 'concluded' });
    const { steering } = sampleSession();
    expect(await tell({ steering: { ...steering, guidance: 50 } })).toEqual({ kind: 'too_many' });
    expect(await tell({ steering: { ...steering, guidance: 49 } })).toMatchObject({ kind: 'told' });
  });

  it('is not cancelled: a session that has ended stays as it is', async () => {
    const store = await storeWith({ session: { status: 'failed' } });
    const outcome = await cancelSession(sessionId, depsOf(store), { ...ADA, reason: null });
    expect(outcome).toEqual({ kind: 'already_ended', status: 'failed' });
    expect((await sessionIn(store))?.cancellation).toBeNull();
  });
});

it('a cancellation ends the open executions below executions that have ended, and names the person', async () => {
  const store = await storeWith({ execution: { ...completed, children: 1 }, child: {} });
  await cancelSession(sessionId, depsOf(store), { ...ADA, reason: 'enough' });
  expect(await executionIn(store, child)).toMatchObject({ status: 'cancelled' });
  const events = await store.list({ collection: paths.timeline(sessionId) }, timelineEventType);
  expect(events.map(({ value }) => value.content)).toContain('Cancelled by ada: enough');
});

it('a cancellation whose process died continues where the executions have ended: their stage ends as well', async () => {
  const store = await storeWith({ session: { status: 'cancelling' }, execution: completed });
  await finishCancelling(sampleSession(), depsOf(store));
  expect(await sessionIn(store)).toMatchObject({ status: 'cancelled', finalAnalysis: 'OOM.' });
  expect((await store.get(paths.stage(sessionId, stageId), stageType))?.value.status).toBe('completed');
});

it('the tokens and costs of a question are added to those of its session', async () => {
  const tokens = { input: 5, output: 4, thinking: 3, cached: 2, total: 12 };
  const cost = { ...sampleExecution().cost, usd: 0.5 };
  const store = await storeWith({
    session: { ...concluded, openStage, questions: 1, tokens, cost },
    stage: { kind: 'chat' },
    execution: { ...completed, tokens, cost },
  });
  await advanceStage({ sessionId, stageId }, depsOf(store));
  expect(await sessionIn(store)).toMatchObject({ tokens: { total: 24, cached: 4 }, cost: { usd: 1 } });
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
