// Related alerts: alerts that share labels know of each other, and one can join the session of another.

import { isInvestigated } from '../../alerts/fields/status.ts';
import { correlationPart, type RelatedAlert } from '../../alerts/schema/correlation.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { loadRelated } from '../../kits/alerts/loadRelated.ts';
import { relatedLine } from '../../wording/alsoFiring.ts';
import { joinSession } from './joinSession.ts';
import { noteAlert } from './noteAlert.ts';

const splitNotice = (from: string): SessionNotice => ({
  code: 'alert_split',
  subject: from,
  content: `A person took this alert out of session ${from}: it has a session of its own.`,
});

/** The event that names the related alerts. */
function alsoFiringNotice(alerts: readonly RelatedAlert[]): SessionNotice {
  const content = `Also firing, with the same labels: ${alerts.map(relatedLine).join('; ')}.`;
  return { code: 'also_firing', subject: String(alerts.length), content };
}

/** Attaches an alert to a related session, or notes it under its labels with its related alerts. */
export const CORRELATION: IntakeFeature = {
  join: joinSession,
  async addContext({ alert, correlation, session, splitOf }, _, deps) {
    if (splitOf !== null) return { change: {}, notice: splitNotice(splitOf) };
    if (correlation === null) return { change: {}, notice: null };
    const isFiring = isInvestigated(alert.status);
    if (isFiring) await noteAlert({ ...session, alert }, correlation, deps);
    const alsoFiring = isFiring ? await loadRelated({ ...session, alert, correlation }, deps) : [];
    const notice = alsoFiring.length === 0 ? null : alsoFiringNotice(alsoFiring);
    const part = { keys: correlation, ...(alsoFiring.length > 0 && { alsoFiring }) };
    return { change: withPart(correlationPart, NO_PARTS, part), notice };
  },
};
