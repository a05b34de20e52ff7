// Checks each write against the document before it: rules that the final state of a run cannot show.

import { isThinking } from '../../shared/core/kernel/state/decide.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { countedIterations, type Execution, isCollecting } from '../../shared/core/schema/execution.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { SystemControl } from '../../shared/core/schema/systemControl.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { paths } from '../../shared/lists/documents.ts';
import { checkCollected } from './features/collect/collectRule.ts';
import { forkOf } from './features/fork/forkedSessions.ts';
import { checkChange } from './features/modelOutages/fallbackRule.ts';
import { checkPause } from './features/modelOutages/modelOutageRule.ts';
import { type AppliedCommit, executionKey, type Invocation } from './record.ts';
import type { World } from './world.ts';

/** No lease is given for longer, in milliseconds (docs/reliability.md). */
const LONGEST_LEASE_MS = 30_000;

/** What a wait leaves to the execution before its deadline, in milliseconds. */
const LEFT_AFTER_WAIT_MS = 60_000;

/** An execution at one point of the record. */
interface KnownExecution {
  value: Execution;
  by: Invocation;
  /** Indexes of the calls that were running at the last claim. */
  cutOff: Set<number>;
  /** The last iteration in which the model's answer did not end in time; 0 for none. */
  timedOutIn: number;
  /** Number of claims of its iteration, and of those whose holder wrote it afterwards. */
  claims: number;
  started: number;
  /** Whether its holder wrote it after the claim. */
  isStarted: boolean;
}

/** Records a violation of `rule`, with its details. */
export type Violate = (rule: string, detail: string) => void;

/** Checks every write of the run. */
export function checkTransitions(world: World, violate: Violate): void {
  const executions = new Map<string, KnownExecution>();
  const sessions = new Map<string, Session>();
  const cancelledAt = new Map<string, number>();
  /** When a question was first marked as being cancelled, by session and stage. */
  const questionCancelledAt = new Map<string, number>();
  let isPaused = false;
  for (const commit of world.record.commits) {
    const system = commit.writes.find(({ path }) => path === paths.systemControl);
    if (system !== undefined) isPaused = (system.value as SystemControl).paused !== null;
    const found = commit.writes.find(({ path }) => /^sessions\/[^/]+$/.test(path));
    const next = found?.value as Session | undefined;
    // A fork is created in one commit with its place below its source.
    const sessionId = (found ?? commit.writes[0])?.path.split('/')[1] ?? '';
    let session = sessions.get(sessionId);
    if (session?.status === 'cancelling' && next?.status === 'in_progress')
      violate('stages', 'a session that was cancelled goes on');
    if (next?.status === 'cancelling' && !cancelledAt.has(sessionId)) cancelledAt.set(sessionId, commit.at);
    const asked = next?.openStage ?? null;
    const question = `${sessionId}/${asked?.stageId}`;
    if (asked?.cancelling && !questionCancelledAt.has(question)) questionCancelledAt.set(question, commit.at);
    const closed = next === undefined ? undefined : session?.openStage?.stageId;
    if (session !== undefined) sessions.set(sessionId, next ?? session);
    else if (next !== undefined) sessions.set(sessionId, next);
    session = next ?? session;
    for (const { path, value } of commit.writes) {
      const [, , collection, id = ''] = path.split('/');
      if (collection !== 'executions') continue;
      const execution = value as Execution;
      const key = executionKey(execution);
      const before = executions.get(key);
      const claimed = execution.lease !== null && execution.lease.holder !== before?.value.lease?.holder;
      const running = (before?.value.pendingCalls ?? []).filter(({ state }) => state === 'running');
      const cutOff = claimed ? new Set(running.map(({ index }) => index)) : (before?.cutOff ?? new Set());
      const timedOutIn = Math.max(before?.timedOutIn ?? 0, ...timeOutsIn(commit, id));
      const known: KnownExecution = {
        value: execution,
        by: commit.by,
        cutOff,
        timedOutIn,
        ...countClaims(before, execution, claimed, commit.by),
      };
      if (before !== undefined) checkChange(before.value, execution, commit, violate);
      if (before !== undefined) checkCollected(before.value, execution, violate);
      if (before !== undefined) checkPause(before.value, execution, commit, violate);
      if (before !== undefined) checkExecution(before, known, claimed, commit, world, violate);
      // Who answers a question works on although the investigation was cancelled.
      const isAnswering = session?.openStage?.stageId === execution.stageId;
      const cancelled = isAnswering
        ? questionCancelledAt.get(`${sessionId}/${execution.stageId}`)
        : cancelledAt.get(sessionId);
      checkWaits(before?.value, execution, commit, { cancelledAt: cancelled, isPaused }, violate);
      executions.set(key, known);
    }
    checkStages(commit, session, executions, violate);
    // The executions of a session that is being deleted can be gone before their end.
    const isDeleted = commit.at >= (world.record.expired.get(sessionId) ?? Number.POSITIVE_INFINITY);
    if (closed !== undefined && closed !== asked?.stageId && !isDeleted)
      checkClosed(closed, sessionId, executions, violate);
  }
}

