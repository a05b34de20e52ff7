// Time spent waiting for an unresponsive model does not count: it extends the deadlines of the execution, of
// the executions that wait for it, and of its session, by at most `modelOutage` in total.

import type { Stored } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { saveSession } from '../../core/kernel/session/replaceSession.ts';
import {
  deadlineBelow,
  type Extended,
  earlier,
  extendDeadline,
  extendExecution,
  later,
  uncountedPart,
  type Wait,
} from '../../core/kernel/state/extendExecution.ts';
import { isWaitingForChild } from '../../core/kernel/state/pendingCalls.ts';
import { replaceExecution, withDue } from '../../core/kernel/state/replaceExecution.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readPart, type WithParts, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { modelWaitsPart } from './modelOutage.ts';

/** Maximum extension of a session's deadline where no limit is stored, in milliseconds. */
export const MAX_WAITED_MS = 3_600_000;

/** The part of a wait that counts, and the latest deadline in its session. */
interface Grant {
  /** The end of the counted part. */
  to: Date;
  /** The extended deadline; no execution of the session gets a later one. */
  deadline: Date;
}

/**
 * Returns the session extended by the part of a wait that no earlier wait covers: agents that wait at the
 * same time count once. Pure.
 * @param maxMs the maximum extension, of all waits of the session together.
 * @param stageId the stage that waits: extends the deadline of its question if it answers one, else of the
 * session.
 * @returns undefined if the stage has ended.
 */
export function extendSession(
  session: Session,
  stageId: string,
  wait: Wait,
  maxMs: number,
): { session: Session; grant: Grant } | undefined {
  const { openStage, waitedUntil, expireAt } = session;
  const waits = readPart(modelWaitsPart, session) ?? { ms: 0, questionMs: 0 };
  const isQuestion = openStage?.stageId === stageId;
  if (!isQuestion && isTerminal(session.status)) return undefined;
  const part = uncountedPart(wait, waitedUntil);
  const grantedMs = Math.max(0, Math.min(part.ms, maxMs - waits.ms));
  const until = new Date(part.from.getTime() + grantedMs);
  const before = isQuestion ? openStage.deadline : session.deadline;
  const deadline = extendDeadline(before, grantedMs, expireAt);
  const questionMs = waits.questionMs + (isQuestion ? grantedMs : 0);
  const total = { ms: waits.ms + grantedMs, questionMs };
  const extended: Session = {
    ...session,
    ...(grantedMs > 0 && { ...withPart(modelWaitsPart, session, total), waitedUntil: until }),
    ...(isQuestion ? { openStage: { ...openStage, deadline } } : { deadline }),
  };
  // After the maximum is used up, no further wait is granted, whatever an earlier wait covered.
  const counted = grantedMs > 0 ? until : (waitedUntil ?? wait.from);
  return { session: extended, grant: { to: earlier(wait.to, counted), deadline } };
}

const readWaitedMs = (session: WithParts): number => readPart(modelWaitsPart, session)?.ms ?? 0;

/** How long a session can still wait for models, in milliseconds. */
export function allowanceMs(session: WithParts, maxMs: number): number {
  return Math.max(0, maxMs - readWaitedMs(session));
}

/**
 * Stores a wait in the session and in the executions that wait for this one. Storing the same wait again has
 * no effect.
 * @param maxMs the maximum extension of the session. Default: an hour.
 * @returns the changes that the caller stores in the execution itself; undefined if its session has ended.
 * @throws RetryableError when other writers keep changing the documents, or the store fails.
 */
export async function extendDeadlines(
  execution: Execution,
  wait: Wait,
  deps: StateDeps,
  maxMs: number = MAX_WAITED_MS,
): Promise<Extended | undefined> {
  const grant = await storeInSession(execution, wait, maxMs, deps);
  if (grant === undefined) return undefined;
  return extendTree(execution, { from: wait.from, to: grant.to }, grant.deadline, deps);
}

async function storeInSession(
  { sessionId, stageId }: Execution,
  wait: Wait,
  maxMs: number,
  deps: StateDeps,
): Promise<Grant | undefined> {
  return retryLostRaces<Grant | undefined>(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.session(sessionId), sessionType);
    const extended = stored && extendSession(stored.value, stageId, wait, maxMs);
    if (stored === undefined || extended === undefined) return undefined;
    const { session, grant } = extended;
    if (readWaitedMs(session) === readWaitedMs(stored.value)) return grant;
    const { ok } = await saveSession(stored, session, [], deps);
    return ok ? grant : RACE_LOST;
  });
}

/** Extends executions that wait for an execution, topmost first; returns that of the execution. */
async function extendTree(
  execution: Execution,
  wait: Wait,
  sessionDeadline: Date,
  deps: StateDeps,
): Promise<Extended> {
  const { sessionId, executionId, parentExecutionId } = execution;
  if (parentExecutionId === null) return extendExecution(execution, wait, sessionDeadline);
  const path = paths.execution(sessionId, parentExecutionId);
  return retryLostRaces<Extended>(`execution ${parentExecutionId}`, SESSION_RACES, async () => {
    const parent = await deps.store.get(path, executionType);
    // No execution waits for it any more: it will be ended, and gets no more time.
    if (parent === undefined || !isWaitingForChild(parent.value, executionId)) return execution;
    const above = await extendTree(parent.value, wait, sessionDeadline, deps);
    const own = extendExecution(execution, wait, deadlineBelow(above.deadline));
    return (await storeInParent(parent, above, executionId, own.deadline, deps)) ? own : RACE_LOST;
  });
}

async function storeInParent(
  parent: Stored<Execution>,
  above: Extended,
  childId: string,
  until: Date,
  deps: StateDeps,
): Promise<boolean> {
  const pendingCalls = parent.value.pendingCalls.map((call) =>
    call.state === 'waiting' && call.waitsFor?.id === childId
      ? { ...call, waitsFor: { ...call.waitsFor, until: later(call.waitsFor.until, until) } }
      : call,
  );
  const changed = withDue({ ...parent.value, ...above, pendingCalls }, deps.clock.now());
  const { ok } = await replaceExecution(changed, parent.version, [], deps);
  return ok;
}

/** The session of an execution; undefined if it was deleted or cannot be read. */
export async function readSession(
  { sessionId }: Pick<Execution, 'sessionId'>,
  { store }: Pick<StateDeps, 'store'>,
): Promise<Session | undefined> {
  return (await captureFailure(store.get(paths.session(sessionId), sessionType))).value?.value;
}
