// The outcomes of intake.

import type { Alert } from '../../alerts/schema/alert.ts';
import { RACE_LOST } from '../../core/kernel/documents/retryConflict.ts';
import type { Deferral } from './deferredSession.ts';

/**
 * The outcome of an alert.
 * - `opened`: it has a new session, whose first iterations are published.
 * - `deferred`: it has a new session, which waits or is only recorded.
 * - `attached`: it belongs to the session of the same problem, or joined the session of a related alert.
 * - `already_open`: an earlier delivery handled it; missing messages were published again.
 * - `dropped`: a rule of triage.yaml only counts it.
 */
export type IntakeOutcome = FirstOutcome | { outcome: 'already_open'; sessionId: string };

/** The outcome of the delivery that decides. */
export type FirstOutcome =
  | { outcome: 'attached'; sessionId: string; report: string }
  | { outcome: 'opened'; sessionId: string }
  | { outcome: 'dropped'; rule: string; text: string; path: string }
  | { outcome: 'deferred'; sessionId: string; deferral: Deferral; alert: Alert | null };

/** The outcome of an attempt: `RACE_LOST` if another delivery was faster: place the alert again. */
export type AttemptOutcome = IntakeOutcome | typeof RACE_LOST;

/** Whether a step ended intake instead of returning its record. */
export function isOutcome<T extends object>(step: T | AttemptOutcome): step is AttemptOutcome {
  return step === RACE_LOST || 'outcome' in step;
}
