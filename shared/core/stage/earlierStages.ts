// The stages before the current one: their findings and caveats.

import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { listAllDescendants } from '../kernel/execution/descendants.ts';
import type { Finding } from '../prompts/findings.ts';
import { type CaveatCode, isTerminal } from '../schema/common.ts';
import { composeExecutionId, executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import { isInserted, type Stage } from '../schema/stage.ts';
import { listFindings } from './stageOutcome.ts';

/** A stage that has ended, or the part of one that its synthesis combines. */
export interface EarlierStage {
  /** Position in the chain, from 1; a synthesis has that of its stage. */
  index: number;
  /** The stage's name in the chain. */
  name: string;
  /** The readable executions of its agents, in their order. */
  executions: Execution[];
  /** All descendants of the executions. */
  descendants: Execution[];
}

interface PlannedStage {
  /** Position in the chain, from 1; a synthesis has that of its stage. */
  index: number;
  /** The stage's name in the chain. */
  name: string;
  /** The agents in their order, with the ids that their executions have or will have. */
  agents: { executionId: string; agent: string }[];
}

/**
 * All stages of a session's chain, oldest first, started or not. A synthesis follows its stage. The executive
 * summary is not included, because it has no findings.
 */
export function plannedStages({ chain }: Pick<Session, 'chain'>): PlannedStage[] {
  return chain.stages.flatMap(({ name, agents, synthesis }, position) => {
    const index = position + 1;
    const groups = synthesis === null ? [agents] : [agents, [synthesis]];
    return groups.map((group) => ({
      index,
      name,
      agents: group.map((agent) => ({
        executionId: composeExecutionId(index, agent.name),
        agent: agent.name,
      })),
    }));
  });
}

/**
 * The stages before `stage`. Includes the agents that a synthesis combines; all stages for the executive
 * summary.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export function loadEarlierStages(
  session: Session,
  stage: Stage,
  deps: Pick<StateDeps, 'store'>,
): Promise<EarlierStage[]> {
  const stages = plannedStages(session);
  if (stage.kind === 'exec_summary') return loadStages(session, stages, deps);
  // An inserted stage follows the one of its index, with its synthesis.
  if (isInserted(stage))
    return loadStages(
      session,
      stages.filter(({ index }) => index <= stage.index),
      deps,
    );
  const current = stages.findIndex(({ agents }) =>
    agents.some(({ executionId }) => stage.expectedExecutions.includes(executionId)),
  );
  return loadStages(session, stages.slice(0, Math.max(0, current)), deps);
}

/**
 * The executions of stages. Leaves out missing and permanently unreadable ones, so that they do not block the
 * session.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export function loadStages(
  { sessionId }: Pick<Session, 'sessionId'>,
  stages: PlannedStage[],
  { store }: Pick<StateDeps, 'store'>,
): Promise<EarlierStage[]> {
  return Promise.all(
    stages.map(async ({ index, name, agents }) => {
      const readings = await Promise.all(
        agents.map(({ executionId }) =>
          captureFailure(store.get(paths.execution(sessionId, executionId), executionType)),
        ),
      );
      const executions = readings.flatMap(({ value }) => value?.value ?? []);
      const below = await listAllDescendants(executions, { store });
      return { index, name, executions, descendants: below.map(({ value }) => value) };
    }),
  );
}

/** The findings of each stage, oldest first: the analysis of its synthesis, else those of its agents. */
export function earlierFindings(earlier: EarlierStage[]): Finding[] {
  const byStage = new Map<number, Finding[]>();
  for (const { index, name, executions } of earlier) {
    const findings = listFindings(executions).map((finding) => ({ ...finding, stage: name }));
    if (findings.length > 0) byStage.set(index, findings);
  }
  return [...byStage.values()].flat();
}

/** The findings of the latest stage that has any. */
export function latestFindings(earlier: EarlierStage[]): Finding[] {
  return (
    earlier.map(({ executions }) => listFindings(executions)).findLast((found) => found.length > 0) ?? []
  );
}

/** A session's caveats: of all analyses of the executions, in order, and of missing results. */
export function collectCaveats(executions: Execution[]): Session['caveats'] {
  return executions.flatMap((execution) => {
    const { executionId, caveats, status, finalAnalysis, missingServers } = execution;
    const isWithoutAnalysis = isTerminal(status) && finalAnalysis === null;
    const lacksServer = missingServers.length > 0 && !caveats.includes('TOOL_SERVER_UNAVAILABLE');
    const codes: CaveatCode[] = [
      ...caveats,
      ...(isWithoutAnalysis ? ['AGENT_WITHOUT_ANALYSIS' as const] : []),
      ...(lacksServer ? ['TOOL_SERVER_MISSING' as const] : []),
    ];
    return codes.map((code) => ({ executionId, code }));
  });
}
