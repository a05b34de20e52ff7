// Finds the session that a report of a known problem belongs to. Decided by `shared/alerts/incident.ts` from
// the incident and its session.

import { decideIncident } from '../../alerts/incident.ts';
import { type AlertCounts, alertCountsType } from '../../alerts/schema/incident.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import type { Place, ReportedAlert } from '../../kits/alerts/intakeFeature.ts';
import { attachReport } from './attachReport.ts';
import { describeIncidentProblem } from './openIncident.ts';
import { readIncident } from './readIncident.ts';
import type { FollowRules } from './startHeldSession.ts';

/**
 * Finds the session that a report belongs to. Writes nothing.
 * @throws RetryableError when the store fails.
 */
export async function placeReport(
  alert: ReportedAlert,
  { alertPromptBytes }: Pick<FollowRules, 'alertPromptBytes'>,
  deps: AlertDeps,
): Promise<Place> {
  const { incidentKey, key, report, reportedAt, triage, splitOf } = alert;
  const found = await readIncident(incidentKey, deps);
  if (found === UNREADABLE) return { kind: 'unreadable' };
  const { incident, session } = found;
  const isWanted = triage.action === 'investigate';
  const facts = { key, isWanted, reportedAt, splitOf, members: alert.alert.members, now: deps.clock.now() };
  const decision = decideIncident(incident?.value, session?.value, report, facts);
  if (decision.kind === 'wait') return decision;
  const { value: known, version } = incident ?? {};
  if (decision.kind === 'open' || incident === undefined || session === undefined) {
    const again = decision.kind === 'open' ? decision.again : undefined;
    const opening = { incidentKey, known, version, session: session?.value, again };
    return { kind: 'open', problem: describeIncidentProblem(alert, opening, deps) };
  }
  const counts = await readCounts(session.id, deps);
  if (counts === UNREADABLE) {
    const opening = { incidentKey, known, version, session: undefined, again: undefined };
    return { kind: 'open', problem: describeIncidentProblem(alert, opening, deps) };
  }
  const attachment = { incident, session, counts, decision };
  return {
    kind: 'attach',
    attach(options) {
      const rules = { alertPromptBytes, decideDeferral: options.decideDeferral };
      return attachReport(alert, attachment, options, rules, deps);
    },
  };
}

/** The counts of a session's reports; undefined if there is none yet. */
async function readCounts(
  sessionId: string,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<AlertCounts | undefined | typeof UNREADABLE> {
  const consequence = 'reports of its problem do not count for this session';
  const found = await readOrWarn(
    store.get(alertCountsType.paths.alertCounts(sessionId), alertCountsType),
    consequence,
    log,
  );
  return found === UNREADABLE ? UNREADABLE : found?.value;
}
