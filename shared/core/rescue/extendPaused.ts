// Extends an open session by a pause of the installation: its deadline, those of its open executions, and the
// times of calls that wait. A pause that has been counted is counted once, so each step can be repeated.

import { isHeld } from '../contract/lease.ts';
import { replaceDocument, type Stored, type Write } from '../contract/store.ts';
import { InquestError } from '../errors.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure, errorAsValue } from '../kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { saveSession } from '../kernel/session/replaceSession.ts';
import { isParked } from '../kernel/state/decide.ts';
import {
  deadlineBelow,
  type Extended,
  extendDeadline,
  extendExecution,
  later,
  uncountedPart,
  type Wait,
} from '../kernel/state/extendExecution.ts';
import { replaceExecution, withDue } from '../kernel/state/replaceExecution.ts';
import { isTerminal } from '../schema/common.ts';
import { approvalType, executionType, paths, sessionType } from '../schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';

type Deadlines = ReadonlyMap<string, Date>;

/**
 * Extends a session and its open executions.
 * @returns the executions to publish: open ones that neither wait nor are held, unless the session itself is
 * paused.
 * @throws RetryableError when other writers keep changing a document, the store fails, or the session is of
 *   newer code; TerminalError when the session is broken.
 */
export async function extendPausedSession(
  sessionId: string,
  pause: Wait,
  deps: StateDeps,
): Promise<Execution[]> {
  const session = await retryLostRaces<Session | undefined>(
    `session ${sessionId}`,
    SESSION_RACES,
    async () => {
      const stored = await deps.store.get(paths.session(sessionId), sessionType);
      const extended = stored && extendSession(stored.value, pause);
      if (stored === undefined || extended === stored.value) return extended;
      return (await saveSession(stored, extended as Session, [], deps)).ok ? extended : RACE_LOST;
    },
  );
  if (session === undefined || !isOpenWork(session)) return [];
  const executions = await readOpen(sessionId, deps);
  const deadlines = extendedDeadlines(session, executions, pause);
  const extended = await Promise.all(executions.map((one) => extendOne(one, deadlines, pause, deps)));
  if (session.openStage === null && session.steering.paused !== null) return [];
  const now = deps.clock.now();
  return extended.filter(
    (one) => one !== undefined && one.status !== 'waiting' && !isHeld(one.lease, now) && !isParked(one),
  ) as Execution[];
}

/** Whether a session has a running stage or question that a pause delays. */
function isOpenWork({ status, openStage }: Session): boolean {
  return status === 'in_progress' || openStage !== null;
}

/**
 * The session with the part of a pause in which it had started and that no other wait covers. `waitedUntil`
 * marks the end of that part. Pure.
 * @returns the same object if nothing changes.
 */
export function extendSession(session: Session, { from, to }: Wait): Session {
  const { waitedUntil, createdAt, deferral, openStage, deadline, expireAt, status } = session;
  const startedAt = deferral?.startedAt ?? createdAt;
  const { ms } = uncountedPart({ from: later(from, startedAt), to }, waitedUntil);
  if (!isOpenWork(session) || ms === 0) return session;
  const extend = (time: Date) => extendDeadline(time, ms, expireAt);
  return {
    ...session,
    waitedUntil: to,
    ...(status === 'in_progress' && { deadline: extend(deadline) }),
    ...(openStage !== null && { openStage: { ...openStage, deadline: extend(openStage.deadline) } }),
  };
}

/** A session's open executions. Broken and newer ones are logged and left to the sweep. */
async function readOpen(sessionId: string, { store, log }: StateDeps): Promise<Stored<Execution>[]> {
  const stored = await store.list({ collection: paths.executions(sessionId) }, errorAsValue(executionType));
  return stored.flatMap(({ value, ...one }) => {
    if (!(value instanceof InquestError)) return isTerminal(value.status) ? [] : [{ ...one, value }];
    log.error({ sessionId, err: value }, `not extended by a pause: ${one.path}`);
    return [];
  });
}

/** The deadlines after a pause. A child keeps less time than its parent, as without a pause. Pure. */
export function extendedDeadlines(
  session: Session,
  executions: readonly Stored<Execution>[],
  pause: Wait,
): Deadlines {
  const deadlines = new Map<string, Date>();
  const values = executions.map(({ value }) => value).sort((one, other) => one.depth - other.depth);
  for (const value of values) {
    const { parentExecutionId, stageId, executionId } = value;
    const ofStage = session.openStage?.stageId === stageId ? session.openStage.deadline : session.deadline;
    const ofParent = deadlines.get(parentExecutionId ?? '');
    const latest = ofParent === undefined ? ofStage : deadlineBelow(ofParent);
    deadlines.set(executionId, extendOwn(value, pause, latest).deadline);
  }
  return deadlines;
}

/** An execution that a pause created counts from its creation. */
function extendOwn(value: Execution, { from, to }: Wait, latest: Date): Extended {
  return extendExecution(value, { from: later(from, value.createdAt), to }, latest);
}

/**
 * Stores the extension of an execution, together with its approvals. A held execution is not written: its
 * process has worked during the pause, and a write would end its work.
 * @returns the execution as it is stored; undefined once it has ended.
 */
function extendOne(
  read: Stored<Execution>,
  deadlines: Deadlines,
  pause: Wait,
  deps: StateDeps,
): Promise<Execution | undefined> {
  let known: Stored<Execution> | undefined = read;
  return retryLostRaces<Execution | undefined>(read.path, SESSION_RACES, async () => {
    const stored = known ?? (await deps.store.get(read.path, executionType));
    known = undefined;
    const now = deps.clock.now();
    if (stored === undefined || isTerminal(stored.value.status)) return undefined;
    const { value } = stored;
    const extended = extendOwn(value, pause, deadlines.get(value.executionId) ?? value.deadline);
    if (isHeld(value.lease, now) || extended.waitedUntil === value.waitedUntil) return value;
    const { calls, writes } = await extendCalls(value, extended, { pause, deadlines }, deps);
    const changed = withDue({ ...value, ...extended, pendingCalls: calls }, now);
    const { ok } = await replaceExecution(changed, stored.version, writes, deps);
    return ok ? changed : RACE_LOST;
  });
}

async function extendCalls(
  { pendingCalls, waitedUntil }: Execution,
  { deadline }: Extended,
  { pause, deadlines }: { pause: Wait; deadlines: Deadlines },
  { store }: StateDeps,
): Promise<{ calls: PendingCall[]; writes: Write[] }> {
  const writes: Write[] = [];
  const extendCall = async (call: PendingCall): Promise<PendingCall> => {
    const { state, waitsFor } = call;
    if (state !== 'waiting' || waitsFor === undefined) return call;
    if (waitsFor.kind === 'child') {
      const until = later(waitsFor.until, deadlines.get(waitsFor.id) ?? waitsFor.until);
      return { ...call, waitsFor: { ...waitsFor, until } };
    }
    const { value: approval } = await captureFailure(store.get(paths.approval(waitsFor.id), approvalType));
    const { from, to } = pause;
    const { ms } = uncountedPart({ from: later(from, approval?.value.createdAt ?? from), to }, waitedUntil);
    const until = extendDeadline(waitsFor.until, ms, deadlineBelow(deadline));
    if (approval?.value.status === 'pending')
      writes.push(
        replaceDocument(approval.path, approvalType, { ...approval.value, until }, approval.version),
      );
    return { ...call, waitsFor: { ...waitsFor, until } };
  };
  return { calls: await Promise.all(pendingCalls.map(extendCall)), writes };
}
