// The problem that an alert reports, as far as the opening of its session depends on it.

import type { Write } from '../../core/contract/store.ts';
import type { RACE_LOST } from '../../core/kernel/documents/retryConflict.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Deferral } from './deferredSession.ts';

/** A problem whose session is about to be opened. */
export interface Problem {
  /** The earlier session of a problem that was not resolved since; null without one. */
  again: Session | null;
  /** Whether a person took it out of its group: it joins no other session. */
  isAlone: boolean;
  /**
   * Keeps other deliveries from opening a session of the same problem. Returns the claimed problem, or
   * `RACE_LOST` if another delivery was faster.
   * @param expireAt of the session.
   * @throws RetryableError when the store fails.
   */
  claim(expireAt: Date): Promise<Problem | typeof RACE_LOST>;
  /** Why its session waits although it could start; undefined if it starts. */
  settle(session: Session): Deferral | undefined;
  /** The writes that make a session the one of its problem. They fail if another delivery was faster. */
  openingWrites(session: Session, now: Date): Write[];
  /** Whether another delivery has changed the problem, so that `openingWrites` always fail. */
  isOutdated(): Promise<boolean>;
}
