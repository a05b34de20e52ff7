// The page of a session with the parts of all features.

import { SessionPage } from '../session/SessionPage.tsx';
import { SessionParts } from '../session/state/slots.tsx';
import { PARTS } from './sessionParts.ts';

/** The page. */
export function SessionWithParts() {
  return (
    <SessionParts.Provider value={PARTS}>
      <SessionPage />
    </SessionParts.Provider>
  );
}
