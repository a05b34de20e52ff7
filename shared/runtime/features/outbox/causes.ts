// The messages that a batch causes, derived from its documents. Pure.

import type { Write } from '../../../contract/store.ts';
import { isTerminal } from '../../../schema/common.ts';
import { timelineEventType } from '../../../schema/documents.ts';
import type { Approval } from '../../../schema/features/approval.ts';
import { isCheckDelivered } from '../../../schema/features/check.ts';
import type { Notify } from '../../../schema/features/delivery.ts';
import type { Outcome } from '../../../schema/features/outcome.ts';
import { NOT_CHECKED } from '../../../schema/features/verdict.ts';
import { numberedId } from '../../../schema/ids.ts';
import type { Session } from '../../../schema/session.ts';
import { isAfterEnd, type Stage } from '../../../schema/stage.ts';
import type { TimelineEvent } from '../../../schema/timelineEvent.ts';

/** A message that a batch causes, for each destination that wants its event. */
export interface Cause {
  /** The event of the message. */
  event: string;
  /** With the event, unique in a session. */
  key: string;
  /** The event of `when` that switches it on. */
  wanted: string;
}

/** The documents of a batch that can cause messages. */
interface CausingDocuments {
  /** The session, if the batch writes it. */
  session: Session | undefined;
  /** Whether the batch creates it. */
  isNew: boolean;
  /** The stages that the batch creates. */
  stages: Stage[];
  approvals: Approval[];
  /** The questions of agents to people that the batch creates. */
  asked: EventOfAction[];
  /** The outcome, if the batch ends a check of it. */
  outcome: Outcome | undefined;
  /** The stages of questions that the batch ends. */
  endedQuestions: Stage[];
}

type EventOfAction = Extract<TimelineEvent, { eventType: 'action' }>;

/** Finds the documents. Batches write at most one session. */
export function causingDocuments(writes: readonly Write[]): CausingDocuments {
  const ofType = (name: string) => writes.filter(({ op, type }) => op !== 'delete' && type.name === name);
  const [session] = ofType('session');
  return {
    session: session?.value as Session | undefined,
    isNew: session?.op === 'create',
    stages: ofType('stage').flatMap(({ op, value }) => (op === 'create' ? [value as Stage] : [])),
    approvals: ofType('approval').map(({ value }) => value as Approval),
    asked: ofType(timelineEventType.name)
      .map(({ value }) => value as TimelineEvent)
      .filter((event) => event.eventType === 'action')
      .filter(({ metadata }) => metadata.actionType === 'elicit'),
    outcome: ofType('outcome').map(({ value }) => value as Outcome)[0],
    endedQuestions: ofType('stage')
      .map(({ value }) => value as Stage)
      .filter(({ kind, status }) => kind === 'chat' && isTerminal(status)),
  };
}

/** The messages about the start and the progress of a session. A new stage is stored once. */
export function causesOfStart({ session, isNew, stages }: CausingDocuments): Cause[] {
  // A check is reported when it ends, if at all.
  if (session === undefined || session.check !== null) return [];
  if (isNew && session.status === 'deferred') return [{ event: 'deferred', key: '1', wanted: 'deferred' }];
  return stages.flatMap((stage): Cause[] => {
    const { index, kind, stageId } = stage;
    if (isAfterEnd(stage)) return [];
    return index === 1 && kind === 'investigation'
      ? [{ event: 'opened', key: '1', wanted: 'opened' }]
      : [{ event: 'progress', key: stageId, wanted: 'opened' }];
  });
}

/**
 * The messages about the end of a session; empty while it runs. Later batches write an ended session, too: the caller looks
 * whether they exist.
 */
export function causesOfEnd({ status, check }: Session): Cause[] {
  if (!isTerminal(status) || (check !== null && !isCheckDelivered(check, status))) return [];
  const wanted = status === 'completed' ? 'ended' : 'failed';
  return [
    { event: wanted, key: '1', wanted },
    { event: 'details', key: '1', wanted },
  ];
}

/** The messages about an approval, which is stored when it is requested and when it is decided. */
export function causesOfApproval({ approvalId, status }: Approval): Cause[] {
  const event = status === 'pending' ? 'approval' : 'decided';
  return [
    { event, key: approvalId, wanted: 'approval' },
    { event: 'progress', key: `${event}-${approvalId}`, wanted: 'opened' },
  ];
}

/** The message about a question to people: at the destinations that get requests for approval. */
export function causesOfQuestion({ executionId, sequenceNumber }: EventOfAction): Cause[] {
  return [{ event: 'asked', key: numberedId(executionId ?? '', sequenceNumber), wanted: 'approval' }];
}

/**
 * The message about the outcome: when it is first known, when it changes, and after the last check if it never was. A value is
 * reported once; the caller looks whether its message exists.
 */
export function causesOfOutcome({ value, checks, dueAt }: Outcome): Cause[] {
  const isChecked = checks.length > 0 && checks.every(({ endedAt }) => endedAt !== null);
  if (value === null || !isChecked || (value === 'unknown' && dueAt !== null)) return [];
  return [{ event: 'outcome', key: value, wanted: 'outcome' }];
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
  { verdict }: Pick<Session, 'verdict'>,
): Cause[] {
  const isWanted = wantedVerdicts?.includes(verdict?.value ?? NOT_CHECKED) ?? true;
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
