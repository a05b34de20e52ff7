// What a stage whose executions were looked at leads to, by state alone.

import { type Failure, isTerminal, type TerminalStatus } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { CANCELLED, deadlineExceeded } from '../iteration/decide.ts';
import { combinedAnalysis, type StageOutcome, stageOutcome } from './stageOutcome.ts';
import type { StageStart } from './startStage.ts';

/** How a session ends. */
export interface SessionEnd {
  status: TerminalStatus;
  failure: Failure | null;
  finalAnalysis: string | null;
}

export type StageDecision =
  /** Nothing is left to do. */
  | { kind: 'session_ended' }
  /** Somebody went on before; the first messages of what followed may never have been published. */
  | { kind: 'went_on' }
  /** Not all executions have ended. */
  | { kind: 'running' }
  | { kind: 'start'; next: StageStart; outcome: StageOutcome }
  | { kind: 'end_session'; end: SessionEnd; outcome: StageOutcome };

/**
 * Decides how a stage goes on.
 * @param executions those the stage waits for, as far as they exist.
 * @param earlier of a synthesis: the executions whose results it combines.
 */
export function decideStage(
  session: Session,
  stage: Stage,
  executions: Execution[],
  earlier: Execution[],
  now: Date,
): StageDecision {
  if (isTerminal(session.status)) return { kind: 'session_ended' };
  if (isTerminal(stage.status)) return { kind: 'went_on' };
  const outcome =
    executions.length === stage.expectedExecutions.length ? stageOutcome(executions) : undefined;
  if (outcome === undefined) return { kind: 'running' };

  // A synthesis that failed must not take away what the agents before it found.
  const failedSynthesis = stage.kind === 'synthesis' && outcome.status !== 'completed';
  const findings = failedSynthesis ? (stageOutcome(earlier)?.findings ?? []) : outcome.findings;
  const end = ({ status, failure }: Pick<SessionEnd, 'status' | 'failure'>): StageDecision => ({
    kind: 'end_session',
    end: { status, failure, finalAnalysis: combinedAnalysis(findings) },
    outcome,
  });
  // What this stage found before somebody cancelled is kept, but nothing follows any more.
  if (session.status === 'cancelling') return end(CANCELLED);
  const next = nextStage(session, stage, outcome);
  if (next === undefined) return end(outcome);
  if (now >= session.deadline) return end(deadlineExceeded(session.deadline));
  return { kind: 'start', next, outcome };
}

/** The synthesis of a stage that has one, else the next stage of the chain; undefined when the session ends. */
function nextStage(
  { chain }: Session,
  { index, kind }: Stage,
  { status, findings, results }: StageOutcome,
): StageStart | undefined {
  if (status !== 'completed') return undefined;
  if (kind === 'investigation' && chain.stages[index - 1]?.synthesis) {
    return { index, kind: 'synthesis', findings: results };
  }
  return index < chain.stages.length ? { index: index + 1, kind: 'investigation', findings } : undefined;
}
