// Decides how a stage continues after its executions were read, from state alone.

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

/** How a stage continues. */
export type StageDecision =
  /** Nothing is left to do. */
  | { kind: 'session_ended' }
  /** Another process has ended the stage; it may have died before it published the messages of the next one. */
  | { kind: 'already_advanced' }
  /** Some executions have not ended. */
  | { kind: 'running' }
  | { kind: 'start'; next: StageStart; outcome: StageOutcome }
  | { kind: 'end_session'; end: SessionEnd; outcome: StageOutcome };

/**
 * Decides how a stage continues.
 * @param executions those of the expected executions that exist.
 * @param earlier the executions whose results a synthesis combines; empty for other stages.
 */
export function decideStage(
  session: Session,
  stage: Stage,
  executions: Execution[],
  earlier: Execution[],
  now: Date,
): StageDecision {
  if (isTerminal(session.status)) return { kind: 'session_ended' };
  if (isTerminal(stage.status)) return { kind: 'already_advanced' };
  const outcome =
    executions.length === stage.expectedExecutions.length ? stageOutcome(executions) : undefined;
  if (outcome === undefined) return { kind: 'running' };

  // When a synthesis fails, the session still shows the findings of the agents before it.
  const failedSynthesis = stage.kind === 'synthesis' && outcome.status !== 'completed';
  const findings = failedSynthesis ? (stageOutcome(earlier)?.findings ?? []) : outcome.findings;
  const end = ({ status, failure }: Pick<SessionEnd, 'status' | 'failure'>): StageDecision => ({
    kind: 'end_session',
    end: { status, failure, finalAnalysis: combinedAnalysis(findings) },
    outcome,
  });
  // The findings from before the cancellation are kept, but no further stage starts.
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
