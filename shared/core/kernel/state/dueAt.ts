// Computes when an execution is overdue, so that the sweep finds it by a query on `due`. Pure.

import { createHash } from 'node:crypto';
import { isTerminal } from '../../schema/common.ts';
import { DUE_BUCKETS, type Execution } from '../../schema/execution.ts';
import { isParked } from './decide.ts';

/** Published messages are delivered within seconds; one without a write within a minute counts as lost. */
export const LOST_MESSAGE_MS = 60_000;
/** That minute can end earlier by less than this, so that few writes of an execution change the time. */
const PRECISION_MS = 30_000;

type Ids = Pick<Execution, 'sessionId' | 'executionId'>;
/** The fields that `computeDue` reads. */
type DueState = Ids &
  Pick<Execution, 'status' | 'lease' | 'notBefore' | 'outage' | 'waitingSince' | 'pendingCalls' | 'deadline'>;

/** `due` of an execution with the time at which it is overdue; null for never. */
export function composeDue(ids: Ids, at: Date | null): Execution['due'] {
  return at === null ? {} : { [DUE_BUCKETS[digestIds(ids) % DUE_BUCKETS.length] ?? '']: at };
}

/** When an execution is overdue; null once it has ended. */
export const readDue = ({ due }: Pick<Execution, 'due'>): Date | null => Object.values(due)[0] ?? null;

/**
 * `due` of an execution that is written now: the end of its pause or of its shortest wait, else 30 to 60 s
 * after this write and not before the end of its lease, and never after its deadline.
 */
export function computeDue(execution: DueState, now: Date): Execution['due'] {
  return composeDue(execution, computeTime(execution, now));
}

function computeTime(execution: DueState, now: Date): Date | null {
  const { status, lease, notBefore, pendingCalls, deadline } = execution;
  if (isTerminal(status)) return null;
  const lost = roundDown(now.getTime() + LOST_MESSAGE_MS, execution);
  if (lease !== null) return new Date(Math.max(lease.until.getTime(), Math.min(lost, deadline.getTime())));
  const waits = pendingCalls.flatMap(({ state, waitsFor }) =>
    state === 'waiting' && waitsFor !== undefined ? [waitsFor.until.getTime()] : [],
  );
  if (waits.length > 0) return new Date(Math.min(...waits));
  const pauseEnd = notBefore?.getTime() ?? 0;
  // An execution in a long wait for its model has no message: it is due when its pause ends.
  const isWaiting = isParked(execution) && pauseEnd > now.getTime();
  return new Date(Math.min(isWaiting ? pauseEnd : Math.max(lost, pauseEnd), deadline.getTime()));
}

/** The last of the execution's own moments, which are `PRECISION_MS` apart: executions change in turn. */
const roundDown = (time: number, ids: Ids): number =>
  time - ((time - (digestIds(ids) % PRECISION_MS)) % PRECISION_MS);

const digestIds = ({ sessionId, executionId }: Ids): number =>
  createHash('sha256').update(`${sessionId}/${executionId}`).digest().readUInt32BE();
