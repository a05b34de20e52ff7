// Ends executions, by their holder or by another process, and continues with what follows: the next message or stage.

import type { Stored } from '../../contract/store.ts';
import type { Execution } from '../../schema/execution.ts';
import { callsForPeople, closeApprovals } from '../approval/closeApprovals.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { RuntimeDeps, StateDeps } from '../deps.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { commitBatch } from './commitBatch.ts';
import type { Ending } from './decide.ts';
import { startBatch } from './executionBatch.ts';
import type { HeldExecution } from './lease.ts';
import { endWithFailure, publishIteration } from './nextIteration.ts';
import { replaceExecution, withDueAt } from './replaceExecution.ts';

/**
 * Ends an execution that this process does not hold: one fenced write, then its stage is advanced. A holder that is
 * still working can write nothing afterwards and notices at its next lease renewal.
 * @returns the ended execution; undefined when another writer changed it first and nothing was written.
 */
export async function endExecution(
  stored: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<Execution | undefined> {
  await deps.failpoint?.(CRASH_POINTS.beforeEnding);
  const closing = await closeApprovals(callsForPeople(stored.value), 'ended', deps);
  const batch = startBatch(stored.value, deps.clock.now());
  const ended = withDueAt(endWithFailure(stored.value, ending, batch), batch.now);
  const written = await replaceExecution(ended, stored.version, [...batch.writes, ...closing], deps);
  if (!written.ok) return undefined;
  await publishOrAdvance(ended, deps);
  return ended;
}

/**
 * Ends an execution for its holder.
 * @throws LeaseLostError when another writer changed it; nothing was written then.
 */
export async function endHeldExecution(
  held: HeldExecution,
  ending: Ending,
  deps: RuntimeDeps,
): Promise<void> {
  await deps.failpoint?.(CRASH_POINTS.beforeEnding);
  await commitBatch(held, deps, (current, batch) => endWithFailure(current, ending, batch));
  await releaseAndContinue(held, deps);
}

/** Releases the execution after its holder's last write, then publishes its next message or advances its stage. */
export async function releaseAndContinue(held: HeldExecution, deps: StateDeps): Promise<void> {
  held.release();
  await publishOrAdvance(held.current(), deps);
}

/** Publishes the next message of an open execution, unless it waits; advances the stage of one that has ended. */
export async function publishOrAdvance(execution: Execution, deps: StateDeps): Promise<void> {
  if (execution.status === 'waiting') return;
  if (execution.endedAt === null) {
    await deps.failpoint?.(CRASH_POINTS.afterCommitB);
    await publishIteration(deps.publisher, execution);
    await deps.failpoint?.(CRASH_POINTS.afterPublish);
  } else {
    await deps.failpoint?.(CRASH_POINTS.afterEnding);
    await advanceStage(execution, deps);
  }
}
