// Derives the outcome of a stage from its executions. Pure.

import { type Finding, findingSections, MAX_FINDINGS_BYTES } from '../../prompt/findings.ts';
import {
  addTokens,
  type Failure,
  isTerminal,
  NO_TOKENS,
  type TerminalStatus,
  type TokenUsage,
} from '../../schema/common.ts';
import { addCosts, type Cost, NO_COST } from '../../schema/cost.ts';
import type { Execution } from '../../schema/execution.ts';
import { limitText } from '../../text/limitText.ts';

/** How a stage ended, with its findings. */
export interface StageOutcome {
  status: TerminalStatus;
  /** The analyses of the executions that completed, in order. */
  findings: Finding[];
  /** The findings, with a line for each execution that has none, because a synthesis must know about those. */
  results: Finding[];
  failure: Failure | null;
  tokens: TokenUsage;
  cost: Cost;
}

/** The outcome of a stage; undefined while one of its executions has not ended. */
export function stageOutcome(executions: Execution[]): StageOutcome | undefined {
  if (executions.length === 0 || !executions.every((execution) => isTerminal(execution.status)))
    return undefined;
  const findings = findingsOf(executions);
  const results = executions.map(({ agentName, status, failure, finalAnalysis, caveats }) => ({
    agent: agentName,
    analysis: finalAnalysis ?? `(no result: ${failure?.message ?? status})`,
    caveats,
  }));
  const status = stageStatus(executions);
  return {
    status,
    findings,
    results,
    // The failure that explains the stage's status, not that of another agent.
    failure:
      status === 'completed'
        ? null
        : (executions.find((execution) => execution.status === status)?.failure ?? null),
    tokens: executions.reduce((sum, { tokens }) => addTokens(sum, tokens), NO_TOKENS),
    cost: executions.reduce((sum, { cost }) => addCosts(sum, cost), NO_COST),
  };
}

/** The analyses of the executions that have one, in order. */
export function findingsOf(executions: Execution[]): Finding[] {
  return executions.flatMap(({ agentName, finalAnalysis, caveats }) =>
    finalAnalysis === null ? [] : [{ agent: agentName, analysis: finalAnalysis, caveats }],
  );
}

/** A cancelled execution makes the stage cancelled, because the user asked for it. Otherwise one completed execution is enough. */
function stageStatus(executions: Execution[]): TerminalStatus {
  for (const status of ['cancelled', 'completed', 'timed_out'] as const) {
    if (executions.some((execution) => execution.status === status)) return status;
  }
  return 'failed';
}

/** The result of a session: its only analysis, or all of them under their agents' names. Null without findings. */
export function combinedAnalysis(findings: Finding[]): string | null {
  const [first, ...others] = findings;
  if (first === undefined) return null;
  return others.length === 0
    ? limitText(first.analysis, MAX_FINDINGS_BYTES).content
    : findingSections(findings);
}
