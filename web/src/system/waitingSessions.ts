// The sessions that wait for the reader: those that they claimed, and those without an owner. Pure.

import type { SessionRow, SessionWork } from '../../../shared/lists/apiTypes.ts';
import { hasEnded } from '../model/status.ts';

interface WaitingSessions {
  /** The reader claimed them, and has not resolved them. */
  mine: SessionRow[];
  /** No person claimed or resolved them, and their problem still fires, or their agents work. */
  free: SessionRow[];
}

/**
 * @param rows sessions in the order of the list.
 * @param work the people of those that are claimed or resolved.
 * @param reader their name as the API has it; undefined while it is unknown.
 */
export function waitingSessions(
  rows: readonly SessionRow[],
  work: readonly SessionWork[],
  reader: string | undefined,
): WaitingSessions {
  const people = new Map(work.map((one) => [one.sessionId, one]));
  return {
    mine: rows.filter(({ sessionId }) => reader !== undefined && people.get(sessionId)?.claimedBy === reader),
    free: rows.filter((row) => !people.has(row.sessionId) && needsPerson(row)),
  };
}

/** Chats, checks and forks have their own readers. A deferred session waits while its problem fires. */
function needsPerson({ kind, status, problem }: SessionRow): boolean {
  if (kind !== 'investigation') return false;
  return problem?.status === 'firing' || !(hasEnded(status) || status === 'deferred');
}
