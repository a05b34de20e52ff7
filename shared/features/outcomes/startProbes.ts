// The stage that repeats a session's calls after its end: one execution without model, only its tools.

import { announce } from '../../core/contract/announce.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { replaceSession } from '../../core/kernel/session/replaceSession.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import { type PlannedAgent, PROBE_STRATEGY } from '../../core/schema/agent.ts';
import { agentSnapshotType, composeStageId, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { startStage } from '../../core/stage/startStage.ts';
import { argumentsAt } from '../../evidence/probe.ts';
import { type Outcome, outcomeType } from '../../kits/alerts/outcome.ts';

/** The time for all calls of a check. */
const CHECK_MS = 5 * 60_000;
/** The stages of questions have the indexes before. */
const FIRST_INDEX = 60;

/** The index of the stage of a check, from 1. */
const computeProbeIndex = ({ chain }: Pick<Session, 'chain'>, check: number): number =>
  chain.stages.length + FIRST_INDEX + check;

/**
 * Starts a check.
 * @returns whether it was stored; the reason in words if it can never start.
 * @throws RetryableError when the store fails.
 */
export async function startProbes(
  session: Stored<Session>,
  outcome: Stored<Outcome>,
  dueAt: Date,
  deps: StateDeps,
): Promise<boolean | string> {
  const now = deps.clock.now();
  const { probes, checks } = outcome.value;
  const base = await loadProbeAgent(outcome.value, deps);
  if (typeof base === 'string') return base;
  const collect = probes.map((probe) => ({ tool: probe.tool, arguments: argumentsAt(probe, now) }));
  const agent: PlannedAgent = {
    name: PROBE_STRATEGY,
    strategy: PROBE_STRATEGY,
    instructions: '',
    model: base.model,
    fallback: [],
    nativeTools: [],
    combineNativeTools: false,
    tools: [...new Set(probes.map(({ tool }) => tool))],
    // Each call is one that its own agent could make: nothing new is combined.
    outsideTools: 'together',
    collect,
    limits: { ...base.limits, maxIterations: 1 },
  };
  const deadline = new Date(Math.min(now.getTime() + CHECK_MS, session.value.expireAt.getTime()));
  const start = {
    index: computeProbeIndex(session.value, checks.length + 1),
    kind: 'probe' as const,
    findings: [],
  };
  const stageId = composeStageId(start.index, PROBE_STRATEGY);
  const opened = { ...session.value, openStage: { stageId, deadline, cancelling: false } };
  const started = startStage(opened, { ...start, own: { agent, deadline, messages: [] } }, now, deps);
  const check = { stageId, startedAt: now, endedAt: null, results: [] };
  const checked: Outcome = { ...outcome.value, checks: [...checks, check], dueAt };
  const { ok } = await announce(
    { session: session.value, outcome: outcome.value },
    { session: opened, stages: [started.stage], outcome: checked },
    [
      replaceSession(session, opened, deps),
      ...started.writes,
      replaceDocument(outcome.path, outcomeType, checked, outcome.version),
    ],
    deps,
  );
  if (ok) for (const execution of started.executions) await publishIteration(deps.publisher, execution);
  return ok;
}

/** The model and the limits of the agent that stated the first probe, or why they are missing. */
async function loadProbeAgent(
  { sessionId, probes }: Outcome,
  { store }: Pick<StateDeps, 'store'>,
): Promise<Pick<PlannedAgent, 'model' | 'limits'> | string> {
  const executionId = probes[0]?.executionId ?? '';
  const [snapshot, execution] = await Promise.all([
    captureFailure(store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType)),
    captureFailure(store.get(paths.execution(sessionId, executionId), executionType)),
  ]);
  if (snapshot.value === undefined || execution.value === undefined)
    return `The execution ${executionId} that named the probes cannot be read.`;
  return { model: snapshot.value.value.agent.model, limits: execution.value.value.limits };
}
