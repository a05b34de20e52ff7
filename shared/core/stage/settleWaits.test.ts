// Waiting calls that are due together: each gets its result, even if another one fails.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sampleApproval, sampleExecution, samplePendingCall } from '../../../test/support/samples.ts';
import {
  child,
  childId,
  completed,
  depsOf,
  executionId,
  executionIn,
  later,
  now,
  sessionId,
  storeWith,
  waitsFor,
  withApproval,
} from '../../../test/support/stateRig.ts';
import { approvalType, executionType, paths } from '../../lists/documents.ts';
import { createDocument, type Store, type Write } from '../contract/store.ts';
import { computeDue } from '../kernel/state/dueAt.ts';
import type { TimelineEvent } from '../schema/timelineEvent.ts';
import { settleWaits } from './settleWaits.ts';

it('the result of a child is stored before the caller hears that the message of another is too recent', async () => {
  const otherId = `${executionId}~2`;
  const [first] = waitsFor('child', childId).pendingCalls;
  const waitFor = { kind: 'child' as const, id: otherId, until: later };
  const second = samplePendingCall({ state: 'waiting', waits: 'child', waitsFor: waitFor, index: 1 });
  const store = await storeWith({
    execution: { status: 'waiting', children: 2, pendingCalls: [first ?? second, second] },
    child: completed,
  });
  // Its first message was published again: `due` moved, and no process has claimed it.
  const unclaimed = { lease: null, pendingCalls: [], deadline: later, publishedIteration: 0, iteration: 1 };
  const below = { executionId: otherId, parentExecutionId: executionId, depth: 1, due: { b0: later } };
  const other = sampleExecution({ ...unclaimed, ...below });
  await store.commit([createDocument(paths.execution(sessionId, otherId), executionType, other)]);
  const slow = {
    ...store,
    commit: async (writes: Write[]) => setImmediate().then(() => store.commit(writes)),
  };
  const settling = settleWaits({ sessionId, executionId }, depsOf(slow));
  await expect(settling).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
  const calls = (await executionIn(store))?.pendingCalls ?? [];
  expect(calls.map(({ state }) => state)).toEqual(['done', 'waiting']);
});

describe('a waiting execution', () => {
  const { approvalId } = sampleApproval();
  const settle = async (store: Store) => {
    const deps = depsOf(store);
    const events: TimelineEvent[] = [];
    const announce = (_: unknown, after: { events?: readonly TimelineEvent[] }, batch: Write[]) => {
      events.push(...(after.events ?? []));
      for (const { value } of batch)
        if ((value as TimelineEvent)?.eventType) events.push(value as TimelineEvent);
      return store.commit(batch);
    };
    const isSettled = await settleWaits({ sessionId, executionId }, { ...deps, announce });
    const published = deps.publisher.published.map(({ data }) => JSON.parse(data.toString()));
    return { isSettled, published, events: events.map(({ status, content }) => [status, content]) };
  };
  const statusOf = async (store: Store) => {
    const { status, pendingCalls = [] } = (await executionIn(store)) ?? {};
    return [status, ...pendingCalls.map(({ state }) => state)];
  };

  it('gives up a call that no person has decided in time, and goes on', async () => {
    const store = await withApproval(now);
    const { isSettled, published, events } = await settle(store);
    const until = now.toISOString();
    expect(isSettled).toBe(true);
    expect(published).toMatchObject([{ executionId, iteration: 2 }]);
    expect(events.slice(0, 2)).toEqual([
      [
        'timed_out',
        `kubernetes.get_events was neither approved nor denied until ${until}: it counts as denied.`,
      ],
      ['failed', expect.stringContaining(`nobody decided until ${until}, which counts as denied.`)],
    ]);
    expect(await statusOf(store)).toEqual(['active']);
    expect((await store.get(paths.approval(approvalId), approvalType))?.value.status).toBe('expired');
  });

  it('gives up a call whose child is missing, and no approval with it', async () => {
    const store = await storeWith({ execution: waitsFor('child', childId) });
    await store.commit([
      createDocument(paths.approval(childId), approvalType, sampleApproval({ approvalId: childId })),
    ]);
    const { isSettled, published, events } = await settle(store);
    expect({ isSettled, published }).toMatchObject({ isSettled: true, published: [{ executionId }] });
    expect(events.slice(0, 1)).toEqual([
      ['failed', 'kubernetes.get_events has no result: what it waited for is missing, or cannot be read.'],
    ]);
    expect((await executionIn(store))?.lastErrorMessage).toContain('has no result');
    expect((await store.get(paths.approval(childId), approvalType))?.value.status).toBe('pending');
  });

  it('ends a child whose time is up, which settles the call', async () => {
    const execution = waitsFor('child', childId, now);
    const store = await storeWith({ execution, child: { deadline: later } });
    expect(await settle(store)).toMatchObject({ isSettled: true });
    expect((await executionIn(store, child))?.status).toBe('timed_out');
    expect(await statusOf(store)).toEqual(['active']);
  });

  it('publishes a child that was never claimed, and goes on waiting', async () => {
    const created = sampleExecution({ executionId: childId, lease: null, pendingCalls: [] });
    const due = computeDue(created, created.createdAt);
    const unclaimed = { publishedIteration: 0, iteration: 1, due };
    const store = await storeWith({ execution: waitsFor('child', childId), child: unclaimed });
    const { isSettled, published } = await settle(store);
    expect({ isSettled, published }).toMatchObject({
      isSettled: false,
      published: [{ executionId: childId }],
    });
    expect(await statusOf(store)).toEqual(['waiting', 'waiting']);
  });

  it.each([
    ['a child at work', waitsFor('child', childId), {}],
    ['a person', waitsFor('person', approvalId), undefined],
    [
      'a call that waits no more',
      { ...waitsFor('person', approvalId, now), status: 'active' as const },
      undefined,
    ],
    [
      'a call that was settled',
      {
        ...waitsFor('child', childId, now),
        pendingCalls: waitsFor('child', childId, now).pendingCalls.map((call) => ({
          ...call,
          state: 'done' as const,
        })),
      },
      undefined,
    ],
  ])('is left alone with %s', async (_, execution, below) => {
    const store = await storeWith({ execution, ...(below && { child: below }) });
    const before = await executionIn(store);
    expect(await settle(store)).toEqual({ isSettled: false, published: [], events: [] });
    expect(await executionIn(store)).toEqual(before);
  });

  it('that is gone has nothing to settle', async () => {
    const store = await storeWith({});
    const gone = settleWaits({ sessionId, executionId: 'gone' }, depsOf(store));
    expect(await gone).toBe(false);
  });
});
