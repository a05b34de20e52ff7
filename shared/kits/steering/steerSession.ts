// Stores an action of a person on a running session in one batch: the session, the control state that its
// iterations read, and an event. The session is the fence: the batch is stored only while it runs, and a
// process that ends it reads it again.

import { type Stored, saveDocument, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { type SaveDeps, saveSession } from '../../core/kernel/session/replaceSession.ts';
import type { Control } from '../../core/schema/control.ts';
import { controlType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session, Steering } from '../../core/schema/session.ts';

/** Why a session cannot be steered; nothing was changed. */
export type NotSteered =
  | { kind: 'unknown_session' }
  /** A chat accepts questions, not guidance. */
  | { kind: 'is_chat' }
  /** It has ended, is being cancelled, or was deferred and not started. */
  | { kind: 'not_running'; status: Exclude<Session['status'], 'in_progress'> };

/** Whether an outcome means that a session cannot be steered. */
export function isNotSteered<O extends { kind: string }>(outcome: O | NotSteered): outcome is NotSteered {
  return ['unknown_session', 'is_chat', 'not_running'].includes(outcome.kind);
}

/** A running session with its control state; undefined if the session was never steered. */
export interface RunningSession {
  /** Distinguishes it from sessions that cannot be steered. */
  kind: 'running';
  /** The session, with the version that the action's batch replaces. */
  session: Stored<Session>;
  /** The control state, which the running iterations read. */
  control: Stored<Control> | undefined;
}

/**
 * Reads a session to steer.
 * @throws RetryableError when the store fails; TerminalError for a broken document.
 */
export async function readRunning(
  sessionId: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<RunningSession | NotSteered> {
  const [session, control] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(paths.control(sessionId), controlType),
  ]);
  if (session === undefined) return { kind: 'unknown_session' };
  const { status, kind } = session.value;
  if (kind === 'chat') return { kind: 'is_chat' };
  return status === 'in_progress' ? { kind: 'running', session, control } : { kind: 'not_running', status };
}

/**
 * Stores the action together with `writes`.
 * @param change returns the session's new steering, with one more event.
 * @returns whether it was stored; false if another writer changed the session or its control state.
 * @throws RetryableError when the outcome is unknown.
 */
export async function commitSteering(
  { session, control }: RunningSession,
  change: Partial<Steering>,
  writes: Write[],
  deps: SaveDeps,
): Promise<boolean> {
  const { sessionId, steering, expireAt } = session.value;
  const steered: Steering = { ...steering, ...change, events: steering.events + 1 };
  const value: Control = {
    sessionId,
    watchedUntil: control?.value.watchedUntil ?? null,
    paused: steered.paused !== null,
    guidance: steered.guidance,
    expireAt,
  };
  const path = paths.control(sessionId);
  const written = saveDocument(path, controlType, value, control?.version);
  const changed = { ...session.value, steering: steered };
  const result = await saveSession(session, changed, [written, ...writes], deps);
  return result.ok;
}
