// Drops an alert: its fate is all that is stored of it. The fates of a rule, a tenant and a day are counted
// when a person asks for them; a document names rule, tenant and day.

import { createDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { continueSession } from '../../core/session/continueSession.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { type DroppedAlerts, droppedAlertsType } from '../../kits/alerts/droppedAlerts.ts';
import { findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import { composeFate } from '../../kits/alerts/fates/decideFate.ts';
import { storeFate } from '../../kits/alerts/fates/storeFate.ts';
import type { IntakeOutcome } from '../../kits/alerts/intakeOutcome.ts';
import { cutText, quoteText } from '../../text/cut.ts';
import { utcDay } from '../../text/utcPeriod.ts';

/** A month, as long as fates. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_TITLE = 300;

/**
 * Stores the fate of a dropped alert, and for the first one of a rule, a tenant and a day the document that
 * names them. If an earlier delivery opened a session, under other rules, that session is resumed instead.
 * @throws RetryableError when the store fails: the message is delivered again and counts once.
 */
export async function dropAlert(alert: TriagedAlert, deps: StateDeps): Promise<IntakeOutcome> {
  const earlier = await findSessionId(alert.key, deps);
  if (earlier !== undefined) return continueSession(earlier, deps);
  const { rule, text } = alert.triage;
  const dropped = droppedAlerts(alert);
  const { day, tenantId } = dropped;
  const path = droppedAlertsType.paths.droppedAlertsOf(day, rule, tenantId);
  const outcome: IntakeOutcome = { outcome: 'dropped', rule, text, path };
  await storeFate(composeFate(alert, outcome), deps, async () => {
    const isThere = (await deps.store.get(path, rawDocumentType)) !== undefined;
    return isThere ? [] : [createDocument(path, droppedAlertsType, dropped)];
  });
  return outcome;
}

function droppedAlerts({
  messageId,
  alert: { source, title },
  owner: { tenantId },
  triage: { rule, text },
  reportedAt: at,
}: TriagedAlert): DroppedAlerts & { tenantId: string } {
  const first = { messageId: cutText(messageId, 200), source, title: quoteText(title, MAX_TITLE), at };
  const expireAt = new Date(at.getTime() + KEEP_MS);
  return { tenantId, rule, day: utcDay(at), count: 0, text, examples: [first], last: first, expireAt };
}
