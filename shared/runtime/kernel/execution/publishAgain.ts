// Publishes the message of an iteration again when its first publication can be lost. Deliveries that come in copies must
// not multiply messages: one publication is enough until it is older than a lease.

import { replace, type Stored, type Version } from '../../../contract/store.ts';
import { RetryableError } from '../../../errors.ts';
import { isTerminal } from '../../../schema/common.ts';
import { executionType } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import { dueAtOf } from '../state/dueAt.ts';
import { publishIteration } from '../state/nextIteration.ts';

/**
 * How long a publication stands for its iteration, in milliseconds: as long as a lease (`LEASE_MS`). The last write of an
 * execution without a holder is the one whose writer publishes, so its time is that of the last publication.
 */
export const PUBLICATION_MS = 30_000;

/** The message of an execution was published too recently to be published again. */
class RecentlyPublishedError extends RetryableError {
  constructor(executionId: string, retryAfterMs: number) {
    super(
      'EXECUTION_WAITING',
      `the message of execution ${executionId} was published, and is not claimed yet`,
      {
        retryAfterMs,
      },
    );
  }
}

/** Whether no process has claimed the current iteration, and nothing but a message continues the execution. */
export function isUnclaimed({ status, lease, iteration, publishedIteration }: Execution): boolean {
  return !isTerminal(status) && status !== 'waiting' && lease === null && publishedIteration < iteration;
}

/**
 * Publishes an execution's message again if its last publication is at least `PUBLICATION_MS` old. The first message of an
 * execution is repeated once at any time: agents that end at the same moment find the next stage unclaimed. The write before
 * it makes that one publication of all copies that arrive at the same time.
 * @throws RecentlyPublishedError, a RetryableError, when the last publication is younger, or another process was faster: its
 *   message must be delivered again, because the publisher can have died. RetryableError when store or publisher fail.
 */
export async function publishAgain(stored: Stored<Execution>, deps: StateDeps): Promise<void> {
  const { executionId } = stored.value;
  const age = deps.clock.now().getTime() - stored.updatedAt.getTime();
  if (age < PUBLICATION_MS && !isUntouched(stored.value))
    throw new RecentlyPublishedError(executionId, PUBLICATION_MS - age);
  if (!(await publishOnce(stored, deps))) throw new RecentlyPublishedError(executionId, PUBLICATION_MS);
}

/**
 * Whether an execution is as it was created: nothing has published its first message again. One that older code created is
 * due since then.
 */
function isUntouched(execution: Execution): boolean {
  const { publishedIteration, dueAt, createdAt } = execution;
  const asCreated = [createdAt.getTime(), dueAtOf(execution, createdAt)?.getTime()];
  return publishedIteration === 0 && asCreated.includes(dueAt?.getTime());
}

/**
 * Publishes an execution's message unless it has been written since it was read. Once it is published, the execution says
 * so, and further copies of the message before it are not needed.
 * @returns whether it was published.
 */
export async function publishOnce(
  { value, version, path }: Stored<Execution>,
  { store, clock, publisher }: StateDeps,
): Promise<boolean> {
  const marked = { ...value, dueAt: nextDueAt(value, clock.now()) };
  const taken = await store.commit([replace(path, executionType, marked, version)]);
  if (!taken.ok) return false;
  await publishIteration(publisher, value);
  const dueAt = nextDueAt(marked, clock.now());
  const published = { ...value, dueAt, publishedIteration: value.iteration };
  // Refused when the iteration is claimed already.
  await store.commit([replace(path, executionType, published, taken.versions[0] as Version)]);
  return true;
}

/** When an unclaimed execution is late that is published now. Never as before: a write without a change is none. */
function nextDueAt(execution: Execution, now: Date): Date {
  const due = dueAtOf({ ...execution, lease: null }, now)?.getTime() ?? 0;
  return new Date(due === execution.dueAt?.getTime() ? due - 1 : due);
}

/** Drops the error of a message that was published recently, for callers whose work no redelivery repeats: the sweep publishes it. */
export function ignoreRecentPublication(error: unknown): undefined {
  if (!(error instanceof RecentlyPublishedError)) throw error;
}
