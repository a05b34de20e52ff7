// Does to a session what its incident asks for: begins it when the alert fires again, leaves it when it is resolved before it
// began, stops it when its chain says so. Every write is conditional on the incident as it was read, so that a report which
// comes at the same moment is not overlooked: either it is read here, or its own delivery does what it asks for.

import { decideFollowUp, incidentRulesOf } from '../../../alerts/incident.ts';
import { type CommitResult, replace, type Stored, type Write } from '../../../contract/store.ts';
import { incidentType } from '../../../schema/documents.ts';
import type { Incident } from '../../../schema/incident.ts';
import type { Session } from '../../../schema/session.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../kernel/documents/races.ts';
import { UNREADABLE } from '../../kernel/documents/reading.ts';
import { deferralNotice } from '../../kernel/session/deferredSession.ts';
import { noticed } from '../../kernel/session/noticed.ts';
import { replaceSession } from '../../kernel/session/replaceSession.ts';
import { cancellationEvent } from '../../kernel/session/sessionEvents.ts';
import { finishCancelling } from '../../session/cancelSession.ts';
import type { IncidentMessage } from '../message/incidentMessage.ts';
import { beginHeld } from './beginHeld.ts';
import type { FollowRules } from './followRules.ts';
import { readIncident } from './readIncident.ts';

/** Who stops a session, for readers of the timeline. */
const SOURCE = 'the source of the alert';

/**
 * Does what the incident of a message asks for, as it is by now. May be called repeatedly.
 * @throws RetryableError when other writers keep changing the session, or the store fails.
 */
export async function followIncident(
  message: IncidentMessage,
  rules: FollowRules,
  deps: StateDeps,
): Promise<void> {
  await retryLostRaces<void>(`incident ${message.incidentKey}`, SESSION_RACES, async () => {
    const known = await readIncident(message.incidentKey, deps);
    if (known === UNREADABLE) return;
    const { incident, session } = known;
    if (incident === undefined || session === undefined) return;
    const { firingAt } = incident.value;
    const fence = (change: Partial<Incident> = {}) =>
      replace(incident.path, incidentType, { ...incident.value, ...change }, incident.version);
    switch (decideFollowUp(incident.value, session.value)) {
      case 'none':
        return;
      case 'start':
        // What it is to be told stands in the message that says so, whose own delivery begins it.
        if (message.report.kind !== 'firing') return;
        return (await beginHeld(session, message, rules, fence({ since: firingAt }), deps))
          ? undefined
          : RACE_LOST;
      case 'hold':
        return (await hold(session, fence(), deps)).ok ? undefined : RACE_LOST;
      case 'stop':
        if (!(await stop(session, incident, deps)).ok) return RACE_LOST;
        await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
        return void (await finishCancelling(session.value, deps));
      case 'finish_stop':
        return void (await finishCancelling(session.value, deps));
    }
  });
}

/** Leaves a session that waits for the end of its settle window, or for a budget, as one that is not investigated. */
function hold(session: Stored<Session>, fence: Write, { store, clock }: StateDeps): Promise<CommitResult> {
  const { sessionId, chain, deferral } = session.value;
  const seconds = incidentRulesOf(chain).settleMs / 1000;
  const text =
    deferral?.reason === 'settling'
      ? `The source resolved it within ${seconds} s (settle).`
      : 'The source resolved it before its budget had room.';
  const notice = deferralNotice(sessionId, { reason: 'resolved', subject: 'resolved', text });
  const held: Session = {
    ...session.value,
    deferral: { reason: 'resolved', startedAt: null, until: null, budgets: null },
  };
  const { replaced, event } = noticed(session, held, notice, clock.now());
  return store.commit([replaced, event, fence]);
}

/** Marks a session as cancelled by the source of its alert, and the incident as one whose session was. */
function stop(
  session: Stored<Session>,
  incident: Stored<Incident>,
  { store, clock }: StateDeps,
): Promise<CommitResult> {
  const cancellation = { by: SOURCE, reason: 'it says that the alert is resolved', at: clock.now() };
  const marked: Session = { ...session.value, status: 'cancelling', cancellation };
  const stopped: Incident = { ...incident.value, stopped: true };
  return store.commit([
    replaceSession(session, marked),
    ...cancellationEvent(marked),
    replace(incident.path, incidentType, stopped, incident.version),
  ]);
}
