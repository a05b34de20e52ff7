// Computes when an execution is overdue, so that it can be found by a query on `dueAt`. Pure.

import { isTerminal } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';

/** Published messages are delivered within seconds; one without a write within a minute counts as lost. */
const LOST_MESSAGE_MS = 60_000;

/** The fields that `computeDueAt` reads. */
type DueState = Pick<Execution, 'status' | 'lease' | 'notBefore' | 'outage' | 'pendingCalls' | 'deadline'>;

/**
 * When an execution that is written now is overdue: at the end of its lease, of its pause or of its shortest
 * wait, else a minute after this write, and never after its deadline. Null once it has ended.
 */
export function computeDueAt(execution: DueState, now: Date): Date | null {
  if (isTerminal(execution.status)) return null;
  if (execution.lease !== null) return execution.lease.until;
  const waits = execution.pendingCalls.flatMap(({ state, waitsFor }) =>
    state === 'waiting' && waitsFor !== undefined ? [waitsFor.until.getTime()] : [],
  );
  if (waits.length > 0) return new Date(Math.min(...waits));
  const pauseEnd = execution.notBefore?.getTime() ?? 0;
  // An execution in a long wait for its model has no message: it is due when its pause ends.
  const isParked = execution.outage?.parked === true && pauseEnd > now.getTime();
  const late = isParked ? pauseEnd : Math.max(now.getTime() + LOST_MESSAGE_MS, pauseEnd);
  return new Date(Math.min(late, execution.deadline.getTime()));
}
