// When an execution is late. Pure. The sweep looks for what is late instead of looking at everything that is open.

import { isTerminal } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';

/** A message that was published is delivered within seconds; after a minute without a write it counts as lost. */
const MESSAGE_LATE_MS = 60_000;

/** What `dueAtOf` looks at. */
export type DueState = Pick<Execution, 'status' | 'lease' | 'notBefore' | 'pendingCalls'>;

/**
 * The moment by which something should have happened to an execution that is written now: the end of its lease, of its
 * pause or of its shortest wait, else a minute after this write. Null once it has ended.
 */
export function dueAtOf(execution: DueState, now: Date): Date | null {
  if (isTerminal(execution.status)) return null;
  if (execution.lease !== null) return execution.lease.until;
  const waits = execution.pendingCalls.flatMap(({ state, waitsFor }) =>
    state === 'waiting' && waitsFor !== undefined ? [waitsFor.until.getTime()] : [],
  );
  if (waits.length > 0) return new Date(Math.min(...waits));
  const late = new Date(now.getTime() + MESSAGE_LATE_MS);
  return execution.notBefore !== null && execution.notBefore > late ? execution.notBefore : late;
}
