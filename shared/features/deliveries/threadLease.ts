// The lease of a thread: only its holder sends messages of a session to a destination, so that edits keep
// their order. Every commit of the holder is fenced by the version of the thread.

import { rerunPart } from '../../alerts/schema/rerun.ts';
import type { DestinationCapabilities } from '../../contract/destination.ts';
import { claimedFields, claimLease, isHeld, leaseIn, RELEASED } from '../../core/contract/lease.ts';
import { replaceDocument, saveDocument, type Version, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { type Thread, threadType } from '../../kits/deliveries/delivery.ts';
import { CLOCK_MARGIN_MS } from './decideMessage.ts';

/** A thread that this process holds. */
export interface HeldThread {
  /** As it was stored last. */
  current(): Thread;
  /**
   * Stores changes of the thread together with other documents, and keeps the lease for one more request.
   * @param requestMs the longest time of the next request.
   * @returns the versions of the other documents; undefined if another process holds the thread now: the
   * caller stops.
   */
  commit(change: Partial<Thread>, writes: Write[], requestMs: number): Promise<Version[] | undefined>;
  /** Ends the lease. */
  release(): Promise<void>;
}

/**
 * Takes the thread. A new one of a rerun continues that of the session it repeats, where the destination has
 * threads: the channel has one message for a problem, which follows its state.
 * @returns undefined while another process holds it, or if the session no longer exists.
 * @throws RetryableError when the store fails.
 */
export async function holdThread(
  { sessionId, destination }: { sessionId: string; destination: string },
  holder: string,
  {
    timeoutMs: requestMs,
    capabilities,
  }: { timeoutMs: number; capabilities: Pick<DestinationCapabilities, 'thread'> },
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<HeldThread | undefined> {
  const path = threadType.paths.thread(sessionId, destination);
  const lease = (ms: number) => claimedFields(claimLease(holder, ms + CLOCK_MARGIN_MS, clock.now()));
  const stored = await store.get(path, threadType);
  if (stored !== undefined && isHeld(leaseIn(stored.value), clock.now())) return undefined;
  const session = stored === undefined ? await store.get(paths.session(sessionId), sessionType) : undefined;
  if (stored === undefined && session === undefined) return undefined;
  const repeated = capabilities.thread && session ? readPart(rerunPart, session.value)?.of : undefined;
  const earlier =
    repeated === undefined
      ? undefined
      : (await store.get(threadType.paths.thread(repeated, destination), threadType))?.value;
  let thread: Thread = {
    ...(stored?.value ?? {
      ...newThread(sessionId, destination, session?.value.expireAt ?? new Date(0), clock.now()),
      ...continued(earlier),
    }),
    ...lease(requestMs),
  };
  const taken = await store.commit([saveDocument(path, threadType, thread, stored?.version)]);
  if (!taken.ok) return undefined;
  let version = taken.versions[0] as Version;
  return {
    current: () => thread,
    async commit(change, writes, ms) {
      const changed = { ...thread, ...change, ...lease(ms) };
      const result = await store.commit([replaceDocument(path, threadType, changed, version), ...writes]);
      if (!result.ok) return undefined;
      thread = changed;
      version = result.versions[0] as Version;
      return result.versions.slice(1);
    },
    async release() {
      await store.commit([replaceDocument(path, threadType, { ...thread, ...RELEASED }, version)]);
    },
  };
}

/** The first message of the repeated session, if it was sent, with no state of this one. */
function continued(earlier: Thread | undefined): Partial<Thread> {
  if (earlier === undefined || earlier.rootRef === null) return {};
  const { rootRef, place } = earlier;
  return { root: 'gone', rootRef, place };
}

function newThread(sessionId: string, destination: string, expireAt: Date, now: Date): Thread {
  const none = { place: null, rootRef: null, editedAt: null, quietUntil: null };
  return {
    sessionId,
    destination,
    ...RELEASED,
    root: 'none',
    ...none,
    expireAt,
    createdAt: now,
  };
}
