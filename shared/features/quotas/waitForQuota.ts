// Ends an iteration whose quota is used up: the execution waits without an instance, and asks again.

import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { returnClaim } from '../../core/kernel/execution/lease.ts';
import { isForModel, isForQuota } from '../../core/kernel/execution/newerDocument.ts';
import { PARKED_FROM_MS, retryLaterError } from '../../core/kernel/state/retryLater.ts';
import type { Execution, Outage } from '../../core/schema/execution.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import { extendDeadlines } from '../../kits/agents/extendDeadlines.ts';
import { type QuotaPlace, quotaPlacesPart } from '../../kits/quotas/quota.ts';

/** Pub/Sub's second back-off could miss a whole minute after it. */
const SWEPT_FROM_MS = 40_000;

/** The quota that an execution waits for. */
interface QuotaWait {
  /** The model or server, for readers. */
  subject: string;
  /** The limit that is used up, as one sentence. */
  reason: string;
  /** When the execution asks again. */
  until: Date;
  /** The places of its requests in later minutes. */
  places: Record<string, QuotaPlace>;
}

/** The place that a request waited for: by id of the call, or by number of the model's call. */
export function findPlace(
  execution: Pick<Execution, 'outage' | 'parts'>,
  name: string,
): QuotaPlace | undefined {
  return execution.outage === null ? undefined : readPart(quotaPlacesPart, execution)?.[name];
}

/** The name of the next request to the model: a retry has another one. */
export const formatRequestName = ({ outage }: Pick<Execution, 'outage'>): string =>
  `model ${outage?.calls ?? 0}`;

/** Since when an execution waits for a quota; undefined if it has not waited. */
export function waitsForQuotaSince({ outage }: Pick<Execution, 'outage'>): Date | undefined {
  return isForQuota(outage) ? outage?.since : undefined;
}

/**
 * Stores the wait, with one event for each, and gives the lease back. Calls that were to run are requested
 * again.
 * @throws RetryableError `EXECUTION_WAITING`, always: the message is delivered again, and acked if the wait
 *   is long. LeaseLostError when another writer changed the execution.
 */
export async function waitForQuota(
  { held, deps }: Pick<IterationContext, 'held' | 'deps'>,
  { subject, reason, until, places }: QuotaWait,
): Promise<never> {
  const now = deps.clock.now();
  const before = held.current();
  const since = waitsForQuotaSince(before);
  // An outage of the model before it is a part of the same wait.
  const extended = await extendDeadlines(before, { from: before.outage?.since ?? now, to: until }, deps);
  await commitBatch(held, deps, (current, batch) => {
    if (since === undefined) {
      const content = `${reason} The agent waits until ${until.toISOString()} and asks again. Waiting uses no iteration and extends the deadline, by an hour at most.`;
      batch.appendEvent({
        eventType: 'notice',
        content,
        metadata: { code: 'quota_reached', subject, reason: 'QUOTA_REACHED' },
      });
    }
    return {
      ...withPart(quotaPlacesPart, returnClaim(current), places),
      ...extended,
      ...batch.counters(),
      pendingCalls: current.pendingCalls.map((call) =>
        call.state === 'running' ? { ...call, state: 'requested' } : call,
      ),
      outage: continueOutage(before, since ?? now, isForSweep(until, now)),
      waitingSince: { kind: 'quota', at: batch.now },
      notBefore: until,
    };
  });
  throw retryLaterError(before.executionId, { kind: 'wait', until }, now);
}

/** Whether the sweep ends the wait: a long one, and one until the start of a minute, when the sweep runs. */
function isForSweep(until: Date, now: Date): boolean {
  const isMinute = until.getTime() % 60_000 === 0;
  return until.getTime() - now.getTime() >= (isMinute ? SWEPT_FROM_MS : PARKED_FROM_MS);
}

/** An outage of the model continues: its pauses and calls keep their numbers. */
function continueOutage({ outage }: Execution, since: Date, parked: boolean): Outage {
  if (outage !== null && isForModel(outage)) return { ...outage, parked };
  const pauses = isForQuota(outage) ? (outage?.pauses ?? 0) : 0;
  return { code: 'QUOTA_REACHED', since, pauses: pauses + 1, calls: outage?.calls ?? 0, parked };
}
