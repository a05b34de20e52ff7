// The messages that a change causes, derived from its documents. Pure.

import { createHash } from 'node:crypto';
import { checkPart, isCheckDelivered, withCheckResult } from '../../../alerts/schema/sessionCheck.ts';
import type { Notify } from '../../../config/notified.ts';
import type { Approval } from '../../../core/schema/approval.ts';
import { isTerminal } from '../../../core/schema/common.ts';
import { numberedId } from '../../../core/schema/ids.ts';
import { readPart, type WithParts } from '../../../core/schema/parts.ts';
import type { Session } from '../../../core/schema/session.ts';
import { isAfterEnd } from '../../../core/schema/stage.ts';
import type { TimelineEvent } from '../../../core/schema/timelineEvent.ts';
import { NOT_CHECKED, verdictPart } from '../../../evidence/schema/verdict.ts';
import type { AnnouncedByFeatures } from '../../../kits/alerts/announced.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';

/** A message that a change causes, for each destination that wants its event. */
export interface Cause {
  /** The event of the message. */
  event: string;
  /** With the event, unique in a session. */
  key: string;
  /** The event of `when` that switches it on. */
  wanted: string;
}

/**
 * The messages that a change causes. The session is that of the change, even if the change does not write it.
 */
export function causesOf(before: AnnouncedByFeatures, after: AnnouncedByFeatures): Cause[] {
  const { session, approvals = [], events = [], outcome } = after;
  const isDecided = ({ approvalId, status }: Approval) =>
    !before.approvals?.some((one) => one.approvalId === approvalId && one.status === status);
  return [
    ...causesOfStart(before, after),
    ...approvals.filter(isDecided).flatMap(causesOfApproval),
    ...events.flatMap(causesOfQuestion),
    ...(outcome === undefined ? [] : causesOfOutcome(outcome)),
    ...causesOfProblem(before, after),
    ...(session === undefined ? [] : causesOfEnd(session)),
  ];
}

/** The messages about the start and the progress of a session. A new stage is stored once. */
function causesOfStart(before: AnnouncedByFeatures, { session, stages = [] }: AnnouncedByFeatures): Cause[] {
  // A check is reported when it ends, if at all.
  if (session === undefined || readPart(checkPart, session) !== undefined) return [];
  if (before.session === undefined && session.status === 'deferred')
    return [{ event: 'deferred', key: '1', wanted: 'deferred' }];
  return stages.flatMap((stage): Cause[] => {
    const { index, kind, stageId } = stage;
    const isNew = !before.stages?.some((one) => one.stageId === stageId);
    if (!isNew || isAfterEnd(stage)) return [];
    return index === 1 && kind === 'investigation'
      ? [{ event: 'opened', key: '1', wanted: 'opened' }]
      : [{ event: 'progress', key: stageId, wanted: 'opened' }];
  });
}

/**
 * The messages about the end of a session; empty while it runs. Later batches write an ended session, too:
 * the caller looks whether they exist.
 */
export function causesOfEnd(session: Session): Cause[] {
  const { status } = session;
  const check = withCheckResult(session);
  if (!isTerminal(status) || (check !== undefined && !isCheckDelivered(check, status))) return [];
  const wanted = status === 'completed' ? 'ended' : 'failed';
  return [
    { event: wanted, key: '1', wanted },
    { event: 'details', key: '1', wanted },
  ];
}

/** The messages about an approval, which is stored when it is requested and when it is decided. */
function causesOfApproval({ approvalId, status }: Approval): Cause[] {
  const event = status === 'pending' ? 'approval' : 'decided';
  return [
    { event, key: approvalId, wanted: 'approval' },
    { event: 'progress', key: `${event}-${approvalId}`, wanted: 'opened' },
  ];
}

/** The message about a question of an agent to people: at the destinations that get requests for approval. */
function causesOfQuestion(event: TimelineEvent): Cause[] {
  if (event.eventType !== 'action' || event.metadata.actionType !== 'elicit') return [];
  const { executionId, sequenceNumber } = event;
  return [{ event: 'asked', key: numberedId(executionId ?? '', sequenceNumber), wanted: 'approval' }];
}

/**
 * The message about the outcome: when it is first known, when it changes, and after the last check if it
 * never was. A value is reported once; the caller looks whether its message exists.
 */
function causesOfOutcome({ value, checks, dueAt }: Outcome): Cause[] {
  const isChecked = checks.length > 0 && checks.every(({ endedAt }) => endedAt !== null);
  if (value === null || !isChecked || (value === 'unknown' && dueAt !== null)) return [];
  return [{ event: 'outcome', key: value, wanted: 'outcome' }];
}

/**
 * The message about a problem that is over, or fires again. A problem that moves to another session causes
 * none.
 */
function causesOfProblem(
  { incident: before }: AnnouncedByFeatures,
  { incident: after }: AnnouncedByFeatures,
): Cause[] {
  if (before === undefined || after === undefined) return [];
  const { sessionId, firing, resolvedAt } = after.value;
  // What was never resolved can only start to fire, which opens or starts its session.
  if (sessionId === null || resolvedAt === null) return [];
  if (before.value.sessionId !== sessionId || before.value.firing === firing) return [];
  // Each version is replaced once, so that no other batch has the same key.
  const key = createHash('sha256').update(`${before.path} ${before.version}`).digest('hex').slice(0, 20);
  return [{ event: firing ? 'progress' : 'resolved', key, wanted: 'resolved' }];
}

/** Lets the first message show the end of a session whose verdict gets no message of its own. */
const QUIET_END: Cause = { event: 'progress', key: 'end', wanted: 'opened' };

/** Whether a message is one of those about the end of a session, which are stored together. */
export function isOfEnd({ event, key }: Pick<Cause, 'event' | 'key'>): boolean {
  return ['ended', 'failed', 'details'].includes(event) || key === QUIET_END.key;
}

/** The events that a first message can have. */
const FIRST = ['opened', 'ended', 'failed', 'deferred', 'resolved'];

/** The causes that a destination wants. Messages about a completed session depend on its verdict. */
export function wantedCauses(
  { when, verdict: wantedVerdicts }: Notify,
  causes: readonly Cause[],
  session: WithParts,
): Cause[] {
  const verdict = readPart(verdictPart, session)?.value ?? NOT_CHECKED;
  const isWanted = wantedVerdicts?.includes(verdict) ?? true;
  return causes.flatMap((cause) => {
    const { event, key, wanted } = cause;
    if (wanted === 'resolved') {
      if (isWanted && when.includes(wanted)) return [cause];
      // An edit informs no one, and keeps what is shown true.
      return when.some((one) => FIRST.includes(one)) ? [{ event: 'progress', key, wanted }] : [];
    }
    if (!when.includes(wanted)) return [];
    if (isWanted || wanted !== 'ended') return [cause];
    return event === 'ended' && when.includes(QUIET_END.wanted) ? [QUIET_END] : [];
  });
}
