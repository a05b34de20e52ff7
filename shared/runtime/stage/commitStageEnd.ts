// Commits the end of a stage together with its successor: the next stage, or the end of the session.

import { type Announced, announce } from '../../contract/announce.ts';
import {
  type CommitResult,
  putDocument,
  replaceDocument,
  type Stored,
  type Write,
} from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import type { Finding } from '../../prompt/findings.ts';
import { addTokens, isTerminal, toStoredFailure } from '../../schema/common.ts';
import { addCosts } from '../../schema/cost.ts';
import { outcomeType, paths, stageType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Outcome, Probe } from '../../schema/features/outcome.ts';
import { type SessionVerdict, verdictPart } from '../../schema/features/verdict.ts';
import { withPart } from '../../schema/parts.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { claimsStage } from '../claims/checkClaims.ts';
import { contrastProbe } from '../claims/contrastProbe.ts';
import { openOutcome } from '../claims/openOutcome.ts';
import { notChecked } from '../claims/sessionVerdict.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { logSessionEnd } from '../kernel/session/logSessionEnd.ts';
import { rememberSession } from '../kernel/session/rememberSession.ts';
import { replaceSession } from '../kernel/session/replaceSession.ts';
import { endEvents, nextPosition, sessionEvent, verdictNotice } from '../kernel/session/sessionEvents.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { type SessionEnd, type StageDecision, smallerEnds } from './decideStage.ts';
import type { EarlierStage } from './earlierStages.ts';
import { withRecord } from './partialResult.ts';
import { readWork } from './readWork.ts';
import { startStage } from './startStage.ts';

type StageEnd = Extract<StageDecision, { kind: 'start' | 'end_session' }>;

interface EndedStage {
  /** The session, with the version that the commit replaces. */
  session: Stored<Session>;
  /** The stage, with the version that the commit replaces. */
  stage: Stored<Stage>;
  /** The executions of the stage's own agents, without their descendants. */
  executions: Execution[];
  /** All descendants of the executions. */
  descendants: Execution[];
  /** The stages before it. */
  earlier: EarlierStage[];
  /** The calls of a checked session that are repeated after its end. */
  probes: readonly Probe[];
}

/** Ends the stage, stores and publishes its successor; false when another writer changed session or stage. */
export async function commitStageEnd(
  ended: EndedStage,
  decision: StageEnd,
  now: Date,
  deps: StateDeps,
): Promise<boolean> {
  const complete = await withTimeline(ended, decision, deps);
  await deps.failpoint?.(CRASH_POINTS.stageBeforeCommit);
  const { result, started, after } = await commitStorableEnd(ended, complete, now, deps);
  if (!result.ok) return false;
  await deps.failpoint?.(CRASH_POINTS.stageAfterCommit);
  await Promise.all(started.map((execution) => publishIteration(deps.publisher, execution)));
  const { sessionId, stageId } = ended.stage.value;
  deps.log.debug({ sessionId, stageId, status: decision.outcome.status }, 'stage ended');
  if (isTerminal(after.session.status)) logSessionEnd(after.session, allExecutions(ended), deps.log);
  return true;
}

/**
 * Adds to the decision the data of the timeline: a synthesis gets the evidence of each result, and a session
 * that ends early keeps a record of its agents' work.
 */
async function withTimeline(
  { session, stage, executions }: EndedStage,
  decision: StageEnd,
  deps: StateDeps,
): Promise<StageEnd> {
  if (decision.kind === 'end_session') {
    return { ...decision, end: await withRecord(session.value, decision.end, deps) };
  }
  const { next } = decision;
  if (next.kind === 'claims') {
    const now = deps.clock.now();
    const own =
      (await contrastProbe(session.value, stage.value, deps.store, now)) ??
      (await claimsStage(session.value, next.findings, deps.store, now));
    return { ...decision, next: { ...next, own } };
  }
  if (next.kind !== 'synthesis') return decision;
  const findings = await Promise.all(
    next.findings.map(async (finding, index): Promise<Finding> => {
      const execution = executions[index];
      return execution === undefined
        ? finding
        : { ...finding, evidence: await readWork(execution, deps.store) };
    }),
  );
  return { ...decision, next: { ...next, findings } };
}

