// The incident's part of opening a session: a claim, so that only one delivery opens it, and the writes that
// make the session the one of the incident.

import type { OpenedAgain } from '../../alerts/coolDown.ts';
import { firstReport } from '../../alerts/incident.ts';
import { alertCountsType, type Incident, incidentType } from '../../alerts/schema/incident.ts';
import { claimLease } from '../../core/contract/lease.ts';
import { createDocument, saveDocument, type Version, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST } from '../../core/kernel/documents/retryConflict.ts';
import { documentTitle } from '../../core/schema/documentTitle.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { noCounts } from '../../kits/alerts/alertEvents.ts';
import type { Problem } from '../../kits/alerts/problem.ts';
import { reportEvent } from './reportEvents.ts';
import { settleWindowDeferral } from './startHeldSession.ts';

/** How long other deliveries wait for the one that claimed the opening. It takes seconds at most. */
const OPENING_MS = 30_000;

interface OpeningIncident {
  /** The key of the problem, the same for every report of it. */
  incidentKey: string;
  /** Undefined for a new problem. */
  known: Incident | undefined;
  /** The version of the incident that the next write replaces; undefined if there is none. */
  version: Version | undefined;
  /** The latest session; undefined if there is none. */
  session: Session | undefined;
  /** Why a session is opened for an unresolved problem; undefined if it is new or was resolved. */
  again: OpenedAgain | undefined;
}

/** The problem of an alert whose session is about to be opened. */
export function describeIncidentProblem(
  alert: TriagedAlert,
  opening: OpeningIncident,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Problem {
  return {
    again: opening.again === undefined ? null : (opening.session ?? null),
    isAlone: opening.known?.alone ?? false,
    claim: (expireAt) => claimIncident(alert, opening, expireAt, deps),
    // Only the session of an incident has a settle window: only a report of its source can end it.
    settle: (session) => settleWindowDeferral(session, session.createdAt),
    openingWrites: (session, now) => openingWrites(alert, opening, session, now),
    isOutdated: () => isOutdated(opening, deps),
  };
}

/**
 * Keeps other deliveries from opening a session of the same problem, so that a storm of alerts uses one
 * ticket of a budget instead of a thousand.
 */
async function claimIncident(
  alert: TriagedAlert,
  opening: OpeningIncident,
  expireAt: Date,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Problem | typeof RACE_LOST> {
  const { store, clock } = deps;
  const now = clock.now();
  const before = opening.known ?? buildIncident(alert, opening, { sessionId: null, expireAt }, now);
  const { holder: key, until } = claimLease(alert.key, OPENING_MS, now);
  const result = await store.commit([incidentWrite(opening, { ...before, opening: { key, until } })]);
  return result.ok
    ? describeIncidentProblem(alert, { ...opening, version: result.versions[0] }, deps)
    : RACE_LOST;
}

/** The writes that make a session the one of its problem. They fail if another delivery was faster. */
function openingWrites(alert: TriagedAlert, opening: OpeningIncident, session: Session, now: Date): Write[] {
  const { sessionId, expireAt, createdAt } = session;
  const none = noCounts(createdAt, expireAt);
  const { kind } = alert.report;
  // The session itself shows that the alert fires; every other report has an event.
  const first = { total: 1, events: 0 };
  const events = kind === 'firing' ? [] : [reportEvent(session, alert, first, createdAt)];
  const counts = { ...none, [kind]: 1, events: events.length };
  return [
    incidentWrite(opening, buildIncident(alert, opening, { sessionId, expireAt }, now)),
    createDocument(alertCountsType.paths.alertCounts(sessionId), alertCountsType, counts),
    ...events,
  ];
}

/** Whether another delivery has changed the incident since it was read. */
async function isOutdated(
  { incidentKey, version }: OpeningIncident,
  { store }: Pick<StateDeps, 'store'>,
): Promise<boolean> {
  return (await store.get(incidentType.paths.incident(incidentKey), rawDocumentType))?.version !== version;
}

function incidentWrite({ incidentKey, version }: OpeningIncident, incident: Incident): Write {
  const path = incidentType.paths.incident(incidentKey);
  return saveDocument(path, incidentType, incident, version);
}

function buildIncident(
  { alert: { title, source, identity }, chainName, report, splitOf }: TriagedAlert,
  { known, again }: OpeningIncident,
  { sessionId, expireAt }: { sessionId: string | null; expireAt: Date },
  now: Date,
): Incident {
  return {
    title: documentTitle(title),
    source,
    identity: identity ?? '',
    chain: chainName,
    sessionId,
    ...firstReport(report, known),
    stopped: false,
    retries: again === 'retry' ? (known?.retries ?? 0) + 1 : 0,
    opening: null,
    merged: false,
    alone: (known?.alone ?? false) || splitOf !== null,
    expireAt,
    createdAt: now,
  };
}
