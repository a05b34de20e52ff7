// The claim and the lease. A process that claims an execution holds a lease, which it renews while it works.

import type { AnnounceDeps } from '../../contract/announce.ts';
import { claimLease } from '../../contract/lease.ts';
import type { Stored, Version } from '../../contract/store.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import { executionType, paths } from '../../schema/coreDocuments.ts';
import type { Execution, Lease } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { replaceExecution, withDue } from '../state/replaceExecution.ts';
import { type Build, createFencedWriter, LeaseLostError } from './fencedWriter.ts';

/** How long a lease is valid without a write; after a crash, only then another can take over. */
export const LEASE_MS = 30_000;
/** Short enough that several renewals can fail before the lease expires. */
export const RENEW_EVERY_MS = 5_000;

/** An execution that this process holds and can write. */
export interface HeldExecution {
  /** The execution as last written. */
  current(): Execution;
  /** Aborts with a `LeaseLostError` as soon as the lease is known to be lost. */
  readonly signal: AbortSignal;
  /**
   * Call it immediately before any call that has a cost or an effect outside the store.
   * @throws LeaseLostError when the lease is lost, or has expired by this machine's clock: another process
   * can hold it.
   */
  check(): void;
  /**
   * Writes a batch together with the changed execution, and renews the lease unless the batch clears it.
   * Commits run one after another, in the order of the calls. The content cannot be reproduced without cost,
   * so while the store fails, the same bytes are retried until the lease, the session or the holder ends.
   * @param build is called again if a renewal without a response turns out to have been stored.
   * @throws LeaseLostError when another writer changed the execution; nothing was written. RetryableError
   *   when the store failed at every try; the outcome is unknown then.
   */
  commit(build: Build): Promise<void>;
  /** Releases the lease early: the next delivery need not wait. Tried once. @throws as `commit`. */
  handBack(): Promise<void>;
  /** Calls a listener, which must not throw, at each renewal of the lease, until `release`. */
  onRenewal(listener: () => void): void;
  /** Stops the renewals and rejects further writes. Must be called, even after errors. */
  release(): void;
}

/** The execution without its claim. A claim that ends in a wait does not count as unfinished. */
export function returnClaim(execution: Execution): Execution {
  const { claims, startedClaims } = execution;
  return {
    ...execution,
    lease: null,
    claims: Math.max(0, claims - 1),
    startedClaims: Math.max(0, startedClaims - 1),
  };
}

/**
 * Writes a claim. After a failure the execution is read, because the claim can be stored although its
 * response was lost.
 * @returns the stored execution; undefined if another writer won the race. @throws the failure, if the claim
 * is not stored.
 */
async function writeClaim(
  claim: Execution,
  version: Version,
  deps: AnnounceDeps,
): Promise<{ execution: Execution; version: Version } | undefined> {
  try {
    const written = await replaceExecution(claim, version, [], deps);
    return written.ok ? { execution: claim, version: written.version } : undefined;
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    const found = await deps.store.get(paths.execution(claim.sessionId, claim.executionId), executionType);
    if (found === undefined || found.value.lease?.holder !== claim.lease?.holder) throw error;
    return { execution: found.value, version: found.version };
  }
}

/**
 * Claims an execution for this process with one preconditioned write and keeps the lease alive.
 * @param messageId Pub/Sub's id of the current message; null if unknown.
 * @param prepare changes to write with the claim.
 * @returns undefined if another writer won the race.
 */
export async function claimExecution(
  stored: Stored<Execution>,
  messageId: string | null,
  deps: RuntimeDeps,
  prepare: (execution: Execution) => Execution,
): Promise<HeldExecution | undefined> {
  const holder = deps.newId();
  const newLease = (): Lease => ({ ...claimLease(holder, LEASE_MS, deps.clock.now()), messageId });
  const { sessionId, executionId } = stored.value;

  const prepared: Execution = {
    ...prepare(stored.value),
    publishedIteration: stored.value.iteration,
    claims: stored.value.claims + 1,
    lease: newLease(),
  };
  const claimed = await writeClaim(withDue(prepared, deps.clock.now()), stored.version, deps);
  if (claimed === undefined) return undefined;
  const { execution, version } = claimed;
  if (stored.value.lease !== null) {
    const { holder: gone, until } = stored.value.lease;
    deps.log.warn(
      { sessionId, executionId, iteration: execution.iteration, holder: gone, until },
      'taking over: the last holder of the lease died or stalled',
    );
  }

  // The first write of the holder, which it makes anyway, stores that it has started.
  const started = { ...execution, startedClaims: execution.startedClaims + 1 };
  const writer = createFencedWriter({ execution: started, version }, newLease, deps);
  const { current, lost } = writer;

  const msLeft = (lease: Lease): number => lease.until.getTime() - deps.clock.now().getTime();
  const abortIfExpired = (): void => {
    const { lease } = current();
    if (lease !== null && msLeft(lease) < 0) lost.abort(new LeaseLostError(executionId));
  };
  const renew = (): void => {
    writer
      .commit((unchanged) => ({ execution: unchanged, writes: [] }), 'once')
      .catch((error: unknown) => {
        if (error instanceof LeaseLostError) {
          deps.log.info({ sessionId, executionId }, 'stopping: the execution was cancelled, or taken over');
          return;
        }
        // The store did not answer, but the lease might still be held: the next renewal or commit decides.
        deps.log.warn({ sessionId, executionId, err: error }, `lease not renewed: ${errorMessage(error)}`);
      });
  };
  const listeners: (() => void)[] = [];
  const stopRenewing = deps.clock.every(RENEW_EVERY_MS, () => {
    if (current().lease === null) return;
    // Another process can hold the lease by now, and the running model call costs money.
    abortIfExpired();
    // A commit in progress renews the lease, too.
    if (!writer.isBusy()) renew();
    for (const listener of listeners) listener();
  });

  return {
    current,
    signal: lost.signal,
    check() {
      abortIfExpired();
      lost.signal.throwIfAborted();
    },
    async commit(build) {
      await writer.commit(build);
      const { lease } = current();
      // A retried commit stored the lease of its first try.
      const isOld = lease !== null && msLeft(lease) < LEASE_MS - RENEW_EVERY_MS;
      if (isOld && !writer.isBusy()) renew();
    },
    handBack: () => writer.commit((held) => ({ execution: { ...held, lease: null }, writes: [] }), 'once'),
    onRenewal: (listener) => listeners.push(listener),
    release() {
      stopRenewing();
      writer.close();
    },
  };
}
