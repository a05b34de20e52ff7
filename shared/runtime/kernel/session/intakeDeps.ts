// The dependencies of intake, in addition to those of everything that opens a session.

import type { Masker } from '../../../masking/masker.ts';
import type { Alert, SeenSession } from '../../../schema/session.ts';
import type { Scope } from '../../../search/readEntry.ts';
import type { AlertDeps } from '../deps.ts';
import type { SessionNotice } from './sessionEvents.ts';

/** Earlier sessions about an alert, and the event that names them; null if there are none. */
export interface SeenBefore {
  seenBefore: SeenSession[];
  notice: SessionNotice | null;
}

/** Finds earlier sessions about the same alert or a similar one, among those of its tenant and user. */
type FindSeen = (
  about: { alert: Alert; masker: Masker } & Scope,
  deps: Pick<AlertDeps, 'store' | 'clock' | 'log'>,
) => Promise<SeenBefore>;

/** The dependencies of alert intake. */
export interface IntakeDeps extends AlertDeps {
  findSeen: FindSeen;
}
