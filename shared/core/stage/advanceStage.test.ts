// The end of a stage on stored state: what is stored and published, once, whoever comes and however often.

import { describe, expect, it } from 'vitest';
import { sampleAgent, samplePlan, sampleSession } from '../../../test/support/samples.ts';
import {
  child,
  childId,
  completed,
  type Documents,
  depsOf,
  execution,
  executionIn,
  now,
  sessionId,
  sessionIn,
  stageId,
  storeWith,
} from '../../../test/support/stateRig.ts';
import { executionType, paths, stageType, timelineEventType } from '../../lists/documents.ts';
import type { MemoryStore } from '../../store/memory/memoryStore.ts';
import type { Store } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { CLAIMS_STRATEGY } from '../schema/agent.ts';
import { advanceStage } from './advanceStage.ts';
import { loadReadableStage } from './readableStage.ts';

const chain = {
  ...sampleSession().chain,
  stages: [samplePlan(), samplePlan({ name: 'second' })],
};
const TOKENS = { input: 5, output: 4, thinking: 3, cached: 2, total: 12 };
const COST = { usd: 0.5, unpricedCalls: 1 };
const spent = { tokens: TOKENS, cost: COST };
const second = paths.execution(sessionId, '02-kubernetes');
const ENDED: Documents = { session: { chain, ...spent }, execution: { ...completed, ...spent } };

async function advanced(given: Documents, change: (store: MemoryStore) => Partial<Store> = () => ({})) {
  const store = await storeWith(given);
  const deps = depsOf({ ...store, ...change(store) });
  await advanceStage({ sessionId, stageId }, deps);
  const published = deps.publisher.published.map(({ attributes }) => attributes.executionId);
  return { store, deps, published, session: await sessionIn(store) };
}

describe('a stage whose executions have ended', () => {
  it('is followed by the next one, which knows the cost of the session, and is published', async () => {
    const { store, published, session } = await advanced(ENDED);
    expect(session).toMatchObject({ currentStageId: '02-second', tokens: { total: 24 }, cost: { usd: 1 } });
    expect(await executionIn(store, second)).toMatchObject({ tokensBefore: 24, publishedIteration: 0 });
    expect((await store.get(paths.stage(sessionId, stageId), stageType))?.value).toMatchObject({
      status: 'completed',
      finishedExecutions: ['01-kubernetes'],
    });
    expect(published).toEqual(['02-kubernetes']);
  });

  it('has the messages of the next one published by those who find it later, until it is claimed', async () => {
    const { store, deps } = await advanced(ENDED);
    await advanceStage({ sessionId, stageId }, deps);
    expect(deps.publisher.published).toHaveLength(2);
    store.rewrite(second, (data) => ({ ...data, publishedIteration: 1 }));
    await advanceStage({ sessionId, stageId }, deps);
    expect(deps.publisher.published).toHaveLength(2);
  });

  it('has the next one advanced by those who find it later', async () => {
    const { store, deps } = await advanced(ENDED);
    store.rewrite(second, (data) => ({ ...data, status: 'completed', endedAt: now, finalAnalysis: 'Disk.' }));
    await advanceStage({ sessionId, stageId }, deps);
    expect(await sessionIn(store)).toMatchObject({ status: 'completed', finalAnalysis: 'Disk.' });
  });

  it('waits for the open executions below them, which end with them', async () => {
    const { store, session } = await advanced({
      session: spent,
      execution: { ...completed, ...spent, children: 1 },
      child: spent,
    });
    expect(await executionIn(store, child)).toMatchObject({ status: 'cancelled' });
    expect(session).toMatchObject({ status: 'completed', tokens: { total: 36 }, cost: { usd: 1.5 } });
  });

  it('ends a session that failed with its reason as the last event', async () => {
    const failure = { code: 'MODEL_BLOCKED' as const, message: 'It was blocked.' };
    const failed = { ...completed, status: 'failed' as const, finalAnalysis: null, failure };
    const { store } = await advanced({ execution: failed });
    const events = await store.list({ collection: paths.timeline(sessionId) }, timelineEventType);
    expect(events.at(-1)?.value.content).toContain('It was blocked.');
  });

  it('ends its session where the next one can never be stored, with the findings so far', async () => {
    const change = (store: MemoryStore): Partial<Store> => ({
      commit: (writes) =>
        writes.some(({ path }) => path === second)
          ? Promise.reject(new TerminalError('DOCUMENT_TOO_LARGE', 'too large'))
          : store.commit(writes),
    });
    const { session } = await advanced(ENDED, change);
    expect(session).toMatchObject({
      status: 'failed',
      failure: { code: 'DOCUMENT_TOO_LARGE' },
      finalAnalysis: 'OOM.',
    });
  });

  it('states that its claims were not checked where the check can never be stored', async () => {
    const claims = sampleAgent({ name: CLAIMS_STRATEGY, strategy: CLAIMS_STRATEGY });
    const ledger = { ...chain, stages: [samplePlan()], claims };
    const check = paths.execution(sessionId, `01-${CLAIMS_STRATEGY}`);
    const change = (store: MemoryStore): Partial<Store> => ({
      commit: (writes) =>
        writes.some(({ path }) => path === check)
          ? Promise.reject(new TerminalError('DOCUMENT_TOO_LARGE', 'too large'))
          : store.commit(writes),
    });
    const { session } = await advanced({ ...ENDED, session: { chain: ledger, ...spent } }, change);
    expect(session).toMatchObject({
      status: 'completed',
      finalAnalysis: 'OOM.',
      parts: { verdict: { value: null, caps: ['claims_failed'] } },
    });
  });

  it('changes nothing while one of them is open, or gone', async () => {
    for (const given of [{}, { ...ENDED, stage: { expectedExecutions: ['01-kubernetes', '01-gone'] } }]) {
      const { session, published } = await advanced(given);
      expect([session?.status, session?.currentStageId, published]).toEqual(['in_progress', stageId, []]);
    }
  });
});

describe('the documents of a stage that can be read', () => {
  it('are all but the broken ones, with the executions below those as well', async () => {
    const store = await storeWith({ child: {} });
    store.rewrite(execution, (data) => ({ ...data, iteration: 'x' }));
    const { stage, executions, descendants, broken } = await loadReadableStage(sessionId, stageId, { store });
    expect([stage?.stageId, executions]).toEqual([stageId, []]);
    expect(descendants.map(({ id }) => id)).toEqual([childId]);
    expect(broken?.code).toBe('DOCUMENT_INVALID');
    expect(await store.get(child, executionType)).toBeDefined();
  });

  it('have nothing below an execution that started no other', async () => {
    const store = await storeWith({ execution: { children: 0 } });
    const list: Store['list'] = () => Promise.reject(new Error('read without need'));
    const { broken } = await loadReadableStage(sessionId, stageId, { store: { ...store, list } });
    expect(broken).toBeUndefined();
  });
});