/** Counts an iteration's claims from writes, also those that ended in a wait. */
function countClaims(
  before: KnownExecution | undefined,
  { iteration }: Execution,
  claimed: boolean,
  by: Invocation,
): Pick<KnownExecution, 'claims' | 'started' | 'isStarted'> {
  const isSame = before?.value.iteration === iteration;
  const { claims, started } = isSame ? before : { claims: 0, started: 0 };
  if (claimed) return { claims: claims + 1, started, isStarted: false };
  const starts = isSame && before.value.lease !== null && before.by === by && !before.isStarted;
  return {
    claims,
    started: starts ? started + 1 : started,
    isStarted: isSame && (starts || before.isStarted),
  };
}

/** A question is closed when its execution has ended, and by nothing else. */
function checkClosed(
  stageId: string,
  sessionId: string,
  executions: Map<string, KnownExecution>,
  violate: Violate,
): void {
  for (const { value } of executions.values()) {
    const isOwn = value.sessionId === sessionId && value.stageId === stageId;
    if (isOwn && !isTerminal(value.status))
      violate('chat', `${stageId} is closed, and ${value.executionId} is ${value.status}`);
  }
}

/** The iterations of an execution in which a commit reports that the model's answer did not end in time. */
function timeOutsIn({ writes }: AppliedCommit, executionId: string): number[] {
  // Without the record of a model call it was a connection to tools that ran out of time.
  if (!writes.some(({ path }) => path.split('/')[2] === 'interactions')) return [];
  return writes.flatMap(({ path, value }) => {
    const event = value as TimelineEvent;
    const isTimeOut =
      path.split('/')[2] === 'timeline' && event.eventType === 'error' && event.status === 'timed_out';
    return isTimeOut && event.executionId === executionId ? [event.iteration ?? 0] : [];
  });
}

/** A stage starts after the one before it has completed, and ends when all its executions have ended. */
function checkStages(
  { writes }: AppliedCommit,
  session: Session | undefined,
  executions: Map<string, KnownExecution>,
  violate: Violate,
): void {
  const stages = writes.filter(({ path }) => path.split('/')[2] === 'stages');
  for (const { op, value } of stages) {
    const { sessionId, stageId, kind, status, expectedExecutions, createdAt } = value as Stage;
    const isOpen = (executionId: string) =>
      !isTerminal(executions.get(executionKey({ sessionId, executionId }))?.value.status ?? 'pending');
    if (isTerminal(status) && expectedExecutions.some(isOpen))
      violate('stages', `${stageId} has ended before its executions`);
    if (op === 'replace') continue;
    if (kind === 'chat' || kind === 'probe') continue;
    if (session?.status !== 'in_progress')
      violate('stages', `${stageId} begins in a session that is ${session?.status}`);
    if (session !== undefined && createdAt >= session.deadline)
      violate('stages', `${stageId} begins after the deadline`);
    for (const other of stages) {
      const { status: before, kind: endedKind } = other.value as Stage;
      // Findings are checked and summarised after any end; a failed check stops nothing.
      const isBeside = kind === 'exec_summary' || kind === 'claims' || endedKind === 'claims';
      const mayFollow = before === 'completed' || (isBeside && before !== 'cancelled');
      if (other.op === 'replace' && !mayFollow)
        violate('stages', `${stageId} follows a stage that is ${before}`);
    }
  }
}

