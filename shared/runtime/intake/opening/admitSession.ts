// Step 5 of intake for a new session, budget: whether it starts now. Only one delivery asks the budgets for an incident.

import type { OwnNames } from '../../../alerts/ownAlert.ts';
import type { AlertDeps } from '../../kernel/deps.ts';
import { RACE_LOST } from '../../kernel/documents/races.ts';
import { type Deferral, decideDeferral } from '../../kernel/session/decideDeferral.ts';
import { claimIncident, type Problem } from '../incident/openIncident.ts';
import { settleDeferral } from '../incident/startHeldSession.ts';
import { findSessionId, resumeSession } from '../message/alertKey.ts';
import type { AttemptOutcome } from '../message/intakeOutcome.ts';
import type { RoutedAlert } from './routeSession.ts';

/** An alert whose session is to be opened. */
export interface AdmittedAlert extends RoutedAlert {
  /** Its problem, claimed where budgets count sessions; null for an alert without an incident. */
  problem: Problem | null;
  /** Why the session does not start now; undefined if it does. */
  deferral: Deferral | undefined;
}

/**
 * Decides whether a session starts now. An earlier delivery's session is resumed instead, because a redelivery does not count
 * against the hourly budget again.
 * @returns `RACE_LOST` if another delivery was faster to claim the incident.
 * @throws RetryableError when the store fails.
 */
export async function admitSession(
  alert: RoutedAlert,
  problem: Problem | null,
  own: OwnNames,
  deps: AlertDeps,
): Promise<AdmittedAlert | AttemptOutcome> {
  const { session, budgets, triage, proof } = alert;
  const isCounted = budgets.sessionsPerHour.length > 0;
  const earlier = isCounted ? await findSessionId(alert.key, deps) : undefined;
  if (earlier !== undefined) return resumeSession(earlier, deps);
  const claimed =
    problem !== null && isCounted ? await claimIncident(alert, problem, session.expireAt, deps) : problem;
  if (claimed === RACE_LOST) return RACE_LOST;
  const decided = await decideDeferral(session, { own, triage, proof, budgets }, deps);
  // Only the session of an incident has a settle window: only a report of its source can end it.
  const settling = problem === null ? undefined : settleDeferral(session, session.createdAt);
  return { ...alert, problem: claimed, deferral: decided ?? settling };
}
