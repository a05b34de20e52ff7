// Incidents: reports of a known problem belong to its session, and a resolved alert can stop or hold it.

import { decideIncident } from '../../alerts/incident.ts';
import { type AlertCounts, alertCountsType } from '../../alerts/schema/incident.ts';
import { reinvestigationPart } from '../../alerts/schema/reinvestigation.ts';
import type { Stored } from '../../core/contract/store.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import type { AdmittedAlert } from '../../kits/alerts/alert.ts';
import type { AddedContext, IntakeFeature, Place, ReportedAlert } from '../../kits/alerts/intakeFeature.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { forPrompt, isConfirmed } from '../../search/trust.ts';
import { limitText } from '../../text/limitText.ts';
import { attachReport } from './attachReport.ts';
import { describeIncidentProblem } from './openIncident.ts';
import { readIncident } from './readIncident.ts';
import type { FollowRules } from './startHeldSession.ts';

/** UTF-8 bytes of the earlier analysis, in the session's document and each agent's first message. */
const MAX_TEXT_BYTES = 32_000;
const NOTHING: AddedContext = { change: {}, notice: null };

/** Places the reports of a problem, and refers a new session to the earlier one. */
export const INCIDENTS: IntakeFeature = {
  place: placeReport,
  addContext: (alert, _, deps) => referToEarlier(alert, deps),
};

/**
 * Finds the session that a report belongs to. Writes nothing.
 * @throws RetryableError when the store fails.
 */
async function placeReport(
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
): Promise<Stored<AlertCounts> | undefined | typeof UNREADABLE> {
  const consequence = 'reports of its problem do not count for this session';
  return await readOrWarn(
    store.get(alertCountsType.paths.alertCounts(sessionId), alertCountsType),
    consequence,
    log,
  );
}

/**
 * The reference of a new session to the earlier one of its problem; nothing for one that has not ended, or
 * without one. Only an analysis that a person confirmed is part of it.
 * @throws RetryableError when the store fails.
 */
async function referToEarlier(
  { problem, masker }: AdmittedAlert,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<AddedContext> {
  const before = problem?.again ?? null;
  if (before === null) return NOTHING;
  const { sessionId, status, endedAt, finalAnalysis } = before;
  if (!isTerminal(status) || endedAt === null) return NOTHING;
  const isAnalysis = finalAnalysis !== null;
  const text = limitText(isAnalysis ? await confirmedText(before, deps) : '', MAX_TEXT_BYTES).content;
  // The rules of masking can have changed since the text was stored.
  const masked = text === '' ? null : cleanText(masker, text).text;
  const reference =
    text === ''
      ? 'No person confirmed the analysis of that session: agents do not see it.'
      : 'Agents see its analysis.';
  const why = isAnalysis
    ? `The problem still fires and was not resolved since session ${sessionId}: it is investigated again. ${reference}`
    : `Session ${sessionId} ended as ${status} without an analysis, and the problem still fires: it is investigated again.`;
  return {
    change: withPart(reinvestigationPart, NO_PARTS, { sessionId, endedAt, isAnalysis, text: masked }),
    notice: { code: 'reinvestigation', subject: sessionId, content: why },
  };
}

/** The analysis as prompts can hold it; empty without a review that confirmed it. */
async function confirmedText(
  { tenantId, sessionId }: Session,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<string> {
  const path = knowledgeType.paths.knowledgeEntry(tenantId, sessionEntryKey(sessionId));
  const stored = await readOrWarn(store.get(path, knowledgeType), 'the analysis counts as unreviewed', log);
  if (stored === undefined || stored === UNREADABLE || !isConfirmed(stored.value)) return '';
  return forPrompt(stored.value).text;
}
