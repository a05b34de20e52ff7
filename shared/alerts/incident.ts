// Decides about a report of a known problem: it opens a session, or belongs to the existing one. Pure:
// depends on the incident's document, its session and the report.

import { createHash } from 'node:crypto';
import { isHeld } from '../core/contract/lease.ts';
import { isTerminal } from '../core/schema/common.ts';
import { chooseIncidentRules, computeReopening, type IncidentSession, type OpenedAgain } from './coolDown.ts';
import { isInvestigated } from './fields/status.ts';
import type { Alert, AlertMember } from './schema/alert.ts';
import type { Incident } from './schema/incident.ts';
import { readWaitedBudgets } from './schema/waitedBudgets.ts';

/** The report of one message about an incident. */
export interface AlertReport {
  /** The state that the message reports. */
  kind: 'firing' | 'resolved' | 'acknowledged';
  /** When this was the state at the source, else when the message was published. */
  at: Date;
}

/** The decision about a report. */
export type IncidentDecision =
  /** It opens a session. `again` is absent for a new problem, and for one that was resolved in between. */
  | { kind: 'open'; again?: OpenedAgain }
  /** Another delivery is opening the session. */
  | { kind: 'wait' }
  /** It belongs to the session. `incident` includes the report; `isNews` is whether the report changes it. */
  | { kind: 'attach'; incident: Incident; isNews: boolean };

type FollowUp = 'none' | 'start' | 'hold' | 'stop' | 'finish_stop';

/** How far the clock of a source can be ahead of ours; a time that is further ahead is wrong. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * The key of an alert's incident: of its tenant, source, identity and the chain that its message names.
 * Undefined for one without an identity, for a test, and for one whose identity holds a secret: its marks
 * differ from message to message.
 */
export function composeIncidentKey(
  { source, identity, status }: Pick<Alert, 'source' | 'identity' | 'status'>,
  { tenantId, chain }: { tenantId: string; chain: string | null },
): string | undefined {
  if (identity === null || status === 'test' || identity.includes('[masked:')) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([tenantId, source, identity, chain]))
    .digest('hex');
}

