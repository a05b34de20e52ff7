// The cool-down: how long further reports of a problem join its session before one opens the next. Pure.

import { DEFAULT_INCIDENT_RULES, type IncidentRules } from '../core/schema/agent.ts';
import { isTerminal } from '../core/schema/common.ts';
import type { Session } from '../core/schema/session.ts';
import { toLineShape } from '../text/largeText/errorShape.ts';
import { isInvestigated } from './fields/status.ts';
import type { Alert, AlertMember } from './schema/alert.ts';
import { readSessionAlert } from './schema/alert.ts';
import type { Incident } from './schema/incident.ts';

/** The facts of a session that decide about reports of its problem. */
export type IncidentSession = Pick<
  Session,
  'status' | 'deferral' | 'createdAt' | 'endedAt' | 'chain' | 'conclusion' | 'parts' | 'finalAnalysis'
>;

/**
 * Why a session is opened although the problem was not resolved since the one before: `retry` when that one
 * ended without an analysis, `reinvestigate` when it is long ago.
 */
export type OpenedAgain = 'retry' | 'reinvestigate';

/** Sessions in a row that are opened after the cool-down because the one before ended without an analysis. */
const MAX_RETRIES = 2;

/** The rules of a session's chain. */
export function chooseIncidentRules({ incident }: IncidentSession['chain']): IncidentRules {
  return incident ?? DEFAULT_INCIDENT_RULES;
}

/** How long an ended or waiting session takes firing reports, and why the next one is opened then. */
export function computeReopening(
  incident: Incident,
  session: IncidentSession,
  members: readonly AlertMember[],
): { waitMs: number; again?: OpenedAgain } {
  const { coolDownMs, reinvestigateAfterMs } = chooseIncidentRules(session.chain);
  if (wasResolved(incident) || hasNewMember(readSessionAlert(session), members))
    return { waitMs: coolDownMs };
  if (!isTerminal(session.status)) {
    // Sessions of older code that a budget deferred wait for a user.
    return { waitMs: session.deferral?.reason === 'own_alert' ? reinvestigateAfterMs : coolDownMs };
  }
  const isFailed = session.finalAnalysis === null && session.status !== 'cancelled';
  if (isFailed && incident.retries < MAX_RETRIES) return { waitMs: coolDownMs, again: 'retry' };
  return { waitMs: Math.max(coolDownMs, reinvestigateAfterMs), again: 'reinvestigate' };
}

/** Whether the problem was resolved after it had fired for its session. */
function wasResolved({ resolvedAt, since }: Incident): boolean {
  return resolvedAt !== null && (since === null || resolvedAt >= since);
}

/**
 * Whether a group has an alert of a kind that its session was not opened with. A pod that replaces another
 * pod is no new kind: titles that differ only in numbers and ids count as equal.
 */
function hasNewMember(alert: Alert | null, members: readonly AlertMember[]): boolean {
  if (alert === null) return false;
  const known = [alert, ...alert.members].map(({ title }) => reduceAlertTitle(title));
  const fires = members.filter(({ status }) => isInvestigated(status));
  return fires.some(({ title }) => !known.some((one) => one.includes(reduceAlertTitle(title))));
}

/** The random end of a pod's name, in the letters that Kubernetes uses for it. */
const POD_SUFFIX = /(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5,10}(?![\p{L}\p{N}])/gu;

const reduceAlertTitle = (title: string): string => toLineShape(title.replace(POD_SUFFIX, '0'));
