// Merges a session into a second one at a person's request: its alert and further reports of its problem
// belong to that one, and it ends as cancelled.

import { createHash } from 'node:crypto';
import { composeProblemKey } from '../../alerts/incident.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { correlationPart } from '../../alerts/schema/correlation.ts';
import { type AlertCounts, alertCountsType, incidentType } from '../../alerts/schema/incident.ts';
import { replaceDocument, type Stored, type Write } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { withNotice } from '../../core/kernel/session/noticed.ts';
import { saveSession } from '../../core/kernel/session/replaceSession.ts';
import { cancellationEvent } from '../../core/kernel/session/sessionEvents.ts';
import { CANCELLED } from '../../core/kernel/state/decide.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { finishCancelling } from '../../core/session/cancelSession.ts';
import { endSession } from '../../core/session/endSession.ts';
import { correctJoined } from '../../kits/alerts/fates/reportCounts.ts';
import { fateWrite } from '../../kits/alerts/fates/storeFate.ts';
import { relatedText } from '../../wording/alsoFiring.ts';
import { canBeJoined } from './leadAlerts.ts';
import { noteAlert } from './noteAlert.ts';

/** The most problems that move to the other session: one, and those merged into it before. */
export const MAX_PROBLEMS = 100;

interface Merge {
  /** The session that ends. */
  sessionId: string;
  /** The session that takes its alert. */
  into: string;
  /** Name of the person; stored and shown. */
  by: string;
}

type MergeOutcome =
  | { kind: 'merged' }
  /** An earlier request merged them; nothing was changed. */
  | { kind: 'already_merged' }
  | { kind: 'same_session' }
  | { kind: 'unknown_session'; sessionId: string }
  /** A question opened the session. */
  | { kind: 'no_alert'; sessionId: string }
  /** The session to merge has ended, or is being cancelled. */
  | { kind: 'ended'; status: Session['status'] }
  /** The other session takes no alerts: it has concluded or ended, or waits for a user. */
  | { kind: 'not_open'; status: Session['status'] }
  /** The session has more than `MAX_PROBLEMS` problems. */
  | { kind: 'too_many' };

/**
 * Merges a session into a second one. One batch moves its problems and ends it, on condition that neither
 * session nor a problem has changed. Can be repeated: a later call finishes the work of an earlier one.
 * @throws RetryableError when other writers keep changing them, or the store fails; once it is marked, the
 * sweep ends the session.
 */
export async function mergeSession(merge: Merge, deps: StateDeps): Promise<MergeOutcome> {
  const { sessionId, into } = merge;
  if (sessionId === into) return { kind: 'same_session' };
  return retryLostRaces<MergeOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const merged = await deps.store.get(paths.session(sessionId), sessionType);
    if (merged === undefined) return { kind: 'unknown_session', sessionId };
    const leader = await deps.store.get(paths.session(into), sessionType);
    if (leader === undefined) return { kind: 'unknown_session', sessionId: into };
    const { status, cancellation } = merged.value;
    if (cancellation?.mergedInto === into) {
      await finishMerge(merged.value, leader.value, deps);
      return { kind: 'already_merged' };
    }
    if (isTerminal(status) || status === 'cancelling') return { kind: 'ended', status };
    const without = [merged, leader].find(({ value }) => !hasProblem(value));
    if (without !== undefined) return { kind: 'no_alert', sessionId: without.value.sessionId };
    if (!canBeJoined(leader.value)) return { kind: 'not_open', status: leader.value.status };
    const moves = await movedProblems(merged.value, leader.value, deps);
    if (moves === undefined) return { kind: 'too_many' };
    const counts = await deps.store.get(alertCountsType.paths.alertCounts(into), alertCountsType);
    const now = deps.clock.now();
    const marked: Session = {
      ...merged.value,
      cancellation: { by: merge.by, reason: `merged into session ${into}`, at: now, mergedInto: into },
    };
    const others = [
      ...takenWrites(marked, { leader, counts }, merge.by, now, deps),
      ...moves,
      ...cancellationEvent(marked),
    ];
    await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
    const { ok } =
      status === 'deferred'
        ? await endSession({ ...merged, value: marked }, CANCELLED, deps, others)
        : await saveSession(merged, { ...marked, status: 'cancelling' }, others, deps);
    if (!ok) return RACE_LOST;
    await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
    await finishMerge(marked, leader.value, deps);
    return { kind: 'merged' };
  });
}

