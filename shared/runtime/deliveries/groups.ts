// Messages that stand for many sessions: the count of a storm, and digests.

import { createDocument, replaceDocument, type Stored, type Write } from '../../contract/store.ts';
import { deliveryGroupType, paths } from '../../schema/documents.ts';
import { type DeliveryGroup, unsentProgress } from '../../schema/features/delivery.ts';
import { hourOf } from '../../text/utcPeriod.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { changeState } from './circuit.ts';

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
    const hour = hourOf(now);
    const roots = state.hour === hour ? state.roots : 0;
    isTaken = roots < MAX_ROOTS;
    return isTaken ? { ...state, hour, roots: roots + 1 } : undefined;
  });
  return isTaken;
}

/** The group of a session. */
export interface GroupPlace {
  groupId: string;
  kind: DeliveryGroup['kind'];
  destination: string;
  /** When its first message is due. */
  dueAt: Date;
}

/** The group of a storm: one for each hour, whose message is due at once. */
export function stormOf(destination: string, now: Date): GroupPlace {
  return { groupId: `${destination}.storm.${hourOf(now)}`, kind: 'storm', destination, dueAt: now };
}

/** The digest of the period that contains `now`; its message is due at the end of the period. */
export function digestOf(destination: string, periodMs: number, now: Date): GroupPlace {
  const period = Math.floor(now.getTime() / periodMs);
  const dueAt = new Date((period + 1) * periodMs);
  return { groupId: `${destination}.digest.${periodMs}.${period}`, kind: 'digest', destination, dueAt };
}

/** The write that adds a session to its group. */
export async function groupWrite(
  { groupId, kind, destination, dueAt }: GroupPlace,
  sessionId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Write> {
  const now = clock.now();
  const path = paths.deliveryGroup(groupId);
  const stored = await store.get(path, deliveryGroupType);
  if (stored === undefined) {
    const held = { holder: null, heldUntil: null };
    const group: DeliveryGroup = {
      destination,
      kind,
      sessionIds: [sessionId],
      count: 1,
      shown: 0,
      ...held,
      ...unsentProgress(dueAt),
      expireAt: new Date(now.getTime() + KEEP_MS),
      createdAt: now,
    };
    return createDocument(path, deliveryGroupType, group);
  }
  return replaceDocument(path, deliveryGroupType, withSession(stored, sessionId, now), stored.version);
}

function withSession({ value }: Stored<DeliveryGroup>, sessionId: string, now: Date): DeliveryGroup {
  const sessionIds = [...value.sessionIds, sessionId].slice(0, MAX_NAMED);
  const isShown = value.state === 'sent' && value.kind === 'storm';
  const dueAt = isShown && value.dueAt === null ? new Date(now.getTime() + EDIT_GAP_MS) : value.dueAt;
  return { ...value, sessionIds, count: value.count + 1, dueAt };
}
