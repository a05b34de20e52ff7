// What a run of the sweep reports about a session that it could not handle.

import type { ErrorCode } from '../../errors.ts';

/** A session that the sweep could not repair or start. */
export interface SweepFailure {
  sessionId: string;
  /** Null for an error that this code does not throw itself. */
  code: ErrorCode | null;
  message: string;
}
