// Counts a report of a known problem in its session, with an event.
// The batch that counts it stores the key of the alert, so that a redelivery does not count again.

import { decideFollowUp, type IncidentDecision, isWithinTwoSeconds } from '../../alerts/incident.ts';
import { maskAlertGradually } from '../../alerts/index.ts';
import { type AlertCounts, type Incident, incidentType } from '../../alerts/schema/incident.ts';
import { type Announced, announce } from '../../core/contract/announce.ts';
import { replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST } from '../../core/kernel/documents/retryConflict.ts';
import type { Session } from '../../core/schema/session.ts';
import { continueSession } from '../../core/session/continueSession.ts';
import { alertKeyWrite, findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import { planCount } from '../../kits/alerts/fates/reportCounts.ts';
import type { AttachOptions, ReportedAlert } from '../../kits/alerts/intakeFeature.ts';
import type { AttemptOutcome, FirstOutcome } from '../../kits/alerts/intakeOutcome.ts';
import { followIncident } from './followIncident.ts';
import { reportEvent } from './reportEvents.ts';
import type { FollowRules } from './startHeldSession.ts';

interface Attachment {
  /** The incident, with the version that the batch replaces. */
  incident: Stored<Incident>;
  /** The session, with the version that the batch replaces. */
  session: Stored<Session>;
  /** The reports so far; undefined before the first one. */
  counts: Stored<AlertCounts> | undefined;
  /** The effect of the report on the session. */
  decision: Extract<IncidentDecision, { kind: 'attach' }>;
}

/**
 * Attaches a report to its session, and starts, holds or stops the session if the incident requires it.
 * @returns `RACE_LOST` if another delivery was faster.
 * @throws RetryableError when the store fails.
 */
export async function attachReport(
  alert: ReportedAlert,
  attachment: Attachment,
  options: AttachOptions,
  rules: FollowRules,
  deps: AlertDeps,
): Promise<AttemptOutcome> {
  const { session, decision } = attachment;
  const { writes, isNews, ...change } = await reportWrites(alert, attachment, options, deps);
  await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const { ok } = await announce(change.before, change.after, writes, deps);
  if (!ok) {
    const earlier = await findSessionId(alert.key, deps);
    if (earlier === undefined) return RACE_LOST;
    await followIncident(alert, rules, deps);
    return continueSession(earlier, deps);
  }
  await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
  // The session can be older than this commit: its writes do not change the incident.
  if (isNews || decideFollowUp(decision.incident, session.value) !== 'none')
    await followIncident(alert, rules, deps);
  await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
  return attachedOutcome(alert, session.id);
}

function attachedOutcome({ report: { kind } }: ReportedAlert, sessionId: string): FirstOutcome {
  return { outcome: 'attached', sessionId, report: kind };
}

/** The batch of a report, and its change of the problem. */
async function reportWrites(
  alert: ReportedAlert,
  { incident, session, counts, decision }: Attachment,
  { isEventful, isLast }: Pick<AttachOptions, 'isEventful' | 'isLast'>,
  { store, clock, maskerFor }: Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'>,
): Promise<{ before: Announced; after: Announced; isNews: boolean; writes: Write[] }> {
  const { maskKey } = session.value;
  const { report } = alert;
  const now = clock.now();
  const count = await planCount(session.value, counts, report.kind, now, store);
  const isEvent = isEventful && count.isEventDue;
  // A newer time is worth a lost race, but not the loss of the report, nor a write for each of a storm.
  const isRepeat = decision.incident.firing === incident.value.firing;
  const isOfStorm = !count.isWritten && isWithinTwoSeconds(incident.value, decision.incident);
  const isNews = decision.isNews && !(isRepeat && (isLast || isOfStorm));
  // The event shows only the members of a group.
  const shown = async () =>
    alert.alert.members.length === 0
      ? alert.alert
      : (await maskAlertGradually(alert.opened, maskerFor(maskKey), { receivedAt: alert.publishedAt })).alert;
  return {
    before: { incident },
    isNews,
    after: isNews ? { incident: { ...incident, value: decision.incident } } : {},
    writes: [
      alertKeyWrite(alert, session.value, attachedOutcome(alert, session.id), now, count),
      ...count.writes(isEvent ? 1 : 0),
      ...(isEvent ? [reportEvent(session.value, { report, alert: await shown() }, count, now)] : []),
      ...(isNews ? [replaceDocument(incident.path, incidentType, decision.incident, incident.version)] : []),
    ],
  };
}
