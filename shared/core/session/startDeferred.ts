// Starts a deferred session at a user's request, without checking budgets, or after its settle window.

import { announce } from '../contract/announce.ts';
import type { Stored, Write } from '../contract/store.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { replaceSession } from '../kernel/session/replaceSession.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { paths, sessionType } from '../schema/coreDocuments.ts';
import type { Session } from '../schema/session.ts';
import { startStage } from '../stage/startStage.ts';

type StartOutcome =
  | { kind: 'unknown_session' }
  /** It was never deferred, or was started or cancelled before; nothing was changed. */
  | { kind: 'not_deferred'; status: Session['status']; startedAt: Date | null }
  /** `isPublished`: whether its first messages were published. If not, the sweep publishes them. */
  | { kind: 'started'; isPublished: boolean };

/**
 * Starts a deferred session. Of several concurrent callers, only one starts it. Its deadline counts from now.
 * @throws RetryableError when the store fails; the session can have started then.
 */
export function startDeferred(sessionId: string, deps: StateDeps): Promise<StartOutcome> {
  const path = paths.session(sessionId);
  return retryLostRaces<StartOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(path, sessionType);
    if (stored === undefined) return { kind: 'unknown_session' };
    const { status, deferral } = stored.value;
    if (status !== 'deferred' || deferral === null)
      return { kind: 'not_deferred', status, startedAt: deferral?.startedAt ?? null };
    return (await commitStart(stored, deps)) ?? RACE_LOST;
  });
}

/**
 * Starts a session whose settle window is over; the sweep calls it. Does nothing for other sessions, or when
 * another process was faster.
 * @throws RetryableError when the store fails.
 */
export async function startSettled(stored: Stored<Session>, deps: StateDeps): Promise<boolean> {
  const { status, deferral } = stored.value;
  if (status !== 'deferred' || deferral?.until == null || deferral.until > deps.clock.now()) return false;
  return (await commitStart(stored, deps)) !== undefined;
}

/**
 * Stores a deferred session as started, and publishes its first iterations.
 * @param change further changes of the session.
 * @param also writes of the same batch.
 * @param now when it starts; a ticket of a budget counts for that time.
 * @returns undefined when another writer changed something first; nothing was written then.
 */
export async function commitStart(
  stored: Stored<Session>,
  deps: StateDeps,
  change: Partial<Session> = {},
  also: Write[] = [],
  now: Date = deps.clock.now(),
): Promise<Extract<StartOutcome, { kind: 'started' }> | undefined> {
  const session = startedSession({ ...stored.value, ...change }, now);
  const first = { index: 1, kind: 'investigation' } as const;
  const { stage, executions, writes } = startStage(session, { ...first, findings: [] }, now, deps);
  const batch = [replaceSession(stored, session, deps), ...writes, ...also];
  const result = await announce({ session: stored.value }, { session, stages: [stage] }, batch, deps);
  if (!result.ok) return undefined;
  const published = await Promise.allSettled(
    executions.map((execution) => publishIteration(deps.publisher, execution)),
  );
  return { kind: 'started', isPublished: published.every(({ status }) => status === 'fulfilled') };
}

/** The started session, with its full time limit from now, within its documents' retention. */
function startedSession(session: Session, now: Date): Session {
  const { createdAt, deadline, expireAt, deferral } = session;
  const end = now.getTime() + deadline.getTime() - createdAt.getTime();
  return {
    ...session,
    status: 'in_progress',
    deferral: deferral && { ...deferral, startedAt: now, until: null },
    deadline: new Date(Math.min(end, expireAt.getTime())),
  };
}