/** A fork has the alert of its source, and is not a session of the problem. */
const hasProblem = (session: Session): boolean =>
  readSessionAlert(session) !== null && session.kind !== 'fork';

/** Identifies the fate of the alert of a session that was merged. */
export const mergeKey = (sessionId: string): string =>
  createHash('sha256').update(`merge ${sessionId}`).digest('hex');

/** Gives the alert to agents of later stages, and ends the merged session. Idempotent. */
async function finishMerge(merged: Session, leader: Session, deps: StateDeps): Promise<void> {
  const { sessionId, currentStageId } = merged;
  const alert = readSessionAlert(merged);
  const { sessionId: into, tenantId, expireAt } = leader;
  const correlation = readPart(correlationPart, leader)?.keys;
  if (alert !== null && correlation !== undefined)
    await noteAlert({ sessionId: into, tenantId, expireAt, alert }, correlation, deps);
  const stored = await deps.store.get(paths.session(sessionId), sessionType);
  if (stored === undefined || isTerminal(stored.value.status)) return;
  await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
  await finishCancelling({ sessionId, currentStageId }, deps);
}

/**
 * The event, the count and the entry in the list of alerts of the session that takes the alert. They fail if
 * that session has changed.
 */
function takenWrites(
  merged: Session,
  { leader, counts }: { leader: Stored<Session>; counts: Stored<AlertCounts> | undefined },
  by: string,
  now: Date,
  deps: Pick<StateDeps, 'stageFeatures'>,
): Write[] {
  const { sessionId, tenantId, createdAt } = merged;
  const alert = readSessionAlert(merged);
  if (alert === null) return [];
  const at = readPart(correlationPart, merged)?.keys?.at ?? createdAt;
  const entry = { ...alert, at };
  const content = `${by} merges session ${sessionId} into this one. Its alert joins, ${alert.status}: ${relatedText(entry)}`;
  const notice = { code: 'alert_joined', subject: by, content } as const;
  const { replaced, event } = withNotice(leader, leader.value, notice, now, deps);
  const fate = fateWrite(
    {
      key: mergeKey(sessionId),
      tenantId,
      messageId: sessionId,
      at,
      problem: composeProblemKey(alert),
      title: alert.title,
      source: alert.source,
      severity: alert.severity,
      state: alert.status,
      outcome: 'joined',
      by: 'merge',
      subject: by,
      place: null,
      sessionId: leader.value.sessionId,
      reason: `${by} merged session ${sessionId}, which it had opened, into this one`,
    },
    now,
  );
  return [replaced, event, correctJoined(leader.value, counts, { joined: 1, events: 0 }, now), fate];
}

/**
 * The writes that make the other session that of all problems of this one. They fail if a problem has
 * changed. Undefined for more than `MAX_PROBLEMS`. A leader stays as it is: who reads it follows the merge.
 */
async function movedProblems(
  { sessionId }: Session,
  { sessionId: into, expireAt }: Session,
  { store }: StateDeps,
): Promise<Write[] | undefined> {
  const query = {
    collection: incidentType.paths.incidents,
    field: 'sessionId',
    oneOf: [sessionId],
    limit: MAX_PROBLEMS + 1,
  };
  const keys = await store.listIds(query);
  if (keys.length > MAX_PROBLEMS) return undefined;
  const moved = keys.map(async (key) => {
    const incident = await store.get(incidentType.paths.incident(key), incidentType);
    if (incident?.value.sessionId !== sessionId) return [];
    const { value, version } = incident;
    const change = { sessionId: into, merged: true, stopped: false, opening: null };
    const kept = { expireAt: new Date(Math.max(value.expireAt.getTime(), expireAt.getTime())) };
    return [replaceDocument(incident.path, incidentType, { ...value, ...change, ...kept }, version)];
  });
  return (await Promise.all(moved)).flat();
}
