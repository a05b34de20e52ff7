// Ends a stage and starts the next stage, or ends the session. Idempotent: it runs whenever a process ends an
// execution, finds an ended one, or sweeps the session.

import type { Stored } from '../contract/store.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { endDescendants, listAllDescendants } from '../kernel/execution/descendants.ts';
import { isUnclaimed, publishAgain } from '../kernel/execution/publishAgain.ts';
import type { EndedStage, Judgement } from '../kernel/stageFeature.ts';
import { isTerminal } from '../schema/common.ts';
import { executionType, paths, sessionType, stageType } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import { isAfterEnd, type Stage } from '../schema/stage.ts';
import { commitQuestionEnd } from './commitQuestionEnd.ts';
import { commitStageEnd } from './commitStageEnd.ts';
import { decideStage } from './decideStage.ts';
import { loadEarlierStages } from './earlierStages.ts';

/**
 * Ends the stage if all its executions and their descendants have ended, then starts the next stage or ends
 * the session.
 * @throws RetryableError when other writers keep changing the session, when unclaimed first messages were
 *   published too recently to be published again, or store or publisher fail.
 */
export async function advanceStage(
  { sessionId, stageId }: Pick<Execution, 'sessionId' | 'stageId'>,
  deps: StateDeps,
): Promise<void> {
  await retryLostRaces(`stage ${stageId}`, SESSION_RACES, async () => {
    const [session, stage] = await Promise.all([
      deps.store.get(paths.session(sessionId), sessionType),
      deps.store.get(paths.stage(sessionId, stageId), stageType),
    ]);
    if (session === undefined || stage === undefined) return;
    const stored = await loadExecutions(sessionId, stage.value.expectedExecutions, deps);
    const executions = stored.map(({ value }) => value);
    const ended = executions.filter(({ status }) => isTerminal(status));
    // A process that died while it ended an execution can have left open descendants.
    if (!isTerminal(stage.value.status)) for (const execution of ended) await endDescendants(execution, deps);
    const isEnding = isOver(session.value, stage.value, executions);
    const earlier = isEnding ? await loadEarlierStages(session.value, stage.value, deps) : [];
    const isLast = ended.length === executions.length;
    const descendants = isLast ? (await listAllDescendants(executions, deps)).map(({ value }) => value) : [];
    const now = deps.clock.now();
    const over = { session: session.value, stage: stage.value, executions };
    const judgement = isEnding ? await judgeStage(over, now, deps) : undefined;
    const decision = decideStage(session.value, stage.value, executions, earlier, now, descendants, {
      judgement,
      features: deps.stageFeatures,
    });
    switch (decision.kind) {
      case 'session_ended':
      case 'running':
        return;
      case 'already_advanced':
        return resumeStage(session.value, deps);
      case 'end_question':
        return (await commitQuestionEnd({ session, stage }, decision.outcome, now, deps))
          ? undefined
          : RACE_LOST;
      case 'start':
      case 'end_session': {
        const current = decision.kind === 'start' ? await refreshSession(session, deps) : session;
        const ended = { session: current, stage, executions, descendants, earlier };
        if (!(await commitStageEnd(ended, decision, now, deps))) return RACE_LOST;
      }
    }
  });
}

/** The first judgement of a feature on a stage. */
async function judgeStage(ended: EndedStage, now: Date, deps: StateDeps): Promise<Judgement | undefined> {
  for (const feature of deps.stageFeatures) {
    const judgement = await feature.judge?.(ended, now, deps);
    if (judgement !== undefined) return judgement;
  }
  return undefined;
}

/** The session as its features bring it up to date for the stage that it starts. */
async function refreshSession(session: Stored<Session>, deps: StateDeps): Promise<Stored<Session>> {
  let value = session.value;
  for (const feature of deps.stageFeatures) value = (await feature.beforeStage?.(value, deps)) ?? value;
  return { ...session, value };
}

/** Whether a stage is open and its executions have ended: only then earlier stages matter. */
function isOver(session: Session, stage: Stage, executions: Execution[]): boolean {
  if (isAfterEnd(stage)) return false;
  const isOpen = !isTerminal(session.status) && !isTerminal(stage.status);
  return isOpen && executions.every(({ status }) => isTerminal(status));
}

/**
 * Continues a session's current stage after the process that started or ended it died: publishes the first
 * messages of executions that were never claimed, and ends the stage if all its executions have ended.
 */
export function resumeStage({ sessionId, currentStageId }: Session, deps: StateDeps): Promise<void> {
  return continueStage(sessionId, currentStageId, deps);
}

/** Continues a stage, as `resumeStage` does the current one. */
export async function continueStage(sessionId: string, stageId: string, deps: StateDeps): Promise<void> {
  const stage = await deps.store.get(paths.stage(sessionId, stageId), stageType);
  // The current stage of an open session has not ended, unless an operator edited the documents.
  if (stage === undefined || isTerminal(stage.value.status)) return;
  const executions = await loadExecutions(sessionId, stage.value.expectedExecutions, deps);
  if (executions.every(({ value }) => isTerminal(value.status)))
    return advanceStage({ sessionId, stageId }, deps);
  const unclaimed = executions.filter(({ value }) => value.publishedIteration === 0 && isUnclaimed(value));
  const published = await Promise.allSettled(unclaimed.map((execution) => publishAgain(execution, deps)));
  for (const one of published) if (one.status === 'rejected') throw one.reason;
}

async function loadExecutions(
  sessionId: string,
  ids: string[],
  { store }: Pick<StateDeps, 'store'>,
): Promise<Stored<Execution>[]> {
  const stored = await Promise.all(ids.map((id) => store.get(paths.execution(sessionId, id), executionType)));
  return stored.filter((execution) => execution !== undefined);
}
