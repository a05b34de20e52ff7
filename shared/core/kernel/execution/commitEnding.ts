// The write that ends an execution from outside. The caller handles the consequences.

import type { Stored } from '../../contract/store.ts';
import type { Execution } from '../../schema/execution.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import type { Ending } from '../state/decide.ts';
import { endWithFailure } from '../state/nextIteration.ts';
import { replaceExecution, withDue } from '../state/replaceExecution.ts';
import { callsForPeople, closeApprovals } from './closeApprovals.ts';

/** @returns the ended execution; undefined if another writer changed it first and nothing was written. */
export async function commitEnding(
  stored: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<Execution | undefined> {
  await deps.failpoint?.(CRASH_POINTS.beforeEnding);
  const closing = await closeApprovals(callsForPeople(stored.value), 'ended', deps);
  const batch = startBatch(stored.value, deps.clock.now());
  const ended = withDue(endWithFailure(stored.value, ending, batch), batch.now);
  const writes = [...batch.writes, ...closing.writes];
  const written = await replaceExecution(ended, stored.version, writes, deps, closing);
  if (!written.ok) return undefined;
  return ended;
}
