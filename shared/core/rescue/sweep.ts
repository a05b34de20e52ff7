// The sweep: once a minute it repairs open sessions that no message will continue, because of lost messages,
// dead holders, passed deadlines, or unfinished cancellations and stages. It reads only late sessions. Two
// sweeps can safely run concurrently.

import { workInParallel } from '../../text/workInParallel.ts';
import type { Stored } from '../contract/store.ts';
import { errorMessage, InquestError, TerminalError } from '../errors.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure, ignoreTerminalError } from '../kernel/documents/reading.ts';
import { ignoreRecentPublication } from '../kernel/execution/publishAgain.ts';
import { LISTED_FAILURES, type SweepFailure, type SweepFeature } from '../kernel/feature/sweepFeature.ts';
import { addLogContext, withLogContext } from '../kernel/logContext.ts';
import { CANCELLED, deadlineExceeded, type Ending } from '../kernel/state/decide.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { readSystemControl } from '../kernel/systemPause.ts';
import { type Failure, isTerminal } from '../schema/common.ts';
import { executionType, paths, sessionType } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import { NOT_STEERED, type Session } from '../schema/session.ts';
import type { SweepMark } from '../schema/sweepMark.ts';
import { endQuestion } from '../session/cancelQuestion.ts';
import { finishCancelling } from '../session/cancelSession.ts';
import { endSession } from '../session/endSession.ts';
import { startSettled } from '../session/startDeferred.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { endExecution } from '../stage/endExecution.ts';
import { loadReadableStage } from '../stage/readableStage.ts';
import { settleWaits } from '../stage/settleWaits.ts';
import { decideExecution, decideSweep, runningStage } from './decideSweep.ts';
import { endSystemPause } from './endSystemPause.ts';
import { findLateSessions, type LateSessions } from './findLateSessions.ts';
import { PAGE_SIZE as LISTED_AT_ONCE, listSessionIds } from './listSessionIds.ts';
import { publishInTurn } from './publishInTurn.ts';
import { decideScope, moveMark, noteListing, readMark, type SweepRun, TICK_WINDOW_MS } from './sweepMark.ts';
import { endUnreadableSession } from './unreadableSession.ts';

/** The counts of one sweep. */
export interface SweepReport {
  /** Whether the installation is paused: nothing else was done. */
  paused: boolean;
  /** Whether all open sessions were checked (once an hour), not only late ones. */
  listed: boolean;
  /** Open sessions checked. */
  sessions: number;
  /** Iteration messages published again. */
  republished: number;
  /** Executions whose calls had waited long enough. */
  settled: number;
  /** Executions ended. */
  ended: number;
  /** Sessions whose stage was advanced, that were ended, or that were started after a wait. */
  advanced: number;
  /** Sessions whose check failed; the next sweep tries again. */
  failed: number;
  /** The first failures; the log has all. */
  failures: SweepFailure[];
}

/** The state of a running sweep. */
interface Run {
  /** The counts so far. */
  report: SweepReport;
  /** Whether no failure occurred that the next run has to repeat. */
  complete: boolean;
  /** The longest possible time since the last check of a session, in milliseconds. */
  unseenForMs: number;
  /** The executions whose messages are published in the end. */
  unpublished: Execution[];
  deps: StateDeps;
}

const OPEN_STATUSES: Session['status'][] = ['in_progress', 'cancelling'];
const PAGE_SIZE = 200;
/** Enough for a thousand open sessions in seconds, few enough to leave the store to functions. */
const CONCURRENT_SESSIONS = 10;

/**
 * Checks late sessions. Checks all open sessions once an hour, and whenever late ones cannot be determined. A
 * failed check is logged and does not stop the others.
 * @param features run afterwards, in their order.
 * @throws RetryableError when it is unknown whether the installation is paused, or the sessions cannot be
 * found.
 */
export async function sweepSessions(
  deps: StateDeps,
  features: readonly SweepFeature[],
): Promise<SweepReport> {
  const startedAt = deps.clock.now();
  const report: SweepReport = {
    paused: false,
    listed: false,
    sessions: 0,
    republished: 0,
    settled: 0,
    ended: 0,
    advanced: 0,
    failed: 0,
    failures: [],
  };
  report.paused = await isStillPaused(report, startedAt, deps);
  if (report.paused) return report;
  const { late, unseenForMs, listing } = await findLateOrLog(startedAt, deps);
  // Failures of a run that died are unknown.
  const run: Run = { report, complete: listing === undefined, unseenForMs, unpublished: [], deps };
  if (late === undefined) await sweepAll(run, listing ?? { startedAt });
  else await sweepEach(late, run);
  await publishAll(run);
  report.listed = late === undefined;
  for (const feature of features) {
    const { started, failures } = await feature.run(deps);
    report.advanced += started;
    report.failed += failures.length;
    report.failures.push(...failures.slice(0, LISTED_FAILURES - report.failures.length));
  }
  await moveMarkOrLog({ startedAt, listed: report.listed, complete: run.complete }, deps);
  return report;
}

