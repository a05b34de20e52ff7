// The documents of features that a batch announces beside those of the core.

import type { Incident } from '../../alerts/schema/incident.ts';
import type { Announced } from '../../core/contract/announce.ts';
import type { Stored } from '../../core/contract/store.ts';
import type { Outcome } from './outcome.ts';

/** The documents that a batch changes, before or after it. */
export interface AnnouncedByFeatures extends Announced {
  /** The outcome of a session that has ended. */
  outcome?: Outcome | undefined;
  /** The problem of the session. */
  incident?: Stored<Incident>;
}
