// Ends executions, under a lease or from outside, and lets what ended or went on be followed by what comes next.

import type { Stored } from '../../contract/store.ts';
import type { Execution } from '../../schema/execution.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import type { Ending } from './decide.ts';
import { entriesFor } from './entries.ts';
import { type HeldExecution, replaceExecution } from './lease.ts';
import { endWith, publishIteration } from './nextIteration.ts';

/**
 * Ends an execution from outside: one fenced write, then its stage goes on. A holder that is still at work can
 * write nothing afterwards and finds out at its next renewal.
 * @returns the ended execution; undefined when it changed meanwhile and nothing was written.
 */
export async function endOpen(
  stored: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<Execution | undefined> {
  await deps.reach?.(CRASH_POINTS.beforeEnding);
  const now = deps.clock.now();
  const entries = entriesFor(stored.value, now);
  const ended = endWith(stored.value, ending, entries, now);
  const written = await replaceExecution(ended, stored.version, entries.writes, deps);
  if (written === undefined) return undefined;
  await followUp(ended, deps);
  return ended;
}

/**
 * Ends an execution for its holder.
 * @throws LeaseLostError when it changed meanwhile; nothing was written then.
 */
export async function endHeld(held: HeldExecution, ending: Ending, deps: StateDeps): Promise<void> {
  await deps.reach?.(CRASH_POINTS.beforeEnding);
  const now = deps.clock.now();
  await held.commit((current) => {
    const entries = entriesFor(current, now);
    return { execution: endWith(current, ending, entries, now), writes: entries.writes };
  });
  await releaseAndContinue(held, deps);
}

/** What must follow the last write of a holder: the next message, or the end of the stage. */
export async function releaseAndContinue(held: HeldExecution, deps: StateDeps): Promise<void> {
  held.release();
  await followUp(held.current(), deps);
}

async function followUp(execution: Execution, deps: StateDeps): Promise<void> {
  if (execution.endedAt === null) {
    await deps.reach?.(CRASH_POINTS.afterCommitB);
    await publishIteration(deps.publisher, execution);
    await deps.reach?.(CRASH_POINTS.afterPublish);
  } else {
    await deps.reach?.(CRASH_POINTS.afterEnding);
    await advanceStage(execution, deps);
  }
}