/** Whether the installation is paused. Ends a pause whose time is over. */
async function isStillPaused(report: SweepReport, now: Date, deps: StateDeps): Promise<boolean> {
  const reading = await readSystemControl(deps);
  if (reading.pause === null) return false;
  if (reading.pause.until > now) return true;
  const { isOver, published, failed, failures } = await endSystemPause(reading, now, deps);
  report.republished += published;
  report.failed += failed;
  report.failures.push(...failures);
  return !isOver;
}

/**
 * The late sessions and the longest time since their last check; the sessions are undefined when all open
 * sessions have to be listed.
 */
async function findLateOrLog(
  now: Date,
  { store, log }: StateDeps,
): Promise<{ late?: LateSessions; unseenForMs: number; listing?: SweepMark['listing'] }> {
  const unseenForMs = TICK_WINDOW_MS;
  try {
    const scope = decideScope(await readMark(store), now);
    if (scope.kind === 'all') return scope;
    return { late: await findLateSessions(scope.endedSince, now, store), unseenForMs };
  } catch (error) {
    // An index can be missing, and the mark can be of newer code.
    log.error({ err: error }, `the sweep lists all open sessions: ${errorMessage(error)}`);
    return { unseenForMs };
  }
}

/** Moves the mark; on failure only logs, because an old mark only costs reads. */
async function moveMarkOrLog(run: SweepRun, { store, log }: StateDeps): Promise<void> {
  await moveMark(run, store).catch((error: unknown) => {
    log.warn({ err: error }, `the mark of the sweep was not moved: ${errorMessage(error)}`);
  });
}

/** Publishes the messages that are missing. A session without one is counted, and left to the next run. */
async function publishAll(run: Run): Promise<void> {
  const failed = new Set<string>();
  await publishInTurn(run.unpublished, run.deps, (execution) =>
    withLogContext({ sessionId: execution.sessionId }, async () => {
      try {
        await publishIteration(run.deps.publisher, execution);
        run.report.republished++;
      } catch (error) {
        if (!failed.has(execution.sessionId)) noteFailure(execution.sessionId, error, run);
        failed.add(execution.sessionId);
      }
    }),
  );
}

/** @param listing a new one, or that of a run that died. */
async function sweepAll(run: Run, listing: { startedAt: Date; afterId?: string }): Promise<void> {
  const { store, log } = run.deps;
  const listed = new Set<string>();
  for await (const ids of listSessionIds(OPEN_STATUSES, store, listing.afterId)) {
    for (const id of ids) listed.add(id);
    await sweepEach(new Map(ids.map((id) => [id, []])), run);
    const afterId = ids.at(-1);
    if (ids.length < LISTED_AT_ONCE || afterId === undefined) continue;
    await noteListing({ startedAt: listing.startedAt, afterId }, store).catch((error: unknown) => {
      log.warn({ err: error }, `the progress of the sweep was not stored: ${errorMessage(error)}`);
    });
  }
  await sweepQuestions(run, listed);
}

/**
 * The listing by status does not include ended sessions; one that still answers a question is found when the
 * question is overdue.
 */
async function sweepQuestions(run: Run, listed: ReadonlySet<string>): Promise<void> {
  const { store, clock, log } = run.deps;
  const query = { collectionId: 'sessions', field: 'dueAt', to: clock.now(), limit: PAGE_SIZE } as const;
  try {
    for await (const page of store.findByTime(query)) {
      const ids = page.map((path) => path.split('/')[1] ?? '').filter((id) => !listed.has(id));
      await sweepEach(new Map(ids.map((id) => [id, []])), run);
    }
  } catch (error) {
    run.complete = false;
    log.error({ err: error }, `open questions cannot be listed: ${errorMessage(error)}`);
  }
}

async function sweepEach(sessions: LateSessions, run: Run): Promise<void> {
  await workInParallel(sessions, CONCURRENT_SESSIONS, ([sessionId, late]) =>
    withLogContext({ sessionId }, () => sweepOrLog(sessionId, late, run)),
  );
}

async function sweepOrLog(sessionId: string, late: string[], run: Run): Promise<void> {
  const { report, deps } = run;
  await deps.failpoint?.(CRASH_POINTS.duringSweep);
  let isOpen = true;
  try {
    const { value: session, failure } = await captureFailure(
      deps.store.get(paths.session(sessionId), sessionType),
    );
    if (failure !== undefined) {
      isOpen = await endUnreadableSession(sessionId, failure, deps);
      if (isOpen) report.advanced++;
      return;
    }
    isOpen = session !== undefined && isRunning(session.value);
    // A deferred session is late when its settle window is over.
    if (session?.value.status === 'deferred') {
      if (await startSettled(session, deps)) report.advanced++;
      return;
    }
    // Firestore's TTL policy deletes the remaining documents of a deleted session.
    if (session === undefined) return;
    if (isOpen) await sweepSession(session, run);
    else await endLeftovers(late, run);
  } catch (error) {
    noteFailure(sessionId, error, run);
  } finally {
    if (isOpen) report.sessions++;
  }
}

