// What the end of a stage's executions means for the stage and for the session. Pure.

import { type Finding, findingSections, MAX_FINDINGS_BYTES } from '../../prompt/investigation.ts';
import {
  addTokens,
  type Failure,
  isTerminal,
  NO_TOKENS,
  type TerminalStatus,
  type TokenUsage,
} from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import { limitText } from '../../text/limitText.ts';

export interface StageOutcome {
  status: TerminalStatus;
  /** Analyses of the executions that completed, in order. */
  findings: Finding[];
  /** The same, with a line on each execution that found nothing: who combines results must know of it. */
  results: Finding[];
  failure: Failure | null;
  tokens: TokenUsage;
}

/** The outcome of a stage; undefined while one of its executions has not ended. */
export function stageOutcome(executions: Execution[]): StageOutcome | undefined {
  if (executions.length === 0 || !executions.every((execution) => isTerminal(execution.status)))
    return undefined;
  const findings = executions.flatMap(({ agent, finalAnalysis }) =>
    finalAnalysis === null ? [] : [{ agent: agent.name, analysis: finalAnalysis }],
  );
  const results = executions.map(({ agent, status, failure, finalAnalysis }) => ({
    agent: agent.name,
    analysis: finalAnalysis ?? `(no result: ${failure?.message ?? status})`,
  }));
  const status = stageStatus(executions);
  return {
    status,
    findings,
    results,
    // Why it ended so, not why another of its agents failed.
    failure:
      status === 'completed'
        ? null
        : (executions.find((execution) => execution.status === status)?.failure ?? null),
    tokens: executions.reduce((sum, { tokens }) => addTokens(sum, tokens), NO_TOKENS),
  };
}

/** One finding is worth having: a stage completes when one execution did. A cancellation is a will, so it wins over all. */
function stageStatus(executions: Execution[]): TerminalStatus {
  for (const status of ['cancelled', 'completed', 'timed_out'] as const) {
    if (executions.some((execution) => execution.status === status)) return status;
  }
  return 'failed';
}

/** What a session shows as its result: the one analysis, or all of them under their agents' names. */
export function combinedAnalysis(findings: Finding[]): string | null {
  const [first, ...others] = findings;
  if (first === undefined) return null;
  return others.length === 0
    ? limitText(first.analysis, MAX_FINDINGS_BYTES).content
    : findingSections(findings);
}
