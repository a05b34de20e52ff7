// The sweep, once a minute: looks at every open session and mends what no message will: lost messages, dead holders,
// deadlines that passed, cancellations and stages that were left unfinished. Running it twice at once does no harm.

import { replace, type Stored } from '../../contract/store.ts';
import { errorMessage, TerminalError } from '../../errors.ts';
import { type Failure, isTerminal } from '../../schema/common.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { deadlineExceeded } from '../iteration/decide.ts';
import { endOpen } from '../iteration/endExecution.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { finishCancelling, ignoreTerminal } from '../session/cancelSession.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { loadReadableStage } from '../stage/readableStage.ts';
import { decideSweep } from './decideSweep.ts';

/** What one sweep did; counts. */
export interface SweepReport {
  /** Open sessions it looked at. */
  sessions: number;
  /** Iteration messages published again. */
  republished: number;
  /** Executions ended. */
  ended: number;
  /** Sessions whose stage was made to go on, or that were ended. */
  advanced: number;
  /** Sessions it could not deal with; the log says why, the next sweep tries again. */
  failed: number;
}

const OPEN: Session['status'][] = ['in_progress', 'cancelling'];
const PAGE = 200;
/** Enough that a thousand open sessions take seconds, few enough not to crowd out the functions at work. */
const SIDE_BY_SIDE = 10;

/**
 * Looks at all open sessions. A session that cannot be dealt with is logged and does not keep the others from it.
 * @throws RetryableError when the sessions cannot be listed.
 */
export async function sweep(deps: StateDeps): Promise<SweepReport> {
  const report: SweepReport = { sessions: 0, republished: 0, ended: 0, advanced: 0, failed: 0 };
  let afterId: string | undefined;
  for (;;) {
    const query = { collection: paths.sessions, field: 'status', oneOf: OPEN, limit: PAGE };
    const ids = await deps.store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    const waiting = [...ids];
    const work = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await sweepOne(id, report, deps);
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    afterId = ids.at(-1);
    if (ids.length < PAGE) return report;
  }
}

async function sweepOne(sessionId: string, report: SweepReport, deps: StateDeps): Promise<void> {
  report.sessions++;
  await deps.reach?.(CRASH_POINTS.duringSweep);
  try {
    const session = await deps.store.get(paths.session(sessionId), sessionType);
    // It may have ended since it was listed; what ended never changes again.
    if (session !== undefined && !isTerminal(session.value.status)) await sweepSession(session, report, deps);
  } catch (error) {
    report.failed++;
    deps.log.error(
      { sessionId, err: error },
      `the sweep could not look after a session: ${errorMessage(error)}`,
    );
  }
}

async function sweepSession(session: Stored<Session>, report: SweepReport, deps: StateDeps): Promise<void> {
  const { sessionId, currentStageId } = session.value;
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
    case 'mend':
      for (const { execution, ending } of decision.end) {
        if ((await endOpen(execution, ending, deps)) !== undefined) report.ended++;
      }
      for (const execution of decision.publish) {
        await publishIteration(deps.publisher, execution);
        report.republished++;
      }
      if (decision.missing !== undefined)
        throw new TerminalError('DOCUMENT_INVALID', decision.missing.message);
  }
}

/** Ends a session whose documents are missing or unreadable, and what can be read of it. */
async function endBrokenSession(
  session: Stored<Session>,
  executions: Stored<Execution>[],
  failure: Failure,
  deps: StateDeps,
): Promise<void> {
  const open = executions.filter(({ value }) => !isTerminal(value.status));
  for (const execution of open) {
    await endOpen(execution, deadlineExceeded(session.value.deadline), deps).catch(ignoreTerminal);
  }
  deps.log.error({ sessionId: session.id, code: failure.code }, `a session was ended: ${failure.message}`);
  const ended: Session = { ...session.value, status: 'failed', failure, endedAt: deps.clock.now() };
  // If another process changed it meanwhile, the next tick looks again.
  await deps.store.commit([replace(session.path, sessionType, ended, session.version)]);
}
