// The sweep: once a minute it repairs open sessions that no message will continue, because of lost messages, dead holders,
// passed deadlines, or unfinished cancellations and stages. Two sweeps may safely run at the same time.

import type { Stored } from '../../contract/store.ts';
import { type ErrorCode, errorMessage, InquestError, TerminalError } from '../../errors.ts';
import { addLogContext, withLogContext } from '../../log.ts';
import { type Failure, isTerminal } from '../../schema/common.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { deadlineExceeded } from '../iteration/decide.ts';
import { endExecution } from '../iteration/endExecution.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { settleWaits } from '../iteration/settleWaits.ts';
import { captureFailure, ignoreTerminalError } from '../reading.ts';
import { finishCancelling } from '../session/cancelSession.ts';
import { endSession } from '../session/endSession.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { loadReadableStage } from '../stage/readableStage.ts';
import { decideSweep } from './decideSweep.ts';
import { endUnreadableSession } from './unreadableSession.ts';

/** What one sweep did, as counts. */
export interface SweepReport {
  /** Open sessions checked. */
  sessions: number;
  /** Iteration messages published again. */
  republished: number;
  /** Executions whose calls had waited long enough. */
  settled: number;
  /** Executions ended. */
  ended: number;
  /** Sessions whose stage was advanced, or that were ended. */
  advanced: number;
  /** Sessions whose check failed; the next sweep tries again. */
  failed: number;
  /** The first of them, and why. The log has all. */
  failures: SweepFailure[];
}

/** A session that the sweep could not repair. */
interface SweepFailure {
  sessionId: string;
  /** Null for an error that this code does not throw itself. */
  code: ErrorCode | null;
  message: string;
}

const OPEN_STATUSES: Session['status'][] = ['in_progress', 'cancelling'];
const PAGE_SIZE = 200;
/** Enough that a thousand open sessions take seconds, few enough to leave the store's capacity to the other functions. */
const CONCURRENT_SESSIONS = 10;
/** An outage fails every session for the same reason; the report must fit a line of the log. */
const LISTED_FAILURES = 20;

/**
 * Checks all open sessions. One that fails is logged and does not stop the others.
 * @throws RetryableError when the sessions cannot be listed.
 */
export async function sweep(deps: StateDeps): Promise<SweepReport> {
  const report: SweepReport = {
    sessions: 0,
    republished: 0,
    settled: 0,
    ended: 0,
    advanced: 0,
    failed: 0,
    failures: [],
  };
  let afterId: string | undefined;
  for (;;) {
    const query = { collection: paths.sessions, field: 'status', oneOf: OPEN_STATUSES, limit: PAGE_SIZE };
    const ids = await deps.store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    const remaining = [...ids];
    const sweepRemaining = async (): Promise<void> => {
      for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) {
        const sessionId = id;
        await withLogContext({ sessionId }, () => sweepOrLog(sessionId, report, deps));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_SESSIONS }, sweepRemaining));
    afterId = ids.at(-1);
    if (ids.length < PAGE_SIZE) return report;
  }
}

async function sweepOrLog(sessionId: string, report: SweepReport, deps: StateDeps): Promise<void> {
  report.sessions++;
  await deps.failpoint?.(CRASH_POINTS.duringSweep);
  try {
    const { value: session, failure } = await captureFailure(
      deps.store.get(paths.session(sessionId), sessionType),
    );
    if (failure !== undefined) {
      await endUnreadableSession(sessionId, failure, deps);
      report.advanced++;
      return;
    }
    // A session that has ended since it was listed needs nothing.
    if (session !== undefined && !isTerminal(session.value.status)) await sweepSession(session, report, deps);
  } catch (error) {
    const code = error instanceof InquestError ? error.code : null;
    const message = errorMessage(error);
    report.failed++;
    if (report.failures.length < LISTED_FAILURES) report.failures.push({ sessionId, code, message });
    deps.log.error({ sessionId, err: error }, `the sweep could not repair a session: ${message}`);
  }
}

async function sweepSession(session: Stored<Session>, report: SweepReport, deps: StateDeps): Promise<void> {
  const { sessionId, currentStageId, traceparent } = session.value;
  addLogContext({ traceparent });
  const now = deps.clock.now();
  const { stage, executions, broken } = await loadReadableStage(sessionId, currentStageId, deps);
  const decision = decideSweep(session.value, stage, executions, now, broken);
  switch (decision.kind) {
    case 'finish_cancelling':
      report.ended += await finishCancelling(session.value, deps);
      report.advanced++;
      return;
    case 'advance':
      await advanceStage({ sessionId, stageId: currentStageId }, deps);
      report.advanced++;
      return;
    case 'end_session':
      await endBrokenSession(session, executions, decision.failure, deps);
      report.advanced++;
      return;
    case 'repair':
      for (const { execution, ending } of decision.end) {
        if ((await endExecution(execution, ending, deps)) !== undefined) report.ended++;
      }
      for (const execution of decision.publish) {
        await publishIteration(deps.publisher, execution);
        report.republished++;
      }
      for (const execution of decision.settle) {
        if (await settleWaits(execution, deps)) report.settled++;
      }
      if (decision.missing !== undefined)
        throw new TerminalError('DOCUMENT_INVALID', decision.missing.message);
  }
}

/** Ends a session whose documents are missing or unreadable, with those of its executions that can be read. */
async function endBrokenSession(
  session: Stored<Session>,
  executions: Stored<Execution>[],
  failure: Failure,
  deps: StateDeps,
): Promise<void> {
  const open = executions.filter(({ value }) => !isTerminal(value.status));
  for (const execution of open) {
    await endExecution(execution, deadlineExceeded(session.value.deadline), deps).catch(ignoreTerminalError);
  }
  deps.log.error({ sessionId: session.id, code: failure.code }, `a session was ended: ${failure.message}`);
  // If another process changed it first, the next sweep checks it again.
  await endSession(session, { status: 'failed', failure }, deps);
}
