// Ends executions, for their holder or from another process, and continues with the next message, the parent
// or the stage.

import type { Stored } from '../contract/store.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { RuntimeDeps, StateDeps } from '../kernel/deps.ts';
import { commitBatch } from '../kernel/execution/commitBatch.ts';
import { commitEnding } from '../kernel/execution/commitEnding.ts';
import type { HeldExecution } from '../kernel/execution/lease.ts';
import type { Ending } from '../kernel/state/decide.ts';
import { endWithFailure, publishIteration } from '../kernel/state/nextIteration.ts';
import type { Execution } from '../schema/execution.ts';
import { publishOrAdvance } from './publishOrAdvance.ts';

/**
 * Ends an execution that this process does not hold: one fenced write, then the continuation. A holder that
 * is still working can write nothing afterwards and detects it at its next lease renewal.
 * @returns the ended execution; undefined when another writer changed it first and nothing was written.
 */
export async function endExecution(
  stored: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<Execution | undefined> {
  const ended = await commitEnding(stored, ending, deps);
  if (ended !== undefined) await publishOrAdvance(ended, deps);
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

/**
 * Releases the execution after its holder's last write. Then publishes its next message or the messages of
 * its children, or continues after its end.
 */
export async function releaseAndContinue(held: HeldExecution, deps: StateDeps): Promise<void> {
  held.release();
  const execution = held.current();
  if (execution.status === 'waiting') await publishChildren(execution, deps);
  else await publishOrAdvance(execution, deps);
}

/** Publishes the first messages of the children that an execution has just started to wait for. */
async function publishChildren(execution: Execution, { publisher, failpoint }: StateDeps): Promise<void> {
  const { sessionId, traceparent, pendingCalls } = execution;
  const ids = pendingCalls.flatMap(({ state, waitsFor }) =>
    state === 'waiting' && waitsFor?.kind === 'child' ? [waitsFor.id] : [],
  );
  if (ids.length === 0) return;
  await failpoint?.(CRASH_POINTS.afterParking);
  await Promise.all(
    ids.map((executionId) =>
      publishIteration(publisher, { sessionId, executionId, iteration: 1, traceparent, status: 'pending' }),
    ),
  );
}
