// Starts a session that was stored as deferred, because a user decided so. No budget is asked.

import { paths, sessionType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../races.ts';
import { startStage } from '../stage/startStage.ts';
import { replaceSession } from './replaceSession.ts';

/** The result of a start. */
export type StartOutcome =
  | { kind: 'unknown_session' }
  /** It was never deferred, or was started or cancelled before; nothing was changed. */
  | { kind: 'not_deferred'; status: Session['status']; startedAt: Date | null }
  /** `isPublished`: whether its first messages are on their way. If not, the sweep publishes them. */
  | { kind: 'started'; isPublished: boolean };

/**
 * Starts a deferred session, once: of several callers at the same time one does. Its time begins now.
 * @throws RetryableError when the store fails; it may be started then.
 */
export function startDeferred(sessionId: string, deps: StateDeps): Promise<StartOutcome> {
  const path = paths.session(sessionId);
  return retryLostRaces<StartOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(path, sessionType);
    if (stored === undefined) return { kind: 'unknown_session' };
    const { status, deferral } = stored.value;
    if (status !== 'deferred' || deferral === null)
      return { kind: 'not_deferred', status, startedAt: deferral?.startedAt ?? null };
    const now = deps.clock.now();
    const session = startedSession(stored.value, deferral, now);
    const { executions, writes } = startStage(
      session,
      { index: 1, kind: 'investigation', findings: [] },
      now,
    );
    const result = await deps.store.commit([replaceSession(stored, session), ...writes]);
    if (!result.ok) return RACE_LOST;
    const published = await Promise.allSettled(
      executions.map((execution) => publishIteration(deps.publisher, execution)),
    );
    return { kind: 'started', isPublished: published.every(({ status }) => status === 'fulfilled') };
  });
}

/** It has as long as if it had been opened now, but not longer than its documents are kept. */
function startedSession(session: Session, deferral: NonNullable<Session['deferral']>, now: Date): Session {
  const { createdAt, deadline, expireAt } = session;
  const end = now.getTime() + deadline.getTime() - createdAt.getTime();
  return {
    ...session,
    status: 'in_progress',
    deferral: { ...deferral, startedAt: now },
    deadline: new Date(Math.min(end, expireAt.getTime())),
  };
}
