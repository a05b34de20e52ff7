// A change of a session that its timeline explains.

import type { Stored, Write } from '../../../contract/store.ts';
import type { Session } from '../../../schema/session.ts';
import { replaceSession } from './replaceSession.ts';
import { type SessionNotice, sessionEvent, steeringPosition } from './sessionEvents.ts';

/** A changed session with an event of its own, which counts it. */
export function noticed(
  stored: Stored<Session>,
  changed: Session,
  notice: SessionNotice,
  now: Date,
): { session: Session; replaced: Write; event: Write } {
  const { steering } = changed;
  const session: Session = { ...changed, steering: { ...steering, events: steering.events + 1 } };
  const event = sessionEvent(changed, steeringPosition(changed), notice, now);
  return { session, replaced: replaceSession(stored, session), event };
}