/** Commits the decision. If its documents can never be stored, the first smaller end that can. */
async function commitStorableEnd(
  ended: EndedStage,
  decision: StageEnd,
  now: Date,
  deps: StateDeps,
): Promise<{ result: CommitResult } & Follows> {
  const before = { session: ended.session.value, stages: [ended.stage.value] };
  const follows = buildStageEnd(ended, decision, now, deps);
  let refusal: TerminalError;
  try {
    return { result: await announce(before, follows.after, follows.writes, deps), ...follows };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    refusal = error;
  }
  for (const end of smallerEnds(decision, toStoredFailure(refusal))) {
    const { outcome } = decision;
    const isUnchecked = decision.kind === 'start' && decision.next.kind === 'claims';
    const verdict = isUnchecked ? notChecked('claims_failed') : decision.verdict;
    const ending = { kind: 'end_session' as const, end, outcome, ...(verdict && { verdict }) };
    const smaller = await withTimeline(ended, ending, deps);
    const less = buildStageEnd(ended, smaller, now, deps);
    const result = await announce(before, less.after, less.writes, deps).catch(ignoreTerminalError);
    if (result !== undefined) return { result, ...less };
  }
  throw refusal;
}

/** The successor of a stage: the executions of the next stage, or the ended session. */
interface Follows {
  /** The documents of the successor. */
  writes: Write[];
  /** Those that are announced. */
  after: Announced & { session: Session };
  /** The executions whose first iterations are published after the commit. */
  started: Execution[];
}

/** The executions of all stages so far, with their descendants. */
function allExecutions({ earlier, executions, descendants }: EndedStage): Execution[] {
  const before = earlier.flatMap((stage) => [...stage.executions, ...stage.descendants]);
  return [...before, ...executions, ...descendants];
}

function buildStageEnd(ended: EndedStage, decision: StageEnd, now: Date, deps: StateDeps): Follows {
  const { session, stage, probes } = ended;
  const { outcome } = decision;
  const endedStage: Stage = {
    ...stage.value,
    status: outcome.status,
    finishedExecutions: stage.value.expectedExecutions,
    endedAt: now,
  };
  const stageWrite = replaceDocument(stage.path, stageType, endedStage, stage.version);
  const tokens = addTokens(session.value.tokens, outcome.tokens);
  const cost = addCosts(session.value.cost, outcome.cost);

  const judged = withVerdict(session.value, decision.verdict, probes, now);
  if (decision.kind === 'end_session') {
    const endedSession: Session = { ...judged.session, tokens, cost, ...decision.end, endedAt: now };
    const left = { executions: allExecutions(ended), withoutSummary: decision.withoutSummary };
    const events = endEvents(endedSession, left, now);
    const writes = [
      stageWrite,
      replaceSession(session, endedSession),
      ...judged.writes,
      ...events,
      ...rememberSession(endedSession, left.executions, now),
    ];
    const after = { session: endedSession, stages: [endedStage], outcome: judged.outcome };
    return { writes, after, started: [] };
  }
  const started = startStage({ ...judged.session, tokens }, decision.next, now, deps);
  const moved: Session = {
    ...judged.session,
    tokens,
    cost,
    currentStageId: started.stage.stageId,
    ...(decision.conclusion !== undefined && endFields(decision.conclusion)),
  };
  const writes = [stageWrite, replaceSession(session, moved), ...judged.writes, ...started.writes];
  const after = { session: moved, stages: [endedStage, started.stage], outcome: judged.outcome };
  return { writes, after, started: started.executions };
}

/** The session with its verdict, and the event that reports it. */
function withVerdict(
  session: Session,
  verdict: SessionVerdict | undefined,
  probes: readonly Probe[],
  now: Date,
): { session: Session; outcome?: Outcome | undefined; writes: Write[] } {
  if (verdict === undefined) return { session, writes: [] };
  const { steering } = session;
  const event = sessionEvent(session, nextPosition(session), verdictNotice(verdict), now);
  const counted = { ...steering, events: steering.events + 1 };
  const outcome = openOutcome(session, probes, now);
  const path = paths.outcome(session.sessionId);
  return {
    session: { ...withPart(verdictPart, session, verdict), steering: counted },
    outcome,
    writes: outcome === undefined ? [event] : [event, putDocument(path, outcomeType, outcome)],
  };
}

/** The fields of a session that show its conclusion while its executive summary is written. */
function endFields({
  status,
  failure,
  finalAnalysis,
  caveats,
}: SessionEnd): Pick<Session, 'conclusion' | 'finalAnalysis' | 'caveats'> {
  return { conclusion: { status, failure }, finalAnalysis, caveats };
}
