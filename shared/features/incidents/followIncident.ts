// Applies the state of an incident to its session: starts a held session when the alert fires again, holds
// one that is resolved before it started, and stops one if its chain requires it. Every write is conditional
// on the incident as it was read, so that a concurrent report is not missed: either it is read here, or its
// own delivery applies it.

import { chooseIncidentRules } from '../../alerts/coolDown.ts';
import { decideFollowUp } from '../../alerts/incident.ts';
import { type Incident, incidentType } from '../../alerts/schema/incident.ts';
import { budgetsPart } from '../../alerts/schema/waitedBudgets.ts';
import { announce } from '../../core/contract/announce.ts';
import { type CommitResult, replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { withNotice } from '../../core/kernel/session/noticed.ts';
import { saveSession } from '../../core/kernel/session/replaceSession.ts';
import { cancellationEvent } from '../../core/kernel/session/sessionEvents.ts';
import { withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { finishCancelling } from '../../core/session/cancelSession.ts';
import { deferralNotice } from '../../kits/alerts/deferredSession.ts';
import type { ReportedAlert } from '../../kits/alerts/intakeFeature.ts';
import { readIncident } from './readIncident.ts';
import { type FollowRules, startHeldSession } from './startHeldSession.ts';

/** The name of the source as the one that cancels, for readers of the timeline. */
const SOURCE = 'the source of the alert';

/**
 * Applies the current state of an alert's incident to its session. Idempotent.
 * @throws RetryableError when other writers keep changing the session, or the store fails.
 */
export async function followIncident(
  alert: ReportedAlert,
  rules: FollowRules,
  deps: AlertDeps,
): Promise<void> {
  await retryLostRaces<void>(`incident ${alert.incidentKey}`, SESSION_RACES, async () => {
    const known = await readIncident(alert.incidentKey, deps);
    if (known === UNREADABLE) return;
    const { incident, session } = known;
    if (incident === undefined || session === undefined) return;
    const { firingAt } = incident.value;
    const fence = (change: Partial<Incident> = {}) =>
      replaceDocument(incident.path, incidentType, { ...incident.value, ...change }, incident.version);
    switch (decideFollowUp(incident.value, session.value)) {
      case 'none':
        return;
      case 'start': {
        // The session needs the alert that fires: the delivery of that alert starts it.
        if (alert.report.kind !== 'firing') return;
        const since = fence({ since: firingAt });
        return (await startHeldSession(session, alert, rules, since, deps)) ? undefined : RACE_LOST;
      }
      case 'hold':
        return (await holdSession(session, fence(), deps)).ok ? undefined : RACE_LOST;
      case 'stop':
        if (!(await stopSession(session, incident, deps)).ok) return RACE_LOST;
        await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
        return void (await finishCancelling(session.value, deps));
      case 'finish_stop':
        return void (await finishCancelling(session.value, deps));
    }
  });
}

/** Holds a session that waits for the end of its settle window, or for a budget: it is not investigated. */
function holdSession(session: Stored<Session>, fence: Write, deps: StateDeps): Promise<CommitResult> {
  const { sessionId, chain, deferral } = session.value;
  const seconds = chooseIncidentRules(chain).settleMs / 1000;
  const text =
    deferral?.reason === 'settling'
      ? `The source resolved it within ${seconds} s (settle).`
      : 'The source resolved it before its budget had room.';
  const notice = deferralNotice(sessionId, { reason: 'resolved', subject: 'resolved', text });
  const held: Session = {
    ...withPart(budgetsPart, session.value, undefined),
    deferral: { reason: 'resolved', startedAt: null, until: null },
  };
  const changed = withNotice(session, held, notice, deps.clock.now(), deps);
  const batch = [changed.replaced, changed.event, fence];
  return announce({ session: session.value }, { session: changed.session }, batch, deps);
}

/** Marks a session as cancelled by the source of its alert, and the incident as stopped. */
function stopSession(
  session: Stored<Session>,
  incident: Stored<Incident>,
  deps: StateDeps,
): Promise<CommitResult> {
  const cancellation = { by: SOURCE, reason: 'it reports that the alert is resolved', at: deps.clock.now() };
  const marked: Session = { ...session.value, status: 'cancelling', cancellation };
  const stopped: Incident = { ...incident.value, stopped: true };
  const replaced = replaceDocument(incident.path, incidentType, stopped, incident.version);
  return saveSession(session, marked, [...cancellationEvent(marked), replaced], deps);
}
