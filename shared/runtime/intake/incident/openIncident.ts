// What is stored of an incident when an alert opens a session for it.

import { firstReport, type OpenedAgain } from '../../../alerts/incident.ts';
import { create, replace, type Stored, type Write } from '../../../contract/store.ts';
import { alertCountsType, incidentType, paths } from '../../../schema/documents.ts';
import { rawDocumentType } from '../../../schema/documentType.ts';
import type { AlertCounts, Incident } from '../../../schema/incident.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import type { IncidentMessage } from '../message/incidentMessage.ts';
import { alertEvent } from './alertEvents.ts';
import { type Reinvestigation, reinvestigationOf } from './reinvestigation.ts';

/** How long other deliveries leave it to this one to open the session. One takes seconds at most. */
const OPENING_MS = 30_000;

/** The incident of a session that is about to be opened. */
export interface Opening {
  message: IncidentMessage;
  /** The session before; null unless its problem still fires without having been resolved. */
  reinvestigation: Reinvestigation | null;
  /**
   * Keeps other deliveries from opening a session meanwhile, so that a storm takes one ticket of a budget, not a thousand.
   * @param expireAt of the session.
   * @returns whether no other one was faster.
   */
  claim(expireAt: Date): Promise<boolean>;
  /** The writes that make a session the one of the incident. They are refused when another delivery was faster. */
  writes(session: Session): Write[];
  /** Whether another delivery has changed the incident since it was read, so that `writes` will always be refused. */
  isOutdated(): Promise<boolean>;
}

/** The problem as it was read before its session is opened. */
interface KnownProblem {
  /** Undefined when nothing is known of it. */
  incident: Stored<Incident> | undefined;
  /** Its session; undefined when there is none. */
  session: Session | undefined;
  /** Why another session is opened for it; undefined when it was resolved in between. */
  again: OpenedAgain | undefined;
}

/** Prepares the session of an incident, which the caller stores. */
export function createOpening(
  message: IncidentMessage,
  { incident: found, session: before, again }: KnownProblem,
  { store, clock }: StateDeps,
): Opening {
  const { alert, report, chain, incidentKey, key } = message;
  const path = paths.incident(incidentKey);
  let version = found?.version;
  const { source, identity } = alert;
  const put = (incident: Incident): Write =>
    version === undefined
      ? create(path, incidentType, incident)
      : replace(path, incidentType, incident, version);
  const known = (sessionId: string | null, expireAt: Date): Incident => ({
    source,
    identity: identity ?? '',
    chain,
    sessionId,
    ...firstReport(report),
    stopped: false,
    retries: again === 'retry' ? (found?.value.retries ?? 0) + 1 : 0,
    opening: null,
    expireAt,
    createdAt: clock.now(),
  });

  return {
    message,
    reinvestigation: before === undefined || again === undefined ? null : reinvestigationOf(before),
    async claim(expireAt) {
      const before = found?.value ?? known(null, expireAt);
      const until = new Date(clock.now().getTime() + OPENING_MS);
      const result = await store.commit([put({ ...before, opening: { key, until } })]);
      if (result.ok) version = result.versions[0];
      return result.ok;
    },
    writes(session) {
      const { sessionId, expireAt, createdAt } = session;
      const none: AlertCounts = {
        firing: 0,
        resolved: 0,
        acknowledged: 0,
        joined: 0,
        events: 0,
        lastAt: createdAt,
        expireAt,
      };
      const { kind } = report;
      // That it fires is what the session is about; anything else is told.
      const events = kind === 'firing' ? [] : [alertEvent(session, { report, alert }, none, createdAt)];
      const counts = { ...none, [kind]: 1, events: events.length };
      return [
        put(known(sessionId, expireAt)),
        create(paths.alertCounts(sessionId), alertCountsType, counts),
        ...events,
      ];
    },
    isOutdated: async () => (await store.get(path, rawDocumentType))?.version !== version,
  };
}
