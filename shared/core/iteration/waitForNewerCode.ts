// Bounds how long an execution waits for newer code after a document that this code cannot read.

import { outagePauseMs } from '../../text/backOff.ts';
import type { RuntimeDeps } from '../kernel/deps.ts';
import { type HeldExecution, returnClaim } from '../kernel/execution/lease.ts';
import { isForNewerCode, NEWER_CODE_MS } from '../kernel/execution/newerDocument.ts';
import { PARKED_FROM_MS } from '../kernel/state/retryLater.ts';
import type { SchemaVersionError } from '../schema/documentType.ts';
import type { Outage } from '../schema/execution.ts';

/**
 * Releases the lease and pauses the execution, longer each time. The claim does not count towards the limit
 * of unfinished claims.
 * @param before the outage of the execution when it was claimed.
 * @returns `paused` if the message must be delivered again; `parked` if the pause is long, so that the sweep
 *   publishes it; `over` if the execution has waited for `NEWER_CODE_MS`: nothing was written, and the
 *   execution must end.
 * @throws as `HeldExecution.commit`.
 */
export async function waitForNewerCode(
  held: HeldExecution,
  before: Outage | null,
  { code }: SchemaVersionError,
  { clock, random = Math.random }: Pick<RuntimeDeps, 'clock' | 'random'>,
): Promise<'paused' | 'parked' | 'over'> {
  const now = clock.now();
  const earlier = isForNewerCode(before) ? before : null;
  const since = earlier?.since ?? now;
  if (now.getTime() - since.getTime() >= NEWER_CODE_MS) return 'over';
  const pauses = (earlier?.pauses ?? 0) + 1;
  const pauseMs = outagePauseMs(pauses - 1, random);
  const parked = pauseMs >= PARKED_FROM_MS;
  // The calls of a model that was down before keep their numbers, which their stored documents refer to.
  const outage: Outage = { code, since, pauses, calls: before?.calls ?? 0, parked };
  const notBefore = new Date(now.getTime() + pauseMs);
  await held.commit((current) => ({
    execution: { ...returnClaim(current), outage, notBefore },
    writes: [],
  }));
  return parked ? 'parked' : 'paused';
}
