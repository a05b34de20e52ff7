// Step 3 of intake, place: which session a report of a known problem belongs to. Decided by `shared/alerts/incident.ts` from the
// incident and its session.

import { decideIncident, type IncidentDecision } from '../../../alerts/incident.ts';
import type { Stored } from '../../../contract/store.ts';
import { alertCountsType, paths } from '../../../schema/documents.ts';
import type { AlertCounts, Incident } from '../../../schema/incident.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../kernel/documents/reading.ts';
import type { TriagedAlert } from '../message/triageMessage.ts';
import type { Problem } from './openIncident.ts';
import { readIncident } from './readIncident.ts';

/** An alert with the key of its incident. */
export interface ReportedAlert extends TriagedAlert {
  incidentKey: string;
}

/** The session that a report is attached to. */
export interface Attachment {
  incident: Stored<Incident>;
  session: Stored<Session>;
  /** The reports so far; undefined before the first one. */
  counts: AlertCounts | undefined;
  decision: Extract<IncidentDecision, { kind: 'attach' }>;
}

/** The place of a report. */
export type Place =
  /** It opens a session for its problem. */
  | { kind: 'open'; problem: Problem }
  /** Another delivery is opening the session. */
  | { kind: 'wait' }
  | ({ kind: 'attach' } & Attachment)
  /** This code cannot read the incident. */
  | { kind: 'unreadable' };

/**
 * Finds the session that a report belongs to. Writes nothing.
 * @throws RetryableError when the store fails.
 */
export async function placeReport(alert: ReportedAlert, deps: StateDeps): Promise<Place> {
  const { incidentKey, key, report, reportedAt, triage } = alert;
  const found = await readIncident(incidentKey, deps);
  if (found === UNREADABLE) return { kind: 'unreadable' };
  const { incident, session } = found;
  const isWanted = triage.action === 'investigate';
  const facts = { key, isWanted, reportedAt, members: alert.alert.members, now: deps.clock.now() };
  const decision = decideIncident(incident?.value, session?.value, report, facts);
  if (decision.kind === 'wait') return decision;
  const { value: known, version } = incident ?? {};
  if (decision.kind === 'open' || incident === undefined || session === undefined) {
    const again = decision.kind === 'open' ? decision.again : undefined;
    return { kind: 'open', problem: { incidentKey, known, version, session: session?.value, again } };
  }
  const counts = await readCounts(session.id, deps);
  if (counts === UNREADABLE) {
    const problem = { incidentKey, known, version, session: undefined, again: undefined };
    return { kind: 'open', problem };
  }
  return { kind: 'attach', incident, session, counts, decision };
}

/** The counts of a session's reports; undefined if there is none yet. */
async function readCounts(
  sessionId: string,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<AlertCounts | undefined | typeof UNREADABLE> {
  const consequence = 'reports of its problem do not count for this session';
  const found = await readOrWarn(store.get(paths.alertCounts(sessionId), alertCountsType), consequence, log);
  return found === UNREADABLE ? UNREADABLE : found?.value;
}
