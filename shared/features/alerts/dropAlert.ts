// Counts an alert that a rule drops. All dropped alerts of a tenant, a rule and a day share a document, so
// that a storm of alerts does not cause a storm of documents.

import type { StateDeps } from '../../core/kernel/deps.ts';
import { continueSession } from '../../core/session/continueSession.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { findSessionId } from '../../kits/alerts/alertKey.ts';
import {
  type DroppedAlert,
  droppedAlertsType,
  MAX_DROPPED_EXAMPLES,
} from '../../kits/alerts/droppedAlerts.ts';
import type { IntakeOutcome } from '../../kits/alerts/intakeOutcome.ts';
import { cutText, quoteText } from '../../text/cut.ts';
import { utcDay } from '../../text/utcPeriod.ts';

/** A month, as long as messages that were rejected. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const MAX_TITLE = 300;

/**
 * Counts an alert as dropped, and keeps its title if it is among the first of its day. If an earlier delivery
 * opened a session, under other rules, that session is resumed instead.
 * @throws RetryableError when the store fails: the message is delivered again and can count twice.
 */
export async function dropAlert(
  { key, messageId, alert, owner: { tenantId }, triage: { rule, text } }: TriagedAlert,
  deps: StateDeps,
): Promise<IntakeOutcome> {
  const earlier = await findSessionId(key, deps);
  if (earlier !== undefined) return continueSession(earlier, deps);
  const { store, clock } = deps;
  const at = clock.now();
  const day = utcDay(at);
  const path = droppedAlertsType.paths.droppedAlertsOf(day, rule, tenantId);
  const last: DroppedAlert = {
    messageId: cutText(messageId, 200),
    source: alert.source,
    title: quoteText(alert.title, MAX_TITLE),
    at,
  };
  const expireAt = new Date(at.getTime() + KEEP_MS);
  const add = (count: number, examples: DroppedAlert[]): Promise<number> =>
    store.increment(
      path,
      droppedAlertsType,
      { tenantId, rule, day, count, text, examples, last, expireAt },
      'count',
    );
  if ((await add(1, [])) <= MAX_DROPPED_EXAMPLES) await add(0, [last]);
  return { outcome: 'dropped', rule, text, path };
}
