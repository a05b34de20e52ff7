// Messages that stand for many sessions: the count of a storm, and digests.

import { RELEASED } from '../../core/contract/lease.ts';
import {
  createDocument,
  deleteDocument,
  putDocument,
  replaceDocument,
  type Write,
} from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import {
  type DeliveryGroup,
  deliveryGroupType,
  destinationStateType,
  groupMemberType,
  unsentProgress,
} from '../../kits/deliveries/delivery.ts';
import { utcHour } from '../../text/utcPeriod.ts';
import { changeState } from './destinationCircuit.ts';

/** First messages of sessions in an hour. */
const MAX_ROOTS = 20;
/** Sessions that a group names. */
const MAX_NAMED = 20;
/** Between two edits of a count, in milliseconds. */
const EDIT_GAP_MS = 60_000;
/** How long a group is kept, in milliseconds. */
const KEEP_MS = 7 * 24 * 3_600_000;

/**
 * Takes one of the first messages of this hour.
 * @returns whether there was one left. The message of a session that dies before it is sent stays taken.
 * @throws RetryableError when the store fails.
 */
export async function takeRoot(
  destination: string,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'>,
): Promise<boolean> {
  let isTaken = true;
  await changeState(destination, deps, (state, now) => {
    const hour = utcHour(now);
    const roots = state.hour === hour ? state.roots : 0;
    isTaken = roots < MAX_ROOTS;
    return isTaken ? { ...state, hour, roots: roots + 1 } : undefined;
  });
  return isTaken;
}

/** Whether the hour has a first message left, without taking it. @throws RetryableError (store). */
export async function hasRoot(
  destination: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<boolean> {
  const state = await store.get(destinationStateType.paths.destination(destination), destinationStateType);
  return state?.value.hour !== utcHour(clock.now()) || state.value.roots < MAX_ROOTS;
}

/** The group of a session. */
export interface GroupPlace {
  groupId: string;
  kind: 'storm' | 'digest';
  destination: string;
  /** Whether its message is edited while it counts. Otherwise it is sent once, at the end of the period. */
  isEdited: boolean;
  periodMs: number;
  /** When its first message is due. */
  dueAt: Date;
}

/** The group of the period that contains `at`: a storm counts those of an hour. */
export function groupAt(
  {
    kind,
    destination,
    isEdited,
    periodMs,
  }: Pick<GroupPlace, 'kind' | 'destination' | 'isEdited' | 'periodMs'>,
  at: Date,
): GroupPlace {
  const period = Math.floor(at.getTime() / periodMs);
  const groupId =
    kind === 'storm' ? `${destination}.storm.${utcHour(at)}` : `${destination}.digest.${periodMs}.${period}`;
  const dueAt = isEdited ? at : new Date((period + 1) * periodMs);
  return { groupId, kind, destination, isEdited, periodMs, dueAt };
}

/** Stores that a session belongs to a group: before its group is read, so that a later count has it. */
export async function addMember(
  groupId: string,
  sessionId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<void> {
  const createdAt = clock.now();
  const member = { sessionId, expireAt: new Date(createdAt.getTime() + KEEP_MS), createdAt };
  const path = groupMemberType.paths.groupMember(groupId, sessionId);
  await store.commit([putDocument(path, groupMemberType, member)]);
}

/** The write that removes a session from a group that can have been sent without it. */
export const deleteMember = (groupId: string, sessionId: string): Write =>
  deleteDocument(groupMemberType.paths.groupMember(groupId, sessionId), groupMemberType);

/** The sessions of a group: how many, and the first ones. @throws RetryableError when the store fails. */
export async function countMembers(
  groupId: string,
  { sessionIds }: DeliveryGroup,
  { store }: Pick<StateDeps, 'store'>,
): Promise<Pick<DeliveryGroup, 'count' | 'sessionIds'>> {
  const query = { collection: groupMemberType.paths.groupMembers, idPrefix: `${groupId}.` };
  const [count, first] = await Promise.all([
    store.count(query),
    store.list({ ...query, limit: MAX_NAMED }, groupMemberType),
  ]);
  const named = new Set([...sessionIds, ...first.map(({ value }) => value.sessionId)]);
  return { count, sessionIds: [...named].slice(0, MAX_NAMED) };
}

/**
 * The write that lets a group count its members again, after one was added; `none` where a later count is
 * certain: it is begun after the group was read here.
 * @returns undefined for a group whose only message was started: the session belongs to the next one. Clocks
 *   of processes differ, so that a period can have ended for the sender only.
 */
export async function groupWrite(
  { groupId, kind, destination, isEdited, dueAt }: GroupPlace,
  sessionId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Write | 'none' | undefined> {
  const now = clock.now();
  const path = deliveryGroupType.paths.deliveryGroup(groupId);
  const stored = await store.get(path, deliveryGroupType);
  if (stored === undefined) {
    const group: DeliveryGroup = {
      destination,
      kind,
      sessionIds: [sessionId],
      count: 1,
      shown: 0,
      ...RELEASED,
      ...unsentProgress(dueAt),
      expireAt: new Date(now.getTime() + KEEP_MS),
      createdAt: now,
    };
    return createDocument(path, deliveryGroupType, group);
  }
  const { value, version } = stored;
  if (!isEdited && (value.state !== 'pending' || value.firstSentAt !== null)) return undefined;
  const isCounted = value.count > value.shown && value.dueAt !== null;
  if (isCounted || value.state === 'unknown') return 'none';
  const next = new Date(now.getTime() + EDIT_GAP_MS);
  // A refused count is tried again with a further session.
  const progress = value.state === 'failed' ? unsentProgress(next) : { dueAt: value.dueAt ?? next };
  const behind = { ...value, ...progress, count: value.shown + 1 };
  return replaceDocument(path, deliveryGroupType, behind, version);
}
