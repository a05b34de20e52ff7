// The changes near the alert of a session, as their panel read them last.

import { type Signal, signal } from '@preact/signals';
import type { SessionChanges } from '../../../../shared/lists/apiTypes.ts';
import type { SessionModel } from '../../session/state/sessionModel.ts';

const FOUND = new WeakMap<SessionModel['timeline'], Signal<SessionChanges | undefined>>();

/** The changes near the alert of a session; undefined until they are read. */
export function foundChanges({
  timeline,
}: Pick<SessionModel, 'timeline'>): Signal<SessionChanges | undefined> {
  const found = FOUND.get(timeline) ?? signal<SessionChanges | undefined>(undefined);
  FOUND.set(timeline, found);
  return found;
}
