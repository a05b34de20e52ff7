// The claim and the fence. Whoever claimed an execution holds a lease; every later write of its holder carries the
// version it last saw, so a holder that lost the lease can write nothing.

import { isDeepStrictEqual } from 'node:util';
import { replace, type Stored, type Version, type Write } from '../../contract/store.ts';
import { errorMessage, RetryableError } from '../../errors.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution, Lease } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { dueAtOf } from './dueAt.ts';

/** How long a lease lives without a write of its holder: what a crash costs before somebody else may take over. */
export const LEASE_MS = 30_000;
/** Several renewals may fail to arrive before the lease runs out. */
export const RENEW_EVERY_MS = 5_000;

/** The execution moved on without us: somebody cancelled it or took it over. Nothing may be written any more. */
export class LeaseLostError extends RetryableError {
  constructor(executionId: string) {
    super('LEASE_LOST', `another writer changed execution ${executionId}; this holder stops without writing`);
  }
}

/** What a commit writes: the execution's next state and the documents that belong to it. */
type Build = (current: Execution) => { execution: Execution; writes: Write[] };

/** An execution this process may write. */
export interface HeldExecution {
  /** As last written. */
  current(): Execution;
  /** Aborted with a `LeaseLostError` as soon as the lease is known to be lost. */
  readonly signal: AbortSignal;
  /**
   * To be called right before anything that costs or changes something outside.
   * @throws LeaseLostError when the lease is lost, or has run out by our clock: somebody else may be at work by now.
   */
  check(): void;
  /**
   * Writes a batch together with the changed execution; a lease that stays is renewed by it. Commits run one after
   * another, in the order of the calls.
   * @throws LeaseLostError when the execution changed meanwhile; nothing was written.
   */
  commit(build: Build): Promise<void>;
  /** Ends the renewals; nothing is written afterwards. Call it once, whatever happened. */
  release(): void;
}

/**
 * Claims an execution for this holder with one preconditioned write and keeps the lease alive.
 * @param prepare changes that belong to the claim.
 * @returns undefined when somebody else was faster.
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
  let waiting = 0;
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
    waiting++;
    const turn = queue.then(() => write(build)).finally(() => waiting--);
    queue = turn.catch(() => undefined);
    return turn;
  };

  const loseIfRunOut = (): void => {
    if (current.lease === null || deps.clock.now() <= current.lease.until) return;
    lost.abort(new LeaseLostError(executionId));
  };

  const stopRenewing = deps.clock.every(RENEW_EVERY_MS, () => {
    if (current.lease === null || released) return;
    // Somebody else may have claimed it by now; to find out costs nothing, to go on asking the model does.
    loseIfRunOut();
    // A write under way renews the lease as well.
    if (waiting > 0) return;
    commit((execution) => ({ execution, writes: [] })).catch((error: unknown) => {
      if (error instanceof LeaseLostError) {
        deps.log.info({ sessionId, executionId }, 'stopping: the execution was cancelled, or taken over');
        return;
      }
      // A renewal that did not get through is not a lost lease: the next one, or the next commit, will tell.
      deps.log.warn({ sessionId, executionId, err: error }, `lease not renewed: ${errorMessage(error)}`);
    });
  });

  return {
    current: () => current,
    signal: lost.signal,
    check() {
      loseIfRunOut();
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
 * One fenced write, with the moment at which the execution is late from now on. The store's client repeats a write whose answer was lost, and is then refused by what it wrote
 * itself: before a refusal counts, the execution is read once to see whose state it is.
 * @returns the new version; undefined when somebody else changed the execution.
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