function checkExecution(
  { value: was, by: holder, claims, started }: KnownExecution,
  { value: is, cutOff, timedOutIn }: KnownExecution,
  claimed: boolean,
  { at, by }: AppliedCommit,
  world: World,
  violate: Violate,
): void {
  const { record, faults } = world;
  const { sessionId, executionId, iteration, status, lease, pendingCalls } = is;
  const who = `${by.process.name} #${by.id}`;
  /** The writer's time, which made the decision; the latest if its clock was corrected. */
  const now = at + by.process.maxSkewMs;

  const left = (was.lease?.until.getTime() ?? 0) - now;
  // A child whose time is over is ended whoever holds it: its parent waits no longer.
  const isOverdueChild =
    is.parentExecutionId !== null && status === 'timed_out' && is.deadline.getTime() <= now;
  if (by !== holder && left > 0 && status !== 'cancelled' && !isOverdueChild)
    violate('lease', `${who} writes ${executionId}, which #${holder.id} holds for another ${left} ms`);
  if (lease !== null && lease.until.getTime() > now + LONGEST_LEASE_MS)
    violate('lease', `${who} holds ${executionId} for more than ${LONGEST_LEASE_MS} ms`);
  if (iteration > was.iteration && (lease !== null || pendingCalls.length > 0))
    violate('order', `iteration ${iteration} of ${executionId} begins with a lease or calls of the last one`);
  if (iteration < was.iteration || iteration > was.iteration + 1)
    violate('order', `iteration ${iteration} of ${executionId} follows ${was.iteration}`);
  if (countedIterations(is) > is.limits.maxIterations + 1)
    violate('order', `${executionId} has iteration ${iteration} of ${is.limits.maxIterations}`);
  // The next model begins without time-outs.
  const isSame = is.modelIndex === was.modelIndex;
  const isCounted = isSame && timedOutIn === was.iteration && !isCollecting(was);
  const inARow = isCounted ? was.consecutiveTimeouts + 1 : 0;
  // What the session's deadline keeps from running is no time-out of the iteration.
  const isLate = is.deadline.getTime() <= now;
  if (iteration > was.iteration && is.consecutiveTimeouts !== inARow && !isLate)
    violate('order', `${executionId} counts ${is.consecutiveTimeouts} time-outs in a row, not ${inARow}`);
  if (is.consecutiveTimeouts > 1 && !isTerminal(status) && is.limits.afterFailure === 'fail')
    violate('order', `${executionId} goes on after two time-outs in a row`);
  // A question in the background can be read at any time.
  if (claimed && (was.notBefore?.getTime() ?? 0) > now && !isThinking(was))
    violate('order', `${who} claims ${executionId} before its pause is over`);
  const isTried = by.iteration === was.iteration && (started >= 3 || claims >= 8);
  // Older code did not count started claims, so that all claims of its executions count.
  const isOlder = world.plan.rollout !== null || world.plan.migrateAfterMs !== null;
  if (is.failure?.code === 'DELIVERY_EXHAUSTED' && !isTried && !(isOlder && claims >= 3))
    violate('dead letters', `${who} buries iteration ${was.iteration} of ${executionId} untried`);

  for (const { index, state, readOnly, recovery, waits } of pendingCalls) {
    const before = was.pendingCalls.find((call) => call.index === index)?.state;
    if (before === undefined || before === state) continue;
    const key = `${sessionId}/${executionId}/${iteration}/${index}`;
    if (state === 'unknown' && (readOnly || !cutOff.has(index)))
      violate('tool states', `${key} could be run, and is given up`);
    if (state === 'unknown' && recovery === 'repeat' && !faults.has('tool_changed'))
      violate('tool states', `${key} could be repeated, and is given up`);
    if (
      state === 'done' &&
      before !== 'waiting' &&
      waits !== 'child' &&
      // A call of a tool that has changed is answered, and not run.
      !faults.has('tool_changed') &&
      // Stored results answer it.
      forkOf(sessionId, record) === undefined &&
      !record.activities.some((run) => run.key === key && run.by === by)
    )
      violate('tool states', `${key} is done, and #${by.id} never ran it`);
  }
}

