// The place of the stage that checks claims: before stages that need a verdict, and at the end. Pure.

import type { Finding } from '../../prompt/findings.ts';
import type { Execution } from '../../schema/execution.ts';
import { checkPart, resultIn } from '../../schema/features/check.ts';
import type { SessionVerdict } from '../../schema/features/verdict.ts';
import { readPart } from '../../schema/parts.ts';
import type { Session } from '../../schema/session.ts';
import { isSessionUsedUp } from '../kernel/tokens/tokenBudget.ts';
import { combinedAnalysis } from './stageOutcome.ts';
import type { StageStart } from './startStage.ts';

/** The stage that checks findings' claims, or why it cannot start; undefined without a ledger. */
type ClaimsStart = { start: StageStart } | { reason: string } | undefined;

/**
 * The stage that checks claims after a stage.
 * @param executions of the stage that has ended.
 * @param tokens of the session, with those of the stage.
 */
export function claimsStart(
  session: Session,
  {
    index,
    findings,
    executions,
    tokens,
  }: { index: number; findings: Finding[]; executions: Execution[]; tokens: number },
  now: Date,
): ClaimsStart {
  const { claims } = session.chain;
  // A check that finds all well names no cause.
  const isCheck = readPart(checkPart, session) !== undefined;
  const isHealthy = isCheck && resultIn(combinedAnalysis(findings)) === 'healthy';
  if (claims === undefined || isHealthy) return undefined;
  if (findings.length === 0) return { reason: 'no_analysis' };
  if (now >= session.deadline) return { reason: 'no_time' };
  const isDayUsedUp = executions.some(({ budgetReached }) => budgetReached === 'dailyTokens');
  if (isDayUsedUp || isSessionUsedUp(claims.limits, tokens)) return { reason: 'no_tokens' };
  return { start: { index, kind: 'claims', findings } };
}

/** Whether a stage of the chain depends on the verdict after the stage before it. */
export function dependsOnVerdict({ chain }: Pick<Session, 'chain'>, next: StageStart): boolean {
  if (chain.claims === undefined || next.kind !== 'investigation') return false;
  return chain.stopWhen !== undefined || chain.stages[next.index - 1]?.when !== undefined;
}

/** The next stage that starts with a verdict; undefined if none. Without a verdict all start. */
export function nextWithVerdict(
  { chain }: Pick<Session, 'chain'>,
  index: number,
  verdict: SessionVerdict | null,
): number | undefined {
  const value = verdict?.value ?? null;
  if (value !== null && value === chain.stopWhen) return undefined;
  const at = chain.stages.findIndex(
    ({ when }, position) =>
      position >= index && (value === null || when === undefined || when.includes(value)),
  );
  return at === -1 ? undefined : at + 1;
}
