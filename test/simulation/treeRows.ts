// Sees the moments that the waits for children are designed for. The test asserts that each was seen.

import type { Write } from '../../shared/core/contract/store.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Execution, PendingCall } from '../../shared/core/schema/execution.ts';
import { executionType } from '../../shared/lists/documents.ts';
import { executionKey, type Invocation } from './record.ts';
import type { TreeRow } from './treeMoments.ts';
import type { World } from './world.ts';

const see = (row: TreeRow, world: World): void => {
  world.rows.add(row);
  world.traceLine(`* ${row}`);
};

const executionsIn = (writes: Write[]): Execution[] =>
  writes.filter(({ type }) => type === (executionType as unknown)).map(({ value }) => value as Execution);

const waitsForChild = ({ state, waitsFor }: PendingCall): boolean =>
  state === 'waiting' && waitsFor?.kind === 'child';

/** Called when a message about an execution is handled without an error. */
export function noteMessage(by: Invocation, world: World): void {
  const { iteration, startedAt } = by;
  const known = world.record.executions.get(executionKey(by));
  if (known === undefined || known.at >= startedAt || known.value.iteration !== iteration) return;
  if (known.value.pendingCalls.some(waitsForChild)) see('a message about a waiting execution arrives', world);
}

/** Called before a commit is recorded. */
export function noteCommit(writes: Write[], by: Invocation, world: World): void {
  const { record } = world;
  for (const execution of executionsIn(writes)) {
    const before = record.executions.get(executionKey(execution));
    if (before === undefined) continue;
    const { sessionId } = execution;
    const relative = (executionId: string | null = null) =>
      executionKey({ sessionId, executionId: executionId ?? '' });
    const { value: was, by: writer } = before;
    if (writer !== by && isMark(was, execution)) noteRepetition(was, by, world);
    const ended = isTerminal(execution.status) && !isTerminal(was.status);
    const parent = record.executions.get(relative(execution.parentExecutionId))?.value;
    const isHeld = (was.lease?.until.getTime() ?? 0) > world.time.now() && writer.process.alive;
    if (ended && parent !== undefined && execution.status === 'timed_out' && isHeld && writer !== by)
      see('a child is ended while its holder works', world);
    if (ended && parent !== undefined && isTerminal(parent.status))
      see('the child ends after its parent', world);
    const settled = was.pendingCalls.filter(
      (call) =>
        waitsForChild(call) &&
        !execution.pendingCalls.some((one) => one.index === call.index && waitsForChild(one)),
    );
    for (const { waitsFor } of isTerminal(execution.status) ? [] : settled) {
      const child = record.executions.get(relative(waitsFor?.id));
      if (child !== undefined && by.executionId === waitsFor?.id && child.by !== by)
        see('the process that ended the child dies before it settles the call', world);
      if (world.refused.has(`${by.id} ${executionKey(execution)}`) && was.pendingCalls.length > 1)
        see('two children end at the same moment', world);
    }
    const isClaim = execution.lease !== null && execution.lease.holder !== was.lease?.holder;
    const approved = was.pendingCalls.some(({ state, approval }) => state === 'running' && approval);
    if (isClaim && approved) see('the holder of an approved call dies', world);
  }
}

/** Called when a commit is refused. */
export function noteRefusal(writes: Write[], by: Invocation, world: World): void {
  for (const execution of executionsIn(writes)) {
    const { executionId, status, pendingCalls } = execution;
    const stored = world.record.executions.get(executionKey(execution));
    if (stored === undefined) continue;
    world.refused.add(`${by.id} ${executionKey(execution)}`);
    const waits = stored.value.pendingCalls.some(waitsForChild);
    if (by.target === 'cancel' && status === 'cancelled' && waits)
      see('a cancellation meets the commit that creates the child', world);
    const parks = by.executionId === executionId && pendingCalls.some(waitsForChild);
    const isOwn = writes.some(({ op, path }) => op === 'create' && world.createdBy.get(path) === by);
    if (parks && isOwn && stored.by !== by) see('the child settles a commit whose response was lost', world);
  }
}

/** Whether a write only marks that the message of an unclaimed iteration is published again. */
function isMark(was: Execution, now: Execution): boolean {
  return (
    now.lease === null &&
    was.lease === null &&
    now.iteration === was.iteration &&
    now.publishedIteration === was.publishedIteration &&
    now.claims === was.claims &&
    now.status === was.status &&
    now.lastMessage === was.lastMessage
  );
}

/** Called before another process than the last writer publishes a message again. */
function noteRepetition(execution: Execution, by: Invocation, world: World): void {
  const { executionId, parentExecutionId, publishedIteration, iteration, status, pendingCalls } = execution;
  const isParents = parentExecutionId !== null && by.executionId === parentExecutionId;
  if (isParents && publishedIteration === 0)
    see('the holder dies after its commit, before it publishes the child', world);
  if (isTerminal(status) || publishedIteration >= iteration) return;
  const isChilds = by.executionId?.startsWith(`${executionId}~`) === true;
  if (isChilds && pendingCalls.length === 0)
    see('the process that settled dies, and the next iteration is stored', world);
  const asked = pendingCalls.some(({ waitsFor, state }) => waitsFor?.kind === 'child' && state === 'done');
  if (asked) see('the process that settled dies, and calls of a later group are left', world);
}

/** Called after a run. */
export function noteDecisions(world: World): void {
  const isLate = ({ outcome }: { outcome: { kind: string } }) =>
    outcome.kind === 'expired' || outcome.kind === 'already_decided';
  if (world.record.decisions.some(isLate)) see('a decision and the end of its wait coincide', world);
}