/** A call waits while its execution does nothing else, and continues by stored state. */
function checkWaits(
  was: Execution | undefined,
  is: Execution,
  { at, by, writes }: AppliedCommit,
  { cancelledAt, isPaused }: { cancelledAt: number | undefined; isPaused: boolean },
  violate: Violate,
): void {
  const { executionId, status, lease, pendingCalls, claims } = is;
  const waiting = pendingCalls.filter(({ state }) => state === 'waiting');
  if (!isTerminal(status) && (status === 'waiting') !== waiting.length > 0)
    violate('waits', `${executionId} is ${status} with ${waiting.length} calls that wait`);
  if (waiting.length > 0 && claims > 0)
    violate('waits', `${executionId} has used ${claims} attempts before its wait is over`);
  if (waiting.length > 0 && (lease !== null || pendingCalls.some(({ state }) => state === 'running')))
    violate('waits', `${executionId} waits while it is held, or while a call runs`);
  const approvals = writes
    .filter(({ path }) => path.startsWith('approvals/'))
    .map(({ value }) => value as Approval);
  for (const { index, state, waits, waitsFor, approval } of pendingCalls) {
    const leftMs = is.deadline.getTime() - (waitsFor?.until.getTime() ?? 0);
    if (state === 'waiting' && leftMs < LEFT_AFTER_WAIT_MS)
      violate('waits', `call ${index} of ${executionId} waits until ${leftMs} ms before the deadline`);
    // treeRule.ts has the rules of children.
    if (waits === 'child') continue;
    const before = was?.pendingCalls.find((call) => call.index === index);
    const beside = approvals.find(({ approvalId }) => approvalId === waitsFor?.id);
    if (before?.state !== 'waiting' && state === 'waiting' && beside?.status !== 'pending')
      violate('waits', `call ${index} of ${executionId} waits for an approval that is ${beside?.status}`);
    if (state === 'running' && waits === 'person' && approval === undefined)
      violate('approvals', `call ${index} of ${executionId} runs without approval`);
    if (before?.state !== 'waiting' || state === 'waiting') continue;
    const isApproved = state === 'requested' && beside?.status === 'approved';
    const isRefused = state === 'done' && (beside?.status === 'denied' || beside?.status === 'expired');
    if (!isApproved && !isRefused)
      violate(
        'waits',
        `call ${index} of ${executionId} becomes ${state}, and its approval ${beside?.status}`,
      );
    if (isApproved && cancelledAt !== undefined && by.startedAt > cancelledAt)
      violate('approvals', `call ${index} of ${executionId} is approved in a session that was cancelled`);
    const left = (waitsFor?.until.getTime() ?? 0) - at - by.process.maxSkewMs;
    if (beside?.status === 'expired' && left > 0)
      violate('approvals', `call ${index} of ${executionId} expires ${left} ms before its time`);
    // The end of a pause of the installation extends the time.
    if (isApproved && !isPaused && waitsFor !== undefined && (approval?.at ?? 0) >= waitsFor.until)
      violate('approvals', `call ${index} of ${executionId} is approved after its time`);
  }
}