/** Identifies the problem of an alert at its source, for any chain and tenant; null without an identity. */
export function composeProblemKey({ source, identity }: Pick<Alert, 'source' | 'identity'>): string | null {
  if (identity === null || identity.includes('[masked:')) return null;
  return createHash('sha256')
    .update(JSON.stringify([source, identity]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * The report of an alert and its time. A firing alert has its start, a resolved one its end, if the source
 * gives it.
 * @param times.endedAt when the problem ended, according to the source; null if unknown.
 * @param times.publishedAt when Pub/Sub took the message; null when that is not known.
 */
export function toIncidentReport(
  { status, startedAt }: Pick<Alert, 'status' | 'startedAt'>,
  { endedAt, publishedAt, now }: { endedAt: Date | null; publishedAt: Date | null; now: Date },
): AlertReport {
  const kind = isInvestigated(status) ? 'firing' : status === 'resolved' ? 'resolved' : 'acknowledged';
  const taken = publishedAt ?? now;
  const start = plausibleTime(startedAt, now);
  if (kind === 'firing') return { kind, at: start ?? taken };
  if (kind === 'acknowledged') return { kind, at: taken };
  // A problem cannot end before it starts.
  return { kind, at: plausibleTime(endedAt, now) ?? laterTime(taken, start) };
}

function plausibleTime(time: Date | null, now: Date): Date | null {
  return time !== null && time.getTime() > now.getTime() + MAX_AHEAD_MS ? null : time;
}

/** The facts that decide about a report, beside stored documents. */
interface ReportFacts {
  /** The key of the alert, by which a delivery recognises the claim of an earlier delivery of the message. */
  key: string;
  /** The time of the decision. */
  now: Date;
  /** Whether the rules let a firing alert be investigated. Default: true. */
  isWanted?: boolean;
  /** When the source reported it, which can be long before `now`. Default: `now`. */
  reportedAt?: Date;
  /** The alerts of the reported group. Default: none. */
  members?: readonly AlertMember[];
  /** The session out of which a person took the alert. Default: none. */
  splitOf?: string | null;
}

/**
 * Whether a report opens a session or belongs to the one there is.
 * @param incident undefined when there is none.
 * @param session the incident's; undefined when there is none, or when it was deleted.
 */
export function decideIncident(
  incident: Incident | undefined,
  session: IncidentSession | undefined,
  report: AlertReport,
  { key, now, isWanted = true, reportedAt = now, members = [], splitOf = null }: ReportFacts,
): IncidentDecision {
  const { opening } = incident ?? { opening: null };
  if (opening?.key !== key && isHeld(opening, now)) return { kind: 'wait' };
  if (incident === undefined || session === undefined) return { kind: 'open' };
  // A problem that has an open session of its own keeps it.
  if (splitOf !== null && (incident.sessionId === splitOf || !isIncidentOpen(session)))
    return { kind: 'open' };
  const known = { ...addIncidentReport(incident, report), alone: incident.alone || splitOf !== null };
  const attached: IncidentDecision = {
    kind: 'attach',
    incident: known,
    isNews: splitOf !== null || !hasEqualTimes(known, incident),
  };
  // A resolved or acknowledged report never needs a session of its own.
  if (report.kind !== 'firing') return attached;
  if (incident.stopped) return isNewer(report, incident.resolvedAt) ? { kind: 'open' } : attached;
  if (isIncidentOpen(session)) return attached;
  // The state of another problem does not decide about a merged one.
  if (incident.merged && (!isTerminal(session.status) || session.status === 'cancelled'))
    return { kind: 'open' };
  // Until rules change or windows close, its reports need no further session; then it is investigated.
  if (isRecorded(session)) return isWanted ? { kind: 'open' } : attached;
  // A session that was not investigated because its alert was resolved starts when the alert fires again.
  if (isHeldBack(session) && known.firing) return isWanted ? attached : { kind: 'open' };
  const { waitMs, ...opened } = computeReopening(known, session, members);
  const since = (session.endedAt ?? session.createdAt).getTime();
  return reportedAt.getTime() < since + waitMs ? attached : { kind: 'open', ...opened };
}

/** The change that an incident requires of its session. */
export function decideFollowUp(incident: Incident, session: IncidentSession): FollowUp {
  const { status, conclusion, chain } = session;
  // The session is that of another problem.
  if (incident.merged) return 'none';
  if (status === 'cancelling') return incident.stopped ? 'finish_stop' : 'none';
  if (isHeldBack(session)) return incident.firing ? 'start' : 'none';
  if (incident.firing) return 'none';
  if (isIncidentWaiting(session)) return isIncidentOver(incident) ? 'hold' : 'none';
  // A person wanted the investigation of a problem that did not fire.
  if (incident.firingAt === null) return 'none';
  // All that is left of a concluded one is its summary.
  const isStopped = status === 'in_progress' && conclusion === null && isIncidentOver(incident);
  return isStopped && chooseIncidentRules(chain).onResolved === 'stop' ? 'stop' : 'none';
}

/**
 * The state of an incident after the report that opens a session.
 * @param known the state before it. Undefined: there was none.
 */
export function firstReport(
  { kind, at }: AlertReport,
  known: Pick<Incident, 'firing' | 'firesSince'> | undefined,
): Pick<Incident, 'firing' | 'firingAt' | 'resolvedAt' | 'firesSince' | 'since'> {
  const firingAt = kind === 'firing' ? at : null;
  // A problem that is investigated again has fired since its first session.
  const before = known?.firing ? known.firesSince : null;
  return {
    firing: kind === 'firing',
    firingAt,
    firesSince: firingAt === null || before === null || before > firingAt ? firingAt : before,
    since: firingAt,
    resolvedAt: kind === 'resolved' ? at : null,
  };
}

/** The state of an incident after another report. Reports can come in any order. */
function addIncidentReport(incident: Incident, { kind, at }: AlertReport): Incident {
  const { firingAt, resolvedAt } = incident;
  if (kind === 'acknowledged') return incident;
  const { firesSince } = incident;
  if (kind === 'firing') {
    const isCurrent = isNewer({ at }, resolvedAt);
    const isStart = isCurrent && (!incident.firing || firesSince === null || at < firesSince);
    const firing = incident.firing || isCurrent;
    return { ...incident, firing, firingAt: laterTime(at, firingAt), firesSince: isStart ? at : firesSince };
  }
  const firing = incident.firing && !isNewer({ at }, firingAt);
  // It was resolved in between, and the report of that came later than the report that it fires again.
  const isLate = firing && isNewer({ at }, firesSince);
  return {
    ...incident,
    firing,
    resolvedAt: laterTime(at, resolvedAt),
    firesSince: isLate ? firingAt : firesSince,
  };
}

/** Reports of both states within this time can be taken at once: each write has to meet the other. */
const FLAPPING_MS = 10_000;

/**
 * Whether a change only moves the latest start within its two seconds. In a storm of a source without start
 * times each report would change the document. Three do at its start, so that a second would be too short.
 * Resolutions are always written: a start that is taken at the same time would hide one that was not.
 */
export function isWithinTwoSeconds(before: Incident, after: Incident): boolean {
  const { firing, firingAt, resolvedAt } = after;
  if (!firing) return false;
  if (firingAt && resolvedAt && Math.abs(firingAt.getTime() - resolvedAt.getTime()) < FLAPPING_MS)
    return false;
  const steps = ({ firingAt, resolvedAt }: Incident) =>
    [firingAt, resolvedAt].map((time) => time && Math.floor(time.getTime() / 2000)).join();
  return before.firing === after.firing && steps(before) === steps(after);
}

/** Of two reports of the same time the later delivery counts. */
function isNewer({ at }: Pick<AlertReport, 'at'>, than: Date | null): boolean {
  return than === null || at >= than;
}

function laterTime(one: Date, other: Date | null): Date {
  return other === null || one > other ? one : other;
}

function hasEqualTimes(one: Incident, other: Incident): boolean {
  const times = ({ firingAt, resolvedAt, firesSince }: Incident) =>
    [firingAt, resolvedAt, firesSince].map((time) => time?.getTime()).join();
  return one.firing === other.firing && times(one) === times(other);
}

/** Whether the latest known state is resolved. */
function isIncidentOver({ firing, resolvedAt }: Incident): boolean {
  return !firing && resolvedAt !== null;
}

function isIncidentOpen(session: IncidentSession): boolean {
  return session.status === 'deferred' ? isIncidentWaiting(session) : !isTerminal(session.status);
}

/** Whether a session starts without a user: after its settle window, or when its budget has room. */
function isIncidentWaiting(session: IncidentSession): boolean {
  if (session.status !== 'deferred') return false;
  return session.deferral?.reason === 'settling' || readWaitedBudgets(session) !== null;
}

/** Whether a session was not started because a rule records its alert. */
function isRecorded({ status, deferral }: IncidentSession): boolean {
  return status === 'deferred' && (deferral?.reason === 'triage' || deferral?.reason === 'watchdog');
}

/** Whether a session was not started because its alert did not fire. */
function isHeldBack({ status, deferral }: IncidentSession): boolean {
  if (status !== 'deferred') return false;
  return deferral?.reason === 'resolved' || deferral?.reason === 'acknowledged';
}
