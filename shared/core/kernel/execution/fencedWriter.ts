// The sequential writes of a holder. Each is conditional on the version of the previous one, so a holder that
// lost its execution cannot write.

import { backOffMs } from '../../../text/backOff.ts';
import type { Announced } from '../../contract/announce.ts';
import { isHeld } from '../../contract/lease.ts';
import type { Version, Write } from '../../contract/store.ts';
import { errorMessage, isStoreFailure, RetryableError } from '../../errors.ts';
import type { Execution, Lease } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { pauseFor } from '../pause.ts';
import { isSameState, type Replacement, replaceExecution, withDue } from '../state/replaceExecution.ts';

/** Before a write is retried: the first time at once, then longer each time. */
const REPEAT_AFTER = { firstMs: 500, mostMs: 4_000 };

/** Another process cancelled the execution or took it over: this holder must not write any more. */
export class LeaseLostError extends RetryableError {
  constructor(executionId: string) {
    super('LEASE_LOST', `another writer changed execution ${executionId}; this holder stops without writing`);
  }
}

/**
 * Builds the content of a commit: the execution's next state, its documents, and those of them that are
 * announced.
 */
export type Build = (current: Execution) => { execution: Execution; writes: Write[]; after?: Announced };

/** The writer of a claimed execution. */
interface FencedWriter {
  /** The execution as last written. */
  current(): Execution;
  /**
   * Writes a batch together with the changed execution, and renews the lease unless the batch clears it.
   * While the store fails, retries the same bytes until the lease or the session ends; with `once` it does
   * not retry.
   * @throws LeaseLostError when another writer changed the execution, or after `lost` or `close`; nothing was
   *   written. RetryableError when the store failed at every try; the outcome is unknown then.
   */
  commit(build: Build, once?: 'once'): Promise<void>;
  /** Whether a commit is in progress or queued. */
  isBusy(): boolean;
  /** The writer aborts it after a refused write; its owner aborts it when the lease has expired. */
  readonly lost: AbortController;
  /** Rejects all further writes. */
  close(): void;
}

/**
 * A writer for the holder of a lease.
 * @param claimed the execution as the claim stored it, and its version.
 * @param newLease the lease that the next write stores.
 */
export function createFencedWriter(
  claimed: { execution: Execution; version: Version },
  newLease: () => Lease,
  deps: RuntimeDeps,
): FencedWriter {
  const { sessionId, executionId } = claimed.execution;
  const lost = new AbortController();
  let { execution: current, version } = claimed;
  /** States that were written since `version` without a response: one of them might be stored. */
  let unanswered: Execution[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let queued = 0;
  let closed = false;

  const advanceTo = (execution: Execution, written: Version): void => {
    current = execution;
    version = written;
    unanswered = [];
  };

  /** Waits for the next retry after `failures` failures; false if there is none. */
  const waitToRepeat = async (error: unknown, failures: number): Promise<boolean> => {
    const end = Math.min(current.lease?.until.getTime() ?? 0, current.deadline.getTime());
    const delay = failures === 1 ? 0 : backOffMs(REPEAT_AFTER, failures - 1);
    if (!isStoreFailure(error) || deps.clock.now().getTime() + delay >= end) return false;
    deps.log.warn({ sessionId, executionId, err: error }, `a write is retried: ${errorMessage(error)}`);
    if (delay > 0) await pauseFor(delay, lost.signal, deps.clock);
    return !lost.signal.aborted;
  };

  const replaceRepeatedly = async (
    next: Execution,
    { writes, after = {} }: ReturnType<Build>,
    once: boolean,
  ): Promise<Replacement> => {
    for (let failures = 1; ; failures++) {
      try {
        return await replaceExecution(next, version, writes, deps, { after });
      } catch (error) {
        if (isStoreFailure(error)) unanswered.push(next);
        if (once || !(await waitToRepeat(error, failures))) throw error;
      }
    }
  };

  /** Whether a state is this holder's, under an unexpired lease. False without a lease. */
  const isOwn = (found: Execution): boolean =>
    isHeld(found.lease, deps.clock.now()) && unanswered.some((execution) => isSameState(execution, found));

  const write = async (build: Build, once: boolean): Promise<void> => {
    // Another writer causes a second refusal: of the writes without a response only one can be stored.
    for (let adopted = false; ; adopted = true) {
      if (closed || lost.signal.aborted) throw new LeaseLostError(executionId);
      const built = build(current);
      const { execution } = built;
      const renewed = execution.lease === null ? execution : { ...execution, lease: newLease() };
      const next = withDue(renewed, deps.clock.now());
      const result = await replaceRepeatedly(next, built, once);
      if (result.ok) return advanceTo(next, result.version);
      if (adopted || result.found === undefined || !isOwn(result.found.value)) {
        const error = new LeaseLostError(executionId);
        lost.abort(error);
        throw error;
      }
      advanceTo(result.found.value, result.found.version);
    }
  };

  return {
    current: () => current,
    isBusy: () => queued > 0,
    lost,
    commit(build, once) {
      queued++;
      const written = queue.then(() => write(build, once !== undefined)).finally(() => queued--);
      queue = written.catch(() => undefined);
      return written;
    },
    close() {
      closed = true;
    },
  };
}
