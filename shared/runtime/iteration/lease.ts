// The claim and the fence. A process that claims an execution holds a lease; each of its later writes is conditional on
// the version it last saw, so a holder that lost the lease can write nothing.

import { isDeepStrictEqual } from 'node:util';
import { replace, type Stored, type Version, type Write } from '../../contract/store.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution, Lease } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { dueAtOf } from './dueAt.ts';

/** How long a lease is valid without a write of its holder; after a crash another process may take over only then. */
export const LEASE_MS = 30_000;
/** Short enough that several renewals may fail before the lease expires. */
export const RENEW_EVERY_MS = 5_000;

/** Another process cancelled the execution or took it over: this holder must not write any more. */
export class LeaseLostError extends RetryableError {
  constructor(executionId: string) {
    super('LEASE_LOST', `another writer changed execution ${executionId}; this holder stops without writing`);
  }
}

/** Builds what a commit writes: the execution's next state and the documents that belong to it. */
type Build = (current: Execution) => { execution: Execution; writes: Write[] };

/** An execution that this process holds and may write. */
export interface HeldExecution {
  /** The execution as last written. */
  current(): Execution;
  /** Aborts with a `LeaseLostError` as soon as the lease is known to be lost. */
  readonly signal: AbortSignal;
  /**
   * Call it right before any call that has a cost or an effect outside the store.
   * @throws LeaseLostError when the lease is lost, or has expired by this machine's clock: another process may hold it.
   */
  check(): void;
  /**
   * Writes a batch together with the changed execution, and renews the lease unless the batch clears it. Commits run one
   * after another, in the order of the calls.
   * @throws LeaseLostError when another writer changed the execution; nothing was written.
   */
  commit(build: Build): Promise<void>;
  /** Stops the renewals; nothing is written afterwards. Must be called, also after errors. */
  release(): void;
}

/**
 * Claims an execution for this process with one preconditioned write and keeps the lease alive.
 * @param prepare changes that are written with the claim.
 * @returns undefined when another writer was faster.
 */
export async function claim(
  stored: Stored<Execution>,
  deps: RuntimeDeps,
  prepare: (execution: Execution) => Execution,
): Promise<HeldExecution | undefined> {
  const holder = deps.newId();
  const newLease = (): Lease => ({
    holder,
    until: new Date(deps.clock.now().getTime() + LEASE_MS),
    messageId: null,
  });
  const { sessionId, executionId } = stored.value;

  let current: Execution = {
    ...prepare(stored.value),
    publishedIteration: stored.value.iteration,
    claims: stored.value.claims + 1,
    lease: newLease(),
  };
  const claimed = await replaceExecution(current, stored.version, [], deps);
  if (claimed === undefined) return undefined;
  if (stored.value.lease !== null) {
    const { holder: gone, until } = stored.value.lease;
    deps.log.warn(
      { sessionId, executionId, iteration: current.iteration, holder: gone, until },
      'taking over: the last holder of the lease died, or stood still for too long',
    );
  }

  let version = claimed;
  let queue: Promise<unknown> = Promise.resolve();
  let queuedCommits = 0;
  let released = false;
  const lost = new AbortController();

  const write = async (build: Build): Promise<void> => {
    if (lost.signal.aborted || released) throw new LeaseLostError(executionId);
    const { execution, writes } = build(current);
    const next = execution.lease === null ? execution : { ...execution, lease: newLease() };
    const written = await replaceExecution(next, version, writes, deps);
    if (written === undefined) {
      const error = new LeaseLostError(executionId);
      lost.abort(error);
      throw error;
    }
    current = next;
    version = written;
  };
  const commit = (build: Build): Promise<void> => {
    queuedCommits++;
    const turn = queue.then(() => write(build)).finally(() => queuedCommits--);
    queue = turn.catch(() => undefined);
    return turn;
  };

  const abortIfExpired = (): void => {
    if (current.lease === null || deps.clock.now() <= current.lease.until) return;
    lost.abort(new LeaseLostError(executionId));
  };

  const stopRenewing = deps.clock.every(RENEW_EVERY_MS, () => {
    if (current.lease === null || released) return;
    // Another process may hold it by now, and the model call that still runs costs money.
    abortIfExpired();
    // A queued commit renews the lease as well.
    if (queuedCommits > 0) return;
    commit((execution) => ({ execution, writes: [] })).catch((error: unknown) => {
      if (error instanceof LeaseLostError) {
        deps.log.info({ sessionId, executionId }, 'stopping: the execution was cancelled, or taken over');
        return;
      }
      // The store did not answer, which does not mean the lease is lost: the next renewal or commit shows.
      deps.log.warn({ sessionId, executionId, err: error }, `lease not renewed: ${errorMessage(error)}`);
    });
  });

  return {
    current: () => current,
    signal: lost.signal,
    check() {
      abortIfExpired();
      lost.signal.throwIfAborted();
    },
    commit,
    release() {
      released = true;
      stopRenewing();
    },
  };
}

/**
 * One fenced write; it also stores the new `dueAt`. The store's client repeats a write whose answer was lost, and the
 * repetition is refused because of the first one. So after a refusal the execution is read once, and counts as written
 * when it has the intended state.
 * @returns the new version; undefined when another writer changed the execution.
 */
export async function replaceExecution(
  execution: Execution,
  version: Version,
  writes: Write[],
  { store, clock }: Pick<RuntimeDeps, 'store' | 'clock'>,
): Promise<Version | undefined> {
  const path = paths.execution(execution.sessionId, execution.executionId);
  const written: Execution = { ...execution, dueAt: dueAtOf(execution, clock.now()) };
  const result = await store.commit([replace(path, executionType, written, version), ...writes]);
  if (result.ok) return result.versions[0];
  const found = await store.get(path, executionType);
  const isOurs =
    found !== undefined &&
    isDeepStrictEqual(executionType.encode(found.value), executionType.encode(written));
  return isOurs ? found.version : undefined;
}
