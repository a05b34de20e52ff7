// Commits the end of a question: its stage ends, another can be asked. The conclusion stays.

import { announce } from '../contract/announce.ts';
import { replaceDocument, type Stored } from '../contract/store.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { replaceSession } from '../kernel/session/replaceSession.ts';
import { addTokens } from '../schema/common.ts';
import { stageType } from '../schema/coreDocuments.ts';
import { addCosts } from '../schema/cost.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import type { StageOutcome } from './stageOutcome.ts';

/** Ends the stage of a question; false when another writer changed session or stage. */
export async function commitQuestionEnd(
  { session, stage }: { session: Stored<Session>; stage: Stored<Stage> },
  outcome: StageOutcome,
  now: Date,
  deps: StateDeps,
): Promise<boolean> {
  const { sessionId, stageId, expectedExecutions } = stage.value;
  const { status, tokens, cost } = outcome;
  const ended: Stage = {
    ...stage.value,
    status,
    finishedExecutions: expectedExecutions,
    endedAt: now,
  };
  const closed = closeQuestion(session.value, stageId, outcome, now);
  const changed: Session = {
    ...closed,
    tokens: addTokens(closed.tokens, tokens),
    cost: addCosts(closed.cost, cost),
  };
  await deps.failpoint?.(CRASH_POINTS.stageBeforeCommit);
  const { ok } = await announce(
    { session: session.value, stages: [stage.value] },
    { session: changed, stages: [ended] },
    [replaceDocument(stage.path, stageType, ended, stage.version), replaceSession(session, changed, deps)],
    deps,
  );
  if (ok) deps.log.info({ sessionId, stageId, status }, 'question ended');
  return ok;
}

/**
 * The session without its open question. A session that this question opened ends with the question's status;
 * any other session keeps its status.
 */
export function closeQuestion(
  session: Session,
  stageId: string,
  { status, failure }: Pick<StageOutcome, 'status' | 'failure'>,
  now: Date,
): Session {
  const isOpen = session.openStage?.stageId === stageId;
  const closed = { ...session, openStage: isOpen ? null : session.openStage };
  return session.kind === 'chat' && session.status === 'in_progress'
    ? { ...closed, status, failure, endedAt: now }
    : closed;
}
