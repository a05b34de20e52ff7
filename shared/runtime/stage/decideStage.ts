// Decides how a stage continues after its executions were read, from state alone.

import type { Finding } from '../../prompt/investigation.ts';
import { type Failure, isTerminal, type TerminalStatus } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { CANCELLED, deadlineExceeded } from '../iteration/decide.ts';
import { combinedAnalysis, type StageOutcome, stageOutcome } from './stageOutcome.ts';
import type { StageStart } from './startStage.ts';

/** How a session ends. `partial` says that the analysis is not the one the chain was to end with. */
export type SessionEnd = Pick<Session, 'failure' | 'finalAnalysis' | 'partial'> & { status: TerminalStatus };

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
 * @param earlier the executions whose findings this stage builds on; empty for the first stage.
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

  // A stage that found nothing takes nothing away: the session still shows the findings it was given.
  const findings = outcome.findings.length > 0 ? outcome.findings : (stageOutcome(earlier)?.findings ?? []);
  const end = ({ status, failure }: Pick<SessionEnd, 'status' | 'failure'>): StageDecision => ({
    kind: 'end_session',
    end: sessionEnd(status, failure, findings),
    outcome,
  });
  // The findings from before the cancellation are kept, but no further stage starts.
  if (session.status === 'cancelling') return end(CANCELLED);
  const next = nextStage(session, stage, outcome);
  if (next === undefined) return end(outcome);
  if (now >= session.deadline) return end(deadlineExceeded(session.deadline));
  return { kind: 'start', next, outcome };
}

/**
 * Other ends of a decision whose documents can never be stored, the best one first. They keep the status that was decided
 * and leave out what is big: first the next stage, then the analysis, which its execution still has.
 * @param refusal why the documents cannot be stored.
 */
export function smallerEnds(
  decision: Extract<StageDecision, { kind: 'start' | 'end_session' }>,
  refusal: Failure,
): SessionEnd[] {
  if (decision.kind === 'start') {
    const { findings } = decision.outcome;
    return [sessionEnd('failed', refusal, findings), sessionEnd('failed', refusal, [])];
  }
  const { status, failure } = decision.end;
  return [status === 'completed' ? sessionEnd('failed', refusal, []) : sessionEnd(status, failure, [])];
}

function sessionEnd(status: TerminalStatus, failure: Failure | null, findings: Finding[]): SessionEnd {
  const finalAnalysis = combinedAnalysis(findings);
  if (status === 'completed' || finalAnalysis === null) {
    return { status, failure, finalAnalysis, partial: null };
  }
  const cause = failure?.message ?? `The session is ${status}.`;
  const text = `The investigation ended early, with what had been found so far. ${cause}`;
  return { status, failure, finalAnalysis, partial: { reason: failure?.code ?? status, text } };
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
