// Waiting calls that are due together: each gets its result, even if another one fails.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sampleExecution, samplePendingCall } from '../../../test/support/samples.ts';
import {
  childId,
  completed,
  depsOf,
  executionId,
  executionIn,
  later,
  sessionId,
  storeWith,
  waitsFor,
} from '../../../test/support/stateRig.ts';
import { executionType, paths } from '../../lists/documents.ts';
import { createDocument, type Write } from '../contract/store.ts';
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
  // Its first message was published again: dueAt moved, and no process has claimed it.
  const unclaimed = { lease: null, pendingCalls: [], deadline: later, publishedIteration: 0, iteration: 1 };
  const below = { executionId: otherId, parentExecutionId: executionId, depth: 1, dueAt: later };
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
