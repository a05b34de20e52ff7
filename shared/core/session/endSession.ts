// Ends a session that its current stage cannot end, because documents of the stage are missing or broken.

import type { CommitResult, Stored, Write } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { logSessionEnd } from '../kernel/session/logSessionEnd.ts';
import { saveSession } from '../kernel/session/replaceSession.ts';
import { endEvents } from '../kernel/session/sessionEvents.ts';
import { writesOfEnd } from '../kernel/stageFeature.ts';
import type { Ending } from '../kernel/state/decide.ts';
import { composeExecutionId, executionType, paths } from '../schema/coreDocuments.ts';
import type { Session } from '../schema/session.ts';
import { decideSessionEnd, findExecutiveSummary, type SessionEnd, sessionEnd } from '../stage/decideStage.ts';
import { collectCaveats, latestFindings, loadStages, plannedStages } from '../stage/earlierStages.ts';
import { withRecord } from '../stage/partialResult.ts';

/**
 * Ends the session with the readable results: the latest analyses, and the record of agents without one.
 * Leaves out analyses that cannot be stored. A concluded session of which only the executive summary is
 * broken keeps its conclusion.
 * @param writes of the same batch.
 * @returns a failed precondition when another writer changed the session; nothing was written then.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function endSession(
  session: Stored<Session>,
  ending: Ending,
  deps: StateDeps,
  writes: Write[] = [],
): Promise<CommitResult> {
  const stages = await loadStages(session.value, plannedStages(session.value), deps);
  const caveats = collectCaveats(stages.flatMap(({ executions }) => executions));
  const { status, failure } = decideSessionEnd(session.value, ending);
  const executiveSummary = await storedSummary(session.value, deps);
  const ends = [latestFindings(stages), []].map((found) => ({
    ...sessionEnd(status, failure, found, caveats),
    executiveSummary,
  }));
  const commit = async (end: SessionEnd): Promise<CommitResult> => {
    const now = deps.clock.now();
    const ended: Session = {
      ...session.value,
      ...(await withRecord(session.value, end, deps)),
      endedAt: now,
    };
    const executions = stages.flatMap((stage) => [...stage.executions, ...stage.descendants]);
    const others = [
      ...writes,
      ...endEvents(ended, { executions }, now),
      ...writesOfEnd(ended, executions, now, deps),
    ];
    const result = await saveSession(session, ended, others, deps);
    if (result.ok) logSessionEnd(ended, executions, deps);
    return result;
  };
  const [best, least] = ends as [SessionEnd, SessionEnd];
  try {
    return await commit(best);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return commit(least);
  }
}

/** The executive summary whose event is stored; null when there is none, or its execution cannot be read. */
async function storedSummary(
  { sessionId, chain, conclusion }: Session,
  deps: StateDeps,
): Promise<string | null> {
  if (conclusion === null || chain.summary === undefined) return null;
  const executionId = composeExecutionId(chain.stages.length + 1, chain.summary.name);
  const { value } = await captureFailure(
    deps.store.get(paths.execution(sessionId, executionId), executionType),
  );
  return value === undefined ? null : findExecutiveSummary([value.value]);
}
