// Decides whether a session starts at once or is stored as deferred: because a rule records its alert, it is
// not firing, Inquest itself causes it, or a feature defers it.

import { isInvestigated } from '../../../alerts/fields/status.ts';
import type { Alert } from '../../../alerts/schema/alert.ts';
import { readSessionAlert } from '../../../alerts/schema/alert.ts';
import { rerunPart } from '../../../alerts/schema/rerun.ts';
import { ownSubject } from '../../../alerts/selfAlert.ts';
import { readPart } from '../../../core/schema/parts.ts';
import type { Session } from '../../../core/schema/session.ts';
import type { TriagedAlert } from '../../../kits/alerts/alert.ts';
import type { Deferral } from '../../../kits/alerts/deferredSession.ts';
import type { Intake } from '../context/features.ts';

/**
 * Returns why a session must be deferred; undefined if it can start.
 * @param triaged the result of triage and the text about the delivery that a test alert proves; absent for a
 *   session that triage let start before.
 * @throws RetryableError when the store fails.
 */
export async function decideDeferral(
  session: Session,
  { triage, proof }: Partial<Pick<TriagedAlert, 'triage' | 'proof'>>,
  { config, features, deps }: Intake,
): Promise<Deferral | undefined> {
  const alert = readSessionAlert(session);
  if (triage?.deferral !== undefined) return triage.deferral;
  const isWanted = triage?.action === 'investigate' && triage.namesState;
  const byStatus = isWanted
    ? undefined
    : deferralByStatus(alert, readPart(rerunPart, session) !== undefined, proof);
  if (byStatus !== undefined) return byStatus;
  const subject = alert === null ? undefined : ownSubject(alert, config.own);
  if (subject !== undefined) {
    const text = `The alert is about ${subject}, which belongs to Inquest: investigating it could cause the next one.`;
    return { reason: 'own_alert', subject, text };
  }
  return features.defer(session, config, deps);
}

const STATUS_TEXTS = {
  resolved: 'The alert is resolved.',
  acknowledged: 'The alert is already acknowledged.',
  test: 'The alert is a test of its source.',
};

/** Does not apply to a rerun: a user wants it, regardless of the alert's status. */
function deferralByStatus(
  alert: Alert | null,
  isRerun: boolean,
  proof: string | undefined,
): Deferral | undefined {
  if (alert === null || isRerun || isInvestigated(alert.status)) return undefined;
  const { status } = alert;
  if (status === 'firing' || status === 'unknown') return undefined;
  const text = STATUS_TEXTS[status];
  const described = status === 'test' && proof !== undefined ? `${text} ${proof}` : text;
  return { reason: status, subject: status, text: described };
}
