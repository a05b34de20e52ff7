// Decides how a stage continues after its executions were read. Depends only on the state.

import { limitText } from '../../text/limitText.ts';
import {
  firstAnswer,
  type InsertedStage,
  type Judgement,
  type StageFeature,
} from '../kernel/stageFeature.ts';
import { CANCELLED, deadlineExceeded } from '../kernel/state/decide.ts';
import { isSessionUsedUp } from '../kernel/tokens/tokenBudget.ts';
import type { Finding } from '../prompts/findings.ts';
import type { SuccessPolicy } from '../schema/agent.ts';
import { type Failure, isTerminal, type TerminalStatus } from '../schema/common.ts';
import type { BudgetName, Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import { isAfterEnd, isInserted, type Stage } from '../schema/stage.ts';
import { collectCaveats, type EarlierStage, earlierFindings, latestFindings } from './earlierStages.ts';
import { combinedAnalysis, type StageOutcome, stageOutcome } from './stageOutcome.ts';
import type { StageStart } from './startStage.ts';

/** How a session ends. `partial` explains that the analysis is missing, or is not the chain's final one. */
export type SessionEnd = Pick<
  Session,
  'failure' | 'finalAnalysis' | 'executiveSummary' | 'partial' | 'caveats'
> & { status: TerminalStatus };

/** How a stage continues. */
export type StageDecision =
  /** Nothing is left to do. */
  | { kind: 'session_ended' }
  /** Another process ended the stage, perhaps without publishing the next stage's messages. */
  | { kind: 'already_advanced' }
  /** Some executions have not ended. */
  | { kind: 'running' }
  | {
      kind: 'start';
      next: StageStart;
      outcome: StageOutcome;
      caveats: Session['caveats'];
      /** Only for executive summary and last check: how the session then ends. The analysis is visible. */
      conclusion?: SessionEnd;
      /** The judgement of a feature, which is stored. */
      judgement?: Judgement | undefined;
    }
  /** The answer to a question has ended, with or without success. */
  | { kind: 'end_question'; outcome: StageOutcome }
  /** `withoutSummary`: the exhausted budget that prevents the executive summary. */
  | {
      kind: 'end_session';
      end: SessionEnd;
      outcome: StageOutcome;
      withoutSummary?: BudgetName;
      judgement?: Judgement | undefined;
    };

/** The part of features in a decision. Default: none. */
interface Judging {
  judgement?: Judgement | undefined;
  features?: readonly StageFeature[];
}

/**
 * Decides how a stage continues.
 * @param executions the expected executions that exist.
 * @param earlier the stages before this one, oldest first, including the stage that a synthesis combines.
 * @param descendants all descendants of the stage's executions.
 * @param judging the judgement of a feature on the stage, and the features that can insert stages.
 */
export function decideStage(
  session: Session,
  stage: Stage,
  executions: Execution[],
  earlier: EarlierStage[],
  now: Date,
  descendants: Execution[] = [],
  { judgement, features = [] }: Judging = {},
): StageDecision {
  if (isAfterEnd(stage)) return decideQuestion(session, stage, executions);
  if (isTerminal(session.status)) return { kind: 'session_ended' };
  if (isTerminal(stage.status)) return { kind: 'already_advanced' };
  const outcome =
    executions.length === stage.expectedExecutions.length
      ? stageOutcome(executions, findSuccessPolicy(session, stage), descendants)
      : undefined;
  if (outcome === undefined) return { kind: 'running' };

  if (stage.kind === 'exec_summary') return afterSummary(session, executions, earlier, outcome);
  if (isInserted(stage))
    return afterInserted({ session, stage, executions, earlier, outcome }, judgement, now);
  // A stage without findings discards nothing: the session still shows the findings of earlier stages.
  const findings = outcome.findings.length > 0 ? outcome.findings : latestFindings(earlier);
  const caveats = collectCaveats([...earlier.flatMap((stage) => stage.executions), ...executions]);
  const end = ({ status, failure }: Pick<SessionEnd, 'status' | 'failure'>): StageDecision => ({
    kind: 'end_session',
    end: sessionEnd(status, failure, findings, caveats),
    outcome,
  });
  // The findings from before the cancellation are kept, but no further stage starts.
  if (session.status === 'cancelling') return end(CANCELLED);
  const next = nextStage(session, stage, outcome, earlier);
  const tokens = session.tokens.total + outcome.tokens.total;
  const place = {
    session,
    index: stage.index,
    findings,
    analysis: combinedAnalysis(findings),
    executions,
    tokens,
    nextIndex: next?.kind === 'investigation' ? next.index : undefined,
    isLast: next === undefined,
  };
  const inserted = firstAnswer(features, (feature) => feature.insertStage?.(place, now));
  const own =
    inserted !== undefined && 'stage' in inserted ? startInserted(place, inserted.stage) : undefined;
  if (next === undefined) {
    const answer = judgement?.answer;
    if (answer !== undefined && findings.length === 0) {
      const caveat = { executionId: executions[0]?.executionId ?? '', code: answer.caveat };
      const end = sessionEnd(outcome.status, outcome.failure, [answer.finding], [...caveats, caveat]);
      return { kind: 'end_session', end, outcome, judgement };
    }
    const ended = sessionEnd(outcome.status, outcome.failure, findings, caveats);
    if (own !== undefined) return { kind: 'start', next: own, outcome, caveats, conclusion: ended };
    const without = inserted !== undefined && 'without' in inserted ? inserted.without : undefined;
    return withSummary(session, executions, findings, { end: ended, outcome, judgement: without }, now);
  }
  if (now >= session.deadline) return end(deadlineExceeded(session.deadline));
  return { kind: 'start', next: own ?? next, outcome, caveats };
}

/** The start of an inserted stage, which gets the results so far. */
const startInserted = (
  { index, findings }: Pick<StageStart, 'index' | 'findings'>,
  inserted: InsertedStage,
): StageStart => ({ index, kind: inserted.kind, findings, inserted });

interface EndedInserted {
  session: Session;
  stage: Stage;
  executions: Execution[];
  earlier: EarlierStage[];
  outcome: StageOutcome;
}

/** A further inserted stage, the next stage of the chain, or the end. */
function afterInserted(
  { session, stage, executions, earlier, outcome }: EndedInserted,
  judgement: Judgement | undefined,
  now: Date,
): StageDecision {
  const findings = latestFindings(earlier);
  const caveats = collectCaveats(earlier.flatMap((one) => one.executions));
  const isCancelled = session.status === 'cancelling';
  const { conclusion } = session;
  const again = judgement?.again;
  if (again !== undefined && !isCancelled && now < session.deadline) {
    const next = startInserted({ index: stage.index, findings }, again);
    const concluded = conclusion && sessionEnd(conclusion.status, conclusion.failure, findings, caveats);
    return { kind: 'start', next, outcome, caveats, ...(concluded && { conclusion: concluded }) };
  }
  const { status, failure } = decideSessionEnd(session, { status: 'completed', failure: null });
  const end = sessionEnd(status, failure, findings, caveats);
  if (isCancelled) return { kind: 'end_session', end, outcome, judgement };
  const index = conclusion === null ? nextAfterInserted(session, stage, judgement) : undefined;
  if (index === undefined)
    return withSummary(session, executions, findings, { end, outcome, judgement }, now);
  if (now >= session.deadline) {
    const late = deadlineExceeded(session.deadline);
    const lateEnd = sessionEnd(late.status, late.failure, findings, caveats);
    return { kind: 'end_session', end: lateEnd, outcome, judgement };
  }
  const next: StageStart = { index, kind: 'investigation', findings: earlierFindings(earlier) };
  return { kind: 'start', next, outcome, caveats, judgement };
}

/** The position of the next stage. Without the feature that inserted the stage, the chain continues. */
function nextAfterInserted(
  { chain }: Session,
  { index }: Stage,
  judgement: Judgement | undefined,
): number | undefined {
  if (judgement !== undefined) return judgement.nextIndex;
  return index < chain.stages.length ? index + 1 : undefined;
}

/** A question does not depend on the outcome of the session. Nothing follows it. */
function decideQuestion(session: Session, stage: Stage, executions: Execution[]): StageDecision {
  if (isTerminal(stage.status)) return { kind: 'session_ended' };
  const isWhole = executions.length === stage.expectedExecutions.length;
  const outcome = isWhole ? stageOutcome(executions, findSuccessPolicy(session, stage)) : undefined;
  return outcome === undefined ? { kind: 'running' } : { kind: 'end_question', outcome };
}

/**
 * Alternative ends for a decision whose documents can never be stored, the best one first. They keep the
 * decided status and leave out large parts: first the next stage, then the analysis, which its execution
 * still has.
 * @param refusal why the documents cannot be stored.
 */
export function smallerEnds(
  decision: Extract<StageDecision, { kind: 'start' | 'end_session' }>,
  refusal: Failure,
): SessionEnd[] {
  if (decision.kind === 'start') {
    const { outcome, caveats, conclusion } = decision;
    if (conclusion !== undefined)
      return [conclusion, ...smallerEnds({ kind: 'end_session', end: conclusion, outcome }, refusal)];
    return [sessionEnd('failed', refusal, outcome.findings, caveats), withoutAnalysis('failed', refusal)];
  }
  const { status, failure, executiveSummary } = decision.end;
  return [
    ...(executiveSummary === null ? [] : [{ ...decision.end, executiveSummary: null }]),
    status === 'completed' || failure === null
      ? withoutAnalysis('failed', refusal)
      : withoutAnalysis(status, failure),
  ];
}

/** A session's end with these findings as analysis. `caveats`: of all contributing analyses. */
export function sessionEnd(
  status: TerminalStatus,
  failure: Failure | null,
  findings: Finding[],
  caveats: Session['caveats'],
): SessionEnd {
  const analysis = {
    finalAnalysis: combinedAnalysis(findings),
    caveats: findings.length > 0 ? caveats : [],
    executiveSummary: null,
  };
  if (status === 'completed') return { status, failure, ...analysis, partial: null };
  const cause = failure?.message ?? `The session is ${status}.`;
  const left = findings.length === 0 ? 'without an analysis' : 'with what had been found so far';
  const text = `The investigation ended early, ${left}. ${limitText(cause, MAX_CAUSE_BYTES).content}`;
  return { status, failure, ...analysis, partial: { reason: failure?.code ?? status, text } };
}

/** Bytes of a failure's message in `partial`; the failure has the whole. */
const MAX_CAUSE_BYTES = 2_000;

function withoutAnalysis(status: TerminalStatus, failure: Failure): SessionEnd {
  const text = `What was found could not be stored in the session; the executions have it. ${failure.message}`;
  return {
    status,
    failure,
    finalAnalysis: null,
    executiveSummary: null,
    caveats: [],
    partial: { reason: failure.code, text },
  };
}

/** The executive summary, if configured and affordable in time and budget; else the session's end. */
function withSummary(
  session: Session,
  executions: Execution[],
  findings: Finding[],
  { end, outcome, judgement }: { end: SessionEnd; outcome: StageOutcome; judgement: Judgement | undefined },
  now: Date,
): StageDecision {
  const { chain, deadline, tokens } = session;
  const ending: StageDecision = { kind: 'end_session', end, outcome, judgement };
  if (chain.summary === undefined || findings.length === 0 || end.status === 'cancelled') return ending;
  if (now >= deadline) return ending;
  const isUsedUp = isSessionUsedUp(chain.summary.limits, tokens.total + outcome.tokens.total);
  const dayIsUsedUp = executions.some(({ budgetReached }) => budgetReached === 'dailyTokens');
  if (isUsedUp || dayIsUsedUp)
    return { ...ending, withoutSummary: isUsedUp ? 'sessionTokens' : 'dailyTokens' };
  const { status, failure, caveats } = end;
  const endedEarly = status === 'completed' ? undefined : (failure?.code ?? status);
  const next: StageStart = {
    index: chain.stages.length + 1,
    kind: 'exec_summary',
    findings,
    ...(endedEarly !== undefined && { endedEarly }),
  };
  return { kind: 'start', next, outcome, caveats, conclusion: end, judgement };
}

function afterSummary(
  session: Session,
  executions: Execution[],
  earlier: EarlierStage[],
  outcome: StageOutcome,
): StageDecision {
  const { status, failure } = decideSessionEnd(session, { status: 'completed', failure: null });
  const caveats = collectCaveats(earlier.flatMap((stage) => stage.executions));
  const end = sessionEnd(status, failure, latestFindings(earlier), caveats);
  return {
    kind: 'end_session',
    end: { ...end, executiveSummary: findExecutiveSummary(executions) },
    outcome,
  };
}

/** How a session with a conclusion ends: with it, unless it was cancelled since. */
export function decideSessionEnd<E extends Pick<SessionEnd, 'status' | 'failure'>>(
  { status, conclusion }: Session,
  otherwise: E,
): Pick<SessionEnd, 'status' | 'failure'> {
  if (status === 'cancelling') return CANCELLED;
  return conclusion ?? otherwise;
}

/** The summary that an execution of the summary's stage has written; null when it failed. */
export function findExecutiveSummary(executions: Execution[]): string | null {
  return executions.find(({ finalAnalysis }) => finalAnalysis !== null)?.finalAnalysis ?? null;
}

/** The success policy of a stage. For one execution, as of a synthesis, both policies are the same. */
function findSuccessPolicy({ chain }: Session, { index }: Stage): SuccessPolicy {
  return chain.stages[index - 1]?.successPolicy ?? 'any';
}

/** The synthesis of the stage, else the next stage of the chain; undefined when the session ends. */
function nextStage(
  { chain }: Session,
  { index, kind }: Stage,
  { status, findings, results }: StageOutcome,
  earlier: EarlierStage[],
): StageStart | undefined {
  const plan = chain.stages[index - 1];
  if (status !== 'completed' || plan === undefined) return undefined;
  const before = earlierFindings(earlier.filter((stage) => stage.index < index));
  if (kind === 'investigation' && plan.synthesis) {
    return { index, kind: 'synthesis', findings: results, earlier: before };
  }
  if (index >= chain.stages.length) return undefined;
  const own = findings.map((finding) => ({ ...finding, stage: plan.name }));
  return { index: index + 1, kind: 'investigation', findings: [...before, ...own] };
}
