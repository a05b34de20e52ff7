// Step 5 of intake for a new session, budget: whether it starts. One delivery asks for a problem.

import { RACE_LOST } from '../../../core/kernel/documents/retryConflict.ts';
import { continueSession } from '../../../core/session/continueSession.ts';
import type { AdmittedAlert, RoutedAlert } from '../../../kits/alerts/alert.ts';
import { findSessionId } from '../../../kits/alerts/fates/alertKey.ts';
import type { AttemptOutcome } from '../../../kits/alerts/intakeOutcome.ts';
import type { Problem } from '../../../kits/alerts/problem.ts';
import type { Intake } from '../context/features.ts';
import { decideDeferral } from './decideDeferral.ts';

/**
 * Decides whether a session starts now. An earlier delivery's session is resumed instead, because a
 * redelivery does not count against the hourly budget again.
 * @returns `RACE_LOST` if another delivery was faster to claim the problem.
 * @throws RetryableError when the store fails.
 */
export async function admitSession(
  alert: RoutedAlert,
  problem: Problem | null,
  intake: Intake,
): Promise<AdmittedAlert | AttemptOutcome> {
  const { deps } = intake;
  const { session, budgets } = alert;
  const isCounted = budgets.sessionsPerHour.length > 0;
  const earlier = isCounted ? await findSessionId(alert.key, deps) : undefined;
  if (earlier !== undefined) return continueSession(earlier, deps);
  const claimed = problem !== null && isCounted ? await problem.claim(session.expireAt) : problem;
  if (claimed === RACE_LOST) return RACE_LOST;
  const decided = await decideDeferral(session, alert, intake);
  return { ...alert, problem: claimed, deferral: decided ?? problem?.settle(session) };
}
