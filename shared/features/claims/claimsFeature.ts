// Claims as a feature of stages: a stage that checks them before a verdict is needed, and the verdict.

import { checkPart, resultIn } from '../../alerts/schema/sessionCheck.ts';
import { putDocument } from '../../core/contract/store.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { nextPosition, type SessionNotice, sessionEvent } from '../../core/kernel/session/sessionEvents.ts';
import type {
  Inserted,
  InsertedStage,
  Judgement,
  StageFeature,
  StagePlace,
} from '../../core/kernel/stageFeature.ts';
import { isSessionUsedUp } from '../../core/kernel/tokens/tokenBudget.ts';
import { CONTRAST_STRATEGY, isSummaryStrategy } from '../../core/schema/agent.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { NOT_CHECKED, type SessionVerdict, verdictPart } from '../../evidence/schema/verdict.ts';
import { verdictSentence } from '../../evidence/verdictWords.ts';
import { CHECKS_AFTER_MS, type Outcome, outcomeType, type Probe } from '../../kits/alerts/outcome.ts';
import { notChecked } from '../../kits/claims/sessionVerdict.ts';
import { type ClaimsCheck, checkClaims, claimsStage } from './checkClaims.ts';
import { contrastProbe } from './contrastProbe.ts';
import { fillCollect } from './fillCollect.ts';
import { answerByRule } from './judgeByRule.ts';

/** Checks the claims of an analysis, and stores the verdict of its session. */
export const CLAIMS: StageFeature = {
  prepareAgent: (agent, session, now) => ({
    ...agent,
    collect: fillCollect(agent.collect, session, now),
    ...(session.chain.claims !== undefined &&
      isSummaryStrategy(agent.strategy) && {
        strategy: `${agent.strategy}:${readPart(verdictPart, session)?.value ?? NOT_CHECKED}`,
      }),
  }),
  async judge({ session, stage, executions }, now, { store, log }) {
    const isCheck = stage.kind === 'claims';
    if (!isCheck && !(stage.kind === 'investigation' && needsRule(session, executions))) return undefined;
    const { value, failure } = await captureFailure<ClaimsCheck | undefined>(
      isCheck ? checkClaims(session, stage, store) : answerByRule(session, store, now),
    );
    if (failure !== undefined) log.warn({ code: failure.code }, `claims cannot be read: ${failure.message}`);
    if (!isCheck) return value && judgementWith(value);
    const check = value ?? { verdict: notChecked('claims_failed') };
    const nextIndex = nextWithVerdict(session, stage.index, check.verdict);
    return {
      ...judgementWith(check),
      ...(stage.name === CONTRAST_STRATEGY && { again: CLAIMS_STAGE }),
      ...(nextIndex !== undefined && { nextIndex }),
    };
  },
  insertStage(place, now) {
    const { session, nextIndex, isLast } = place;
    if (!isLast && !dependsOnVerdict(session, nextIndex)) return undefined;
    return placeCheck(place, now);
  },
};

/** The stage that checks claims, after the calls for contrast that it needs. */
const CLAIMS_STAGE: InsertedStage = {
  kind: 'claims',
  prepare: async ({ session, stage }, findings, now, { store }) =>
    (await contrastProbe(session, stage, store, now)) ?? (await claimsStage(session, findings, store, now)),
  otherwise: judgementWith({ verdict: notChecked('claims_failed') }),
};

/** The check after a stage, or why it cannot start; undefined without a ledger. */
function placeCheck(
  { session, findings, analysis, executions, tokens }: StagePlace,
  now: Date,
): Inserted | undefined {
  const { claims } = session.chain;
  // A check that finds all well names no cause.
  const isHealthy = readPart(checkPart, session) !== undefined && resultIn(analysis) === 'healthy';
  if (claims === undefined || isHealthy) return undefined;
  const without = (reason: string) => ({ without: judgementWith({ verdict: notChecked(reason) }) });
  if (findings.length === 0) return without('no_analysis');
  if (now >= session.deadline) return without('no_time');
  const isDayUsedUp = executions.some(({ budgetReached }) => budgetReached === 'dailyTokens');
  if (isDayUsedUp || isSessionUsedUp(claims.limits, tokens)) return without('no_tokens');
  return { stage: CLAIMS_STAGE };
}

/** Whether a stage of the chain depends on the verdict after the stage before it. */
function dependsOnVerdict({ chain }: Session, nextIndex: number | undefined): boolean {
  if (chain.claims === undefined || nextIndex === undefined) return false;
  return chain.stopWhen !== undefined || chain.stages[nextIndex - 1]?.when !== undefined;
}

/** The next stage that starts with a verdict; undefined if none. Without a verdict all start. */
function nextWithVerdict({ chain }: Session, index: number, { value }: SessionVerdict): number | undefined {
  if (value !== null && value === chain.stopWhen) return undefined;
  const at = chain.stages.findIndex(
    ({ when }, position) =>
      position >= index && (value === null || when === undefined || when.includes(value)),
  );
  return at === -1 ? undefined : at + 1;
}

/** The judgement that stores a verdict, the event that reports it, and the calls to repeat later. */
function judgementWith({ verdict, finding, probes = [] }: ClaimsCheck): Judgement {
  return {
    apply(session, now) {
      const { steering } = session;
      const event = sessionEvent(session, nextPosition(session), verdictNotice(verdict), now);
      const counted = { ...steering, events: steering.events + 1 };
      // The calls of a fork change nothing, so that no problem can have ended by it.
      const outcome = openOutcome(session, session.kind === 'fork' ? [] : probes, now);
      const path = outcomeType.paths.outcome(session.sessionId);
      return {
        session: { ...withPart(verdictPart, session, verdict), steering: counted },
        writes: outcome === undefined ? [event] : [event, putDocument(path, outcomeType, outcome)],
        announced: { outcome },
      };
    },
    ...(finding !== undefined && { answer: { finding, caveat: 'BY_RULE' } }),
  };
}

/** The event that reports the verdict, with the rule and the reasons for which it is not better. */
function verdictNotice(verdict: SessionVerdict): SessionNotice {
  return { code: 'verdict', subject: verdict.value ?? NOT_CHECKED, content: verdictSentence(verdict) };
}

/**
 * The outcome of a session before its checks: a later check of its claims replaces it. Undefined without
 * probes.
 */
export function openOutcome(
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  probes: readonly Probe[],
  now: Date,
): Outcome | undefined {
  if (probes.length === 0) return undefined;
  return {
    sessionId,
    probes: [...probes],
    checks: [],
    value: null,
    reason: null,
    dueAt: new Date(now.getTime() + (CHECKS_AFTER_MS[0] ?? 0)),
    expireAt,
    createdAt: now,
  };
}

/** Whether rules can answer in place of agents that all ended without an analysis, and were not cancelled. */
const needsRule = ({ chain, status }: Session, executions: readonly Execution[]): boolean =>
  chain.claims !== undefined &&
  chain.rules === 'first' &&
  status !== 'cancelling' &&
  executions.every((one) => one.finalAnalysis === null && one.status !== 'cancelled');
