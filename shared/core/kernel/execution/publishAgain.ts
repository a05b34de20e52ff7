// Publishes the message of an iteration again if its first publication might be lost. Duplicate deliveries
// must not multiply messages: except for an execution's first message, a publication is not repeated before
// it is as old as a lease.

import { replaceDocument, type Stored, type Version } from '../../contract/store.ts';
import { RetryableError } from '../../errors.ts';
import { isTerminal } from '../../schema/common.ts';
import { executionType } from '../../schema/coreDocuments.ts';
import type { Execution } from '../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import { composeDue, computeDue, readDue } from '../state/dueAt.ts';
import { publishIteration } from '../state/nextIteration.ts';

/**
 * How long a publication counts for its iteration, in milliseconds: as long as a lease (`LEASE_MS`). The
 * writer of the last write of an execution without a holder also publishes, so the time of that write is the
 * time of the last publication.
 */
export const PUBLICATION_MS = 30_000;

/** The message of an execution was published too recently to be published again. */
class RecentlyPublishedError extends RetryableError {
  constructor(executionId: string, retryAfterMs: number) {
    const message = `the message of execution ${executionId} was published, and is not claimed yet`;
    super('EXECUTION_WAITING', message, { retryAfterMs });
  }
}

/** Whether only a message continues the execution: its iteration is neither claimed nor republished. */
export function isUnclaimed({ status, lease, iteration, publishedIteration }: Execution): boolean {
  return !isTerminal(status) && status !== 'waiting' && lease === null && publishedIteration < iteration;
}

/**
 * Publishes an execution's message again if its last publication is at least `PUBLICATION_MS` old. The first
 * message of an execution can be repeated once at any time: agents that end at the same moment find the next
 * stage unclaimed. The write before it reduces the publications of all simultaneous copies to one.
 * @throws RecentlyPublishedError, a RetryableError, when the last publication is younger, or another process
 *   won the race: its message must be delivered again, because the publisher might have died. RetryableError
 *   when the store or the publisher fails.
 */
export async function publishAgain(stored: Stored<Execution>, deps: StateDeps): Promise<void> {
  const { executionId } = stored.value;
  const age = deps.clock.now().getTime() - stored.updatedAt.getTime();
  if (age < PUBLICATION_MS && !isUntouched(stored.value))
    throw new RecentlyPublishedError(executionId, PUBLICATION_MS - age);
  if (!(await publishOnce(stored, deps))) throw new RecentlyPublishedError(executionId, PUBLICATION_MS);
}

/** Whether an execution is unchanged since its creation: its first message was not published again. */
function isUntouched(execution: Execution): boolean {
  const { publishedIteration, createdAt } = execution;
  const created = readDue({ due: computeDue(execution, createdAt) });
  return publishedIteration === 0 && readDue(execution)?.getTime() === created?.getTime();
}

/**
 * Publishes an execution's message unless the execution was written after it was read. Then sets
 * `publishedIteration`, so that later copies of the previous iteration's message publish nothing.
 * @returns whether it was published.
 */
export async function publishOnce(
  { value, version, path }: Stored<Execution>,
  { store, clock, publisher }: StateDeps,
): Promise<boolean> {
  const marked = { ...value, due: nextDue(value, clock.now()) };
  const taken = await store.commit([replaceDocument(path, executionType, marked, version)]);
  if (!taken.ok) return false;
  await publishIteration(publisher, value);
  const due = nextDue(marked, clock.now());
  const published = { ...value, due, publishedIteration: value.iteration };
  // Refused if the iteration is already claimed.
  await store.commit([replaceDocument(path, executionType, published, taken.versions[0] as Version)]);
  return true;
}

/**
 * The new `due` of an unclaimed execution that is published now. It differs from the old one, so that the
 * write is a change, and from those of a creation: near its deadline an execution is always due at the
 * deadline.
 */
function nextDue(execution: Execution, now: Date): Execution['due'] {
  const before = readDue(execution)?.getTime();
  const atTime = (time: number) => composeDue(execution, new Date(time));
  let time = readDue({ due: computeDue({ ...execution, lease: null }, now) })?.getTime() ?? 0;
  while (time === before || isUntouched({ ...execution, due: atTime(time) })) time -= 1;
  return atTime(time);
}

/** Drops the error of a published message, for callers without redelivery: the sweep publishes it. */
export function ignoreRecentPublication(error: unknown): undefined {
  if (!(error instanceof RecentlyPublishedError)) throw error;
}
