// The end of a stage and what follows it: the next stage, or the end of the session. Idempotent and off the hot path:
// whoever ends an execution calls it, and whoever finds one ended calls it again.

import { RetryableError, TerminalError } from '../errors.ts';
import { addTokens, isTerminal } from '../schema/common.ts';
import { executionIdOf, executionType, paths, sessionType, stageType } from '../schema/documents.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import { replace, type Stored, type Write } from '../store/store.ts';
import type { RuntimeDeps } from './deps.ts';
import { publishIteration } from './nextIteration.ts';
import { combinedAnalysis, type StageOutcome, stageOutcome } from './stageOutcome.ts';
import { type StageStart, startStage } from './startStage.ts';

const MAX_RACES = 10;

/**
 * Ends the stage of `ended` if all its executions have ended, and starts what follows.
 * @throws RetryableError when others keep changing the session, or store or publisher fail.
 */
export async function advanceStage(ended: Execution, deps: RuntimeDeps): Promise<void> {
  const { sessionId, stageId } = ended;
  for (let race = 0; race < MAX_RACES; race++) {
    const [session, stage] = await Promise.all([
      deps.store.get(paths.session(sessionId), sessionType),
      deps.store.get(paths.stage(sessionId, stageId), stageType),
    ]);
    if (session === undefined || stage === undefined || isTerminal(session.value.status)) return;
    if (isTerminal(stage.value.status)) return publishUnclaimed(session.value, deps);

    const expected = stage.value.expectedExecutions;
    const executions = await loadExecutions(sessionId, expected, deps);
    const outcome = executions.length === expected.length ? stageOutcome(executions) : undefined;
    if (outcome === undefined) return;

    const now = deps.clock.now();
    const known = await withEarlierFindings(session.value, stage.value, outcome, deps);
    const { writes, started } = whatFollows(session, stage, known, now);
    const result = await deps.store.commit(writes).catch((error: unknown) => {
      if (!(error instanceof TerminalError)) throw error;
      // What follows cannot be stored, and never could: the session ends without it.
      const failure = { code: error.code, message: error.message };
      const failed = { ...outcome, status: 'failed' as const, findings: [], failure };
      started.length = 0;
      return deps.store.commit(whatFollows(session, stage, failed, now).writes);
    });
    if (!result.ok) continue;
    await Promise.all(started.map((execution) => publishIteration(deps.publisher, execution)));
    deps.log.info({ sessionId, stageId, status: outcome.status }, 'stage ended');
    return;
  }
  throw new RetryableError('STORE_CONFLICT', `stage ${stageId} kept changing under ${MAX_RACES} tries`);
}

function whatFollows(
  session: Stored<Session>,
  stage: Stored<Stage>,
  outcome: StageOutcome,
  now: Date,
): { writes: Write[]; started: Execution[] } {
  const endedStage: Stage = {
    ...stage.value,
    status: outcome.status,
    finishedExecutions: stage.value.expectedExecutions,
    endedAt: now,
  };
  const stageWrite = replace(stage.path, stageType, endedStage, stage.version);
  const tokens = addTokens(session.value.tokens, outcome.tokens);
  const sessionWrite = (value: Session) => replace(session.path, sessionType, value, session.version);

  const next = nextStage(session.value, stage.value, outcome);
  if (next !== undefined) {
    const started = startStage(session.value, next, now);
    const value = { ...session.value, tokens, currentStageId: started.stageId };
    return { writes: [stageWrite, sessionWrite(value), ...started.writes], started: started.executions };
  }
  const value: Session = {
    ...session.value,
    status: outcome.status,
    finalAnalysis: combinedAnalysis(outcome.findings),
    failure: outcome.failure,
    tokens,
    endedAt: now,
  };
  return { writes: [stageWrite, sessionWrite(value)], started: [] };
}

/** A synthesis that failed must not take away what the agents before it found. */
async function withEarlierFindings(
  session: Session,
  { kind, index }: Stage,
  outcome: StageOutcome,
  deps: RuntimeDeps,
): Promise<StageOutcome> {
  if (kind !== 'synthesis' || outcome.status === 'completed') return outcome;
  const agents = session.chain.stages[index - 1]?.agents ?? [];
  const ids = agents.map(({ name }) => executionIdOf(index, name));
  const earlier = stageOutcome(await loadExecutions(session.sessionId, ids, deps));
  return { ...outcome, findings: earlier?.findings ?? [] };
}

/** The synthesis of a stage that has one, else the next stage of the chain; undefined when the session ends. */
function nextStage(
  session: Session,
  stage: Stage,
  { status, findings, results }: StageOutcome,
): StageStart | undefined {
  if (status !== 'completed') return undefined;
  const { stages } = session.chain;
  const { index } = stage;
  if (stage.kind === 'investigation' && stages[index - 1]?.synthesis)
    return { index, kind: 'synthesis', findings: results };
  return index < stages.length ? { index: index + 1, kind: 'investigation', findings } : undefined;
}

/** Publishes the first messages of a session's current stage that nobody ever received: whoever started it may have died. */
export async function publishUnclaimed(
  session: Session,
  deps: Pick<RuntimeDeps, 'store' | 'publisher'>,
): Promise<void> {
  const current = await deps.store.get(paths.stage(session.sessionId, session.currentStageId), stageType);
  if (current === undefined) return;
  const executions = await loadExecutions(session.sessionId, current.value.expectedExecutions, deps);
  const unclaimed = executions.filter((execution) => execution.publishedIteration === 0);
  await Promise.all(unclaimed.map((execution) => publishIteration(deps.publisher, execution)));
}

async function loadExecutions(
  sessionId: string,
  ids: string[],
  deps: Pick<RuntimeDeps, 'store'>,
): Promise<Execution[]> {
  const stored = await Promise.all(
    ids.map((id) => deps.store.get(paths.execution(sessionId, id), executionType)),
  );
  return stored.flatMap((execution) => (execution === undefined ? [] : [execution.value]));
}
