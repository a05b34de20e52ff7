// Commits the end of a stage together with its successor: the next stage, or the end of the session.

import { type Announced, announce } from '../contract/announce.ts';
import { type CommitResult, replaceDocument, type Stored, type Write } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { logSessionEnd } from '../kernel/session/logSessionEnd.ts';
import { replaceSession } from '../kernel/session/replaceSession.ts';
import { endEvents } from '../kernel/session/sessionEvents.ts';
import { type Judged, writesOfEnd } from '../kernel/stageFeature.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import type { Finding } from '../prompts/findings.ts';
import { addTokens, isTerminal, toStoredFailure } from '../schema/common.ts';
import { stageType } from '../schema/coreDocuments.ts';
import { addCosts } from '../schema/cost.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
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
  if (isTerminal(after.session.status)) logSessionEnd(after.session, allExecutions(ended), deps);
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
  if (next.inserted !== undefined) {
    const ended = { session: session.value, stage: stage.value, executions };
    const own = await next.inserted.prepare(ended, next.findings, deps.clock.now(), deps);
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
    const inserted = decision.kind === 'start' ? decision.next.inserted : undefined;
    const judgement = inserted === undefined ? decision.judgement : inserted.otherwise;
    const ending = { kind: 'end_session' as const, end, outcome, judgement };
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
  const { session, stage } = ended;
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

  const judged = decision.judgement?.apply(session.value, now) ?? unjudged(session.value);
  if (decision.kind === 'end_session') {
    const endedSession: Session = { ...judged.session, tokens, cost, ...decision.end, endedAt: now };
    const left = { executions: allExecutions(ended), withoutSummary: decision.withoutSummary };
    const events = endEvents(endedSession, left, now);
    const writes = [
      stageWrite,
      replaceSession(session, endedSession, deps),
      ...judged.writes,
      ...events,
      ...writesOfEnd(endedSession, left.executions, now, deps),
    ];
    const after = { session: endedSession, stages: [endedStage], ...judged.announced };
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
  const writes = [stageWrite, replaceSession(session, moved, deps), ...judged.writes, ...started.writes];
  const after = { session: moved, stages: [endedStage, started.stage], ...judged.announced };
  return { writes, after, started: started.executions };
}

/** A session without a judgement. */
const unjudged = (session: Session): Judged => ({ session, writes: [], announced: {} });

/** The fields of a session that show its conclusion while its executive summary is written. */
function endFields({
  status,
  failure,
  finalAnalysis,
  caveats,
}: SessionEnd): Pick<Session, 'conclusion' | 'finalAnalysis' | 'caveats'> {
  return { conclusion: { status, failure }, finalAnalysis, caveats };
}
