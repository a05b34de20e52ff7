// The incident's part of opening a session: a claim, so that only one delivery opens it, and the writes that make the session
// the one of the incident.

import { firstReport, type OpenedAgain } from '../../../alerts/incident.ts';
import { create, replace, type Version, type Write } from '../../../contract/store.ts';
import { alertCountsType, incidentType, paths } from '../../../schema/documents.ts';
import { documentTitle } from '../../../schema/documentTitle.ts';
import { rawDocumentType } from '../../../schema/documentType.ts';
import type { Incident } from '../../../schema/incident.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST } from '../../kernel/documents/races.ts';
import type { TriagedAlert } from '../message/triageMessage.ts';
import { alertEvent, noCounts } from './alertEvents.ts';

/** How long other deliveries leave opening the session to the one that claimed it. It takes seconds at most. */
const OPENING_MS = 30_000;

/** A problem whose session is about to be opened. */
export interface Problem {
  incidentKey: string;
  /** The incident as it was read; undefined for a new problem. */
  known: Incident | undefined;
  /** The version of the incident that the next write replaces; undefined if there is none. */
  version: Version | undefined;
  /** The latest session; undefined if there is none. */
  session: Session | undefined;
  /** Why a session is opened although the problem was not resolved; undefined if it is new or was resolved. */
  again: OpenedAgain | undefined;
}

/**
 * Keeps other deliveries from opening a session of the same problem, so that a storm of alerts uses one ticket of a budget
 * instead of a thousand.
 * @param expireAt of the session.
 * @returns the problem with its new version; `RACE_LOST` if another delivery was faster.
 * @throws RetryableError when the store fails.
 */
export async function claimIncident(
  alert: TriagedAlert,
  problem: Problem,
  expireAt: Date,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Problem | typeof RACE_LOST> {
  const now = clock.now();
  const before = problem.known ?? incidentOf(alert, problem, { sessionId: null, expireAt }, now);
  const opening = { key: alert.key, until: new Date(now.getTime() + OPENING_MS) };
  const result = await store.commit([incidentWrite(problem, { ...before, opening })]);
  return result.ok ? { ...problem, version: result.versions[0] } : RACE_LOST;
}

/** The writes that make a session the one of its problem. They fail if another delivery was faster. */
export function openingWrites(alert: TriagedAlert, problem: Problem, session: Session, now: Date): Write[] {
  const { sessionId, expireAt, createdAt } = session;
  const none = noCounts(createdAt, expireAt);
  const { kind } = alert.report;
  // The session itself shows that the alert fires; every other report has an event.
  const events = kind === 'firing' ? [] : [alertEvent(session, alert, none, createdAt)];
  const counts = { ...none, [kind]: 1, events: events.length };
  return [
    incidentWrite(problem, incidentOf(alert, problem, { sessionId, expireAt }, now)),
    create(paths.alertCounts(sessionId), alertCountsType, counts),
    ...events,
  ];
}

/** Whether another delivery has changed the incident since it was read, so that `openingWrites` always fail. */
export async function isOutdated(
  { incidentKey, version }: Problem,
  { store }: Pick<StateDeps, 'store'>,
): Promise<boolean> {
  return (await store.get(paths.incident(incidentKey), rawDocumentType))?.version !== version;
}

function incidentWrite({ incidentKey, version }: Problem, incident: Incident): Write {
  const path = paths.incident(incidentKey);
  return version === undefined
    ? create(path, incidentType, incident)
    : replace(path, incidentType, incident, version);
}

function incidentOf(
  { alert: { title, source, identity }, chainName, report }: TriagedAlert,
  { known, again }: Problem,
  { sessionId, expireAt }: { sessionId: string | null; expireAt: Date },
  now: Date,
): Incident {
  return {
    title: documentTitle(title),
    source,
    identity: identity ?? '',
    chain: chainName,
    sessionId,
    ...firstReport(report),
    stopped: false,
    retries: again === 'retry' ? (known?.retries ?? 0) + 1 : 0,
    opening: null,
    expireAt,
    createdAt: now,
  };
}
