// A change of a session together with the event that explains it in the timeline.

import type { Stored, Write } from '../../contract/store.ts';
import type { Session } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { replaceSession } from './replaceSession.ts';
import { nextPosition, type SessionNotice, sessionEvent } from './sessionEvents.ts';

/** Returns a changed session and the event of the change, which the session counts. */
export function withNotice(
  stored: Stored<Session>,
  changed: Session,
  notice: SessionNotice,
  now: Date,
  deps: Pick<StateDeps, 'stageFeatures'>,
): { session: Session; replaced: Write; event: Write } {
  const { steering } = changed;
  const session: Session = { ...changed, steering: { ...steering, events: steering.events + 1 } };
  const event = sessionEvent(changed, nextPosition(changed), notice, now);
  return { session, replaced: replaceSession(stored, session, deps), event };
}
