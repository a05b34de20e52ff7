// The claim and the fence. Whoever claimed an execution holds a lease; every later write of its holder carries the
// version it last saw, so a holder that lost the lease can write nothing.

import { InquestError, RetryableError } from '../errors.ts';
import { executionType, paths } from '../schema/documents.ts';
import type { Execution } from '../schema/execution.ts';
import { replace, type Stored, type Write } from '../store/store.ts';
import type { RuntimeDeps } from './deps.ts';

/** How long a lease lives without renewal: what a crash costs before somebody else may take over. */
export const LEASE_MS = 30_000;
/** Two renewals may fail to arrive before the lease runs out. */
export const RENEW_EVERY_MS = 5_000;

/** The execution moved on without us: somebody cancelled it or took it over. Nothing may be written any more. */
export class LeaseLostError extends RetryableError {
  constructor(executionId: string) {
    super('LEASE_LOST', `another writer changed execution ${executionId}; this holder stops without writing`);
  }
}

/** An execution this process may write. */
export interface HeldExecution {
  /** As last written. */
  current(): Execution;
  /** Aborted with a `LeaseLostError` as soon as the lease is known to be lost. */
  readonly signal: AbortSignal;
  /**
   * Writes a batch together with the changed execution. Commits run one after another, in the order of the calls.
   * @param build gets the execution as last written and returns the next one, with what belongs to it.
   * @throws LeaseLostError when the execution changed meanwhile; nothing was written.
   */
  commit(build: (current: Execution) => { execution: Execution; writes: Write[] }): Promise<void>;
  /** Ends the renewals. Call it once, whatever happened. */
  release(): void;
}

/**
 * Claims an execution for this holder with one preconditioned write and keeps the lease alive.
 * @param prepare changes that belong to the claim, for example calls that were cut off.
 * @returns undefined when somebody else was faster.
 */
export async function claim(
  stored: Stored<Execution>,
  deps: RuntimeDeps,
  prepare: (execution: Execution) => Execution = (execution) => execution,
): Promise<HeldExecution | undefined> {
  const holder = deps.newId();
  const leaseUntil = () => new Date(deps.clock.now().getTime() + LEASE_MS);
  const path = paths.execution(stored.value.sessionId, stored.value.executionId);

  const claimed: Execution = {
    ...prepare(stored.value),
    status: 'active',
    startedAt: stored.value.startedAt ?? deps.clock.now(),
    publishedIteration: stored.value.iteration,
    lease: { holder, until: leaseUntil() },
  };
  const result = await deps.store.commit([replace(path, executionType, claimed, stored.version)]);
  if (!result.ok) return undefined;

  let current = claimed;
  let [version] = result.versions;
  let queue: Promise<unknown> = Promise.resolve();
  const lost = new AbortController();

  const write = async (build: Parameters<HeldExecution['commit']>[0]): Promise<void> => {
    if (lost.signal.aborted || version === undefined) throw new LeaseLostError(current.executionId);
    const { execution, writes } = build(current);
    const written = await deps.store.commit([replace(path, executionType, execution, version), ...writes]);
    if (!written.ok) {
      const error = new LeaseLostError(current.executionId);
      lost.abort(error);
      throw error;
    }
    current = execution;
    version = written.versions[0];
  };

  const commit: HeldExecution['commit'] = (build) => {
    const turn = queue.then(() => write(build));
    queue = turn.catch(() => undefined);
    return turn;
  };

  const stopRenewing = deps.clock.every(RENEW_EVERY_MS, () => {
    commit((execution) => ({
      // A commit that was queued before may have ended the iteration; then there is no lease to renew.
      execution:
        execution.lease === null ? execution : { ...execution, lease: { holder, until: leaseUntil() } },
      writes: [],
    })).catch((error: unknown) => {
      // A renewal that did not get through is not a lost lease: the next one, or the next commit, will tell.
      const fields = { executionId: current.executionId, sessionId: current.sessionId, err: error };
      deps.log.warn(fields, error instanceof InquestError ? error.message : 'could not renew the lease');
    });
  });

  return { current: () => current, signal: lost.signal, commit, release: stopRenewing };
}