function noteFailure(sessionId: string, error: unknown, run: Run): void {
  const { report, deps } = run;
  const code = error instanceof InquestError ? error.code : null;
  const message = errorMessage(error);
  // The next listing, and the deadline of the session, find permanent failures again.
  if (!(error instanceof TerminalError)) run.complete = false;
  report.failed++;
  if (report.failures.length < LISTED_FAILURES) report.failures.push({ sessionId, code, message });
  deps.log.error({ sessionId, err: error }, `the sweep could not repair a session: ${message}`);
}

/** Ends executions that a session with an unreadable stage left open, once they are due. */
async function endLeftovers(late: string[], { report, unseenForMs, deps }: Run): Promise<void> {
  for (const path of late) {
    const { value: execution } = await captureFailure(deps.store.get(path, executionType));
    if (execution === undefined || isTerminal(execution.value.status)) continue;
    const decision = decideExecution(execution, deps.clock.now(), unseenForMs, NOT_STEERED, new Map());
    if (decision.kind !== 'end') continue;
    if ((await endOne(execution, decision.ending, deps)) !== undefined) report.ended++;
  }
}

async function sweepSession(
  session: Stored<Session>,
  { report, unpublished, unseenForMs, deps }: Run,
): Promise<void> {
  const { sessionId, openStage, traceparent } = session.value;
  const { stageId } = runningStage(session.value);
  addLogContext({ traceparent });
  const now = deps.clock.now();
  const { stage, executions: own, descendants, broken } = await loadReadableStage(sessionId, stageId, deps);
  const executions = [...own, ...descendants];
  const decision = decideSweep(session.value, stage, executions, now, unseenForMs, broken);
  switch (decision.kind) {
    case 'finish_cancelling':
      report.ended +=
        openStage === null
          ? await finishCancelling(session.value, deps)
          : await endQuestion({ sessionId, stageId }, CANCELLED, deps);
      report.advanced++;
      return;
    case 'advance':
      await advanceStage({ sessionId, stageId }, deps).catch(ignoreRecentPublication);
      report.advanced++;
      return;
    case 'end_session':
      if (openStage === null) await endBrokenSession(session, executions, decision.failure, deps);
      else await endBrokenQuestion({ sessionId, stageId }, decision.failure, deps);
      report.advanced++;
      return;
    case 'repair':
      for (const { execution, ending } of decision.end) {
        if ((await endOne(execution, ending, deps)) !== undefined) report.ended++;
      }
      unpublished.push(...decision.publish);
      for (const execution of decision.settle) {
        if (await settleWaits(execution, deps).catch(ignoreRecentPublication)) report.settled++;
      }
      if (decision.missing !== undefined)
        throw new TerminalError('DOCUMENT_INVALID', decision.missing.message);
  }
}

/** Ends an execution. Messages of its successors that were published recently are left to the next run. */
function endOne(
  execution: Stored<Execution>,
  ending: Ending,
  deps: StateDeps,
): Promise<Execution | undefined> {
  return endExecution(execution, ending, deps).catch(ignoreRecentPublication);
}

/** Ends a question whose documents are missing or unreadable. */
async function endBrokenQuestion(
  { sessionId, stageId }: { sessionId: string; stageId: string },
  failure: Failure,
  deps: StateDeps,
): Promise<void> {
  deps.log.error({ sessionId, stageId, code: failure.code }, `a question was ended: ${failure.message}`);
  await endQuestion({ sessionId, stageId }, { status: 'failed', failure }, deps);
}

function isRunning({ status, openStage }: Session): boolean {
  return !isTerminal(status) || openStage !== null;
}

/** Ends a session whose documents are missing or unreadable, with its readable executions. */
async function endBrokenSession(
  session: Stored<Session>,
  executions: Stored<Execution>[],
  failure: Failure,
  deps: StateDeps,
): Promise<void> {
  const open = executions.filter(({ value }) => !isTerminal(value.status));
  for (const execution of open) {
    await endOne(execution, deadlineExceeded(session.value.deadline), deps).catch(ignoreTerminalError);
  }
  deps.log.error({ sessionId: session.id, code: failure.code }, `a session was ended: ${failure.message}`);
  // If another process changed it first, the next sweep checks it again.
  await endSession(session, { status: 'failed', failure }, deps);
}
