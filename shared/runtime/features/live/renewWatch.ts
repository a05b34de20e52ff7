// Stores that a session is watched: its iterations write what their models say until then.

import { create, replace } from '../../../contract/store.ts';
import type { Control } from '../../../schema/control.ts';
import { controlType, paths, sessionType } from '../../../schema/documents.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../kernel/documents/races.ts';
import { WATCH_MS, watchedUntil } from '../../kernel/execution/readControl.ts';

/** How often a reader renews its watch. */
export const RENEW_WATCH_MS = 20_000;

/**
 * Renews the watch of a session, if there is one that is not deferred. One write, and none where another reader has renewed it since this one did last.
 * @throws RetryableError when other writers keep changing the control state, or the store fails; TerminalError for a broken
 *   document.
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
    const before = control?.value ?? (await unsteered(sessionId, store));
    if (before === undefined) return;
    const value = { ...before, watchedUntil: until };
    const { ok } = await store.commit([
      control === undefined
        ? create(path, controlType, value)
        : replace(path, controlType, value, control.version),
    ]);
    return ok ? undefined : RACE_LOST;
  });
}

/** The control state of a session that has none yet; undefined where there is none that runs, or was started. */
async function unsteered(sessionId: string, store: StateDeps['store']): Promise<Control | undefined> {
  const session = await store.get(paths.session(sessionId), sessionType);
  // Nothing of a session that was deferred changes before it is started.
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
