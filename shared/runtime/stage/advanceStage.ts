// Ends a stage and starts what follows: the next stage, or the end of the session. Idempotent, because every process that
// ends an execution, finds one ended, or sweeps its session calls it.

import { replace, type Stored, type Write } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { addTokens, failureOf, isTerminal } from '../../schema/common.ts';
import { executionIdOf, executionType, paths, sessionType, stageType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { publishIteration } from '../iteration/nextIteration.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../races.ts';
import { decideStage, type SessionEnd, type StageDecision } from './decideStage.ts';
import { startStage } from './startStage.ts';

/**
 * Ends the stage of `ended` if all its executions have ended, and starts what follows.
 * @throws RetryableError when other writers keep changing the session, or store or publisher fail.
 */
export async function advanceStage(
  ended: Pick<Execution, 'sessionId' | 'stageId'>,
  deps: StateDeps,
): Promise<void> {
  const { sessionId, stageId } = ended;
  await retryLostRaces(`stage ${stageId}`, SESSION_RACES, async () => {
    const [session, stage] = await Promise.all([
      deps.store.get(paths.session(sessionId), sessionType),
      deps.store.get(paths.stage(sessionId, stageId), stageType),
    ]);
    if (session === undefined || stage === undefined) return;
    const [executions, earlier] = await Promise.all([
      loadExecutions(sessionId, stage.value.expectedExecutions, deps),
      loadExecutions(sessionId, synthesizedIdsOf(stage.value, session.value), deps),
    ]);
    const now = deps.clock.now();
    const decision = decideStage(session.value, stage.value, executions, earlier, now);
    switch (decision.kind) {
      case 'session_ended':
      case 'running':
        return;
      case 'already_advanced':
        return resumeStage(session.value, deps);
      case 'start':
      case 'end_session':
        if (!(await commitStageEnd(session, stage, decision, now, deps))) return RACE_LOST;
    }
  });
}

/** Ends the stage, stores what follows and publishes it; false when another writer changed session or stage. */
async function commitStageEnd(
  session: Stored<Session>,
  stage: Stored<Stage>,
  decision: Extract<StageDecision, { kind: 'start' | 'end_session' }>,
  now: Date,
  deps: StateDeps,
): Promise<boolean> {
  const { writes, started } = buildStageEnd(session, stage, decision, now);
  await deps.failpoint?.(CRASH_POINTS.stageBeforeCommit);
  const result = await deps.store.commit(writes).catch((error: unknown) => {
    if (!(error instanceof TerminalError)) throw error;
    // The documents of the next stage can never be stored, so the session ends without it.
    const end: SessionEnd = { status: 'failed', failure: failureOf(error), finalAnalysis: null };
    const failed: StageDecision = {
      kind: 'end_session',
      end,
      outcome: { ...decision.outcome, status: 'failed' },
    };
    started.length = 0;
    return deps.store.commit(buildStageEnd(session, stage, failed, now).writes);
  });
  if (!result.ok) return false;
  await deps.failpoint?.(CRASH_POINTS.stageAfterCommit);
  await Promise.all(started.map((execution) => publishIteration(deps.publisher, execution)));
  const { sessionId, stageId } = stage.value;
  deps.log.info({ sessionId, stageId, status: decision.outcome.status }, 'stage ended');
  return true;
}

function buildStageEnd(
  session: Stored<Session>,
  stage: Stored<Stage>,
  decision: Extract<StageDecision, { kind: 'start' | 'end_session' }>,
  now: Date,
): { writes: Write[]; started: Execution[] } {
  const { outcome } = decision;
  const endedStage: Stage = {
    ...stage.value,
    status: outcome.status,
    finishedExecutions: stage.value.expectedExecutions,
    endedAt: now,
  };
  const stageWrite = replace(stage.path, stageType, endedStage, stage.version);
  const tokens = addTokens(session.value.tokens, outcome.tokens);
  const sessionWrite = (change: Partial<Session>) =>
    replace(session.path, sessionType, { ...session.value, tokens, ...change }, session.version);

  if (decision.kind === 'end_session') {
    return { writes: [stageWrite, sessionWrite({ ...decision.end, endedAt: now })], started: [] };
  }
  const { stageId, executions, writes } = startStage(session.value, decision.next, now);
  return { writes: [stageWrite, sessionWrite({ currentStageId: stageId }), ...writes], started: executions };
}

/** The ids of the executions whose results a synthesis combines; empty for other stages. */
function synthesizedIdsOf({ kind, index }: Stage, { chain }: Session): string[] {
  if (kind !== 'synthesis') return [];
  return (chain.stages[index - 1]?.agents ?? []).map(({ name }) => executionIdOf(index, name));
}

/**
 * Continues a session's current stage after the process that started or ended it died: publishes the first messages of
 * executions that were never claimed, and ends the stage if all its executions have ended.
 */
export async function resumeStage(session: Session, deps: StateDeps): Promise<void> {
  const { sessionId, currentStageId: stageId } = session;
  const stage = await deps.store.get(paths.stage(sessionId, stageId), stageType);
  // The current stage of an open session has not ended, unless an operator edited the documents.
  if (stage === undefined || isTerminal(stage.value.status)) return;
  const executions = await loadExecutions(sessionId, stage.value.expectedExecutions, deps);
  if (executions.every(({ status }) => isTerminal(status))) return advanceStage({ sessionId, stageId }, deps);
  const unclaimed = executions.filter(({ publishedIteration }) => publishedIteration === 0);
  await Promise.all(unclaimed.map((execution) => publishIteration(deps.publisher, execution)));
}

async function loadExecutions(
  sessionId: string,
  ids: string[],
  { store }: Pick<StateDeps, 'store'>,
): Promise<Execution[]> {
  const stored = await Promise.all(ids.map((id) => store.get(paths.execution(sessionId, id), executionType)));
  return stored.flatMap((execution) => execution?.value ?? []);
}
