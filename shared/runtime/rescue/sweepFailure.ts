// The report of the sweep about a session that it could not handle.

import type { ErrorCode } from '../../errors.ts';

/** A session that the sweep could not repair or start. */
export interface SweepFailure {
  sessionId: string;
  /** Null for an error that does not come from this code. */
  code: ErrorCode | null;
  message: string;
}
