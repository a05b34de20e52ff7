// Records that a reader watches a session, so that its iterations write streaming answers.

import { saveDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { WATCH_MS, watchedUntil } from '../../core/kernel/execution/readControl.ts';
import type { Control } from '../../core/schema/control.ts';
import { controlType, paths, sessionType } from '../../core/schema/coreDocuments.ts';

/** Interval at which a reader renews its watch. */
export const RENEW_WATCH_MS = 20_000;

/**
 * Renews the watch of a session, unless the session is missing or deferred. Writes once, or not at all if
 * another reader has renewed the watch since this one last did.
 * @throws RetryableError when other writers keep changing the control state, or the store fails;
 *   TerminalError for a broken document.
 */
export function renewWatch(
  sessionId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<void> {
  const path = paths.control(sessionId);
  return retryLostRaces(`the control state of ${sessionId}`, SESSION_RACES, async () => {
    const now = clock.now();
    const until = watchedUntil(now);
    const control = await store.get(path, controlType);
    const leftMs = (control?.value.watchedUntil?.getTime() ?? 0) - now.getTime();
    if (leftMs > WATCH_MS - RENEW_WATCH_MS) return;
    const before = control?.value ?? (await initialControl(sessionId, store));
    if (before === undefined) return;
    const value = { ...before, watchedUntil: until };
    const { ok } = await store.commit([saveDocument(path, controlType, value, control?.version)]);
    return ok ? undefined : RACE_LOST;
  });
}

/** The initial control state of a session; undefined if the session is missing or never started. */
async function initialControl(sessionId: string, store: StateDeps['store']): Promise<Control | undefined> {
  const session = await store.get(paths.session(sessionId), sessionType);
  // A deferred session does not change before it is started.
  if (session === undefined || session.value.status === 'deferred') return undefined;
  const { steering, expireAt } = session.value;
  return {
    sessionId,
    watchedUntil: null,
    paused: steering.paused !== null,
    guidance: steering.guidance,
    expireAt,
  };
}
