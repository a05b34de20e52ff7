// Derives the outcome of a stage from its executions. Pure.

import { limitText } from '../../text/limitText.ts';
import { type Finding, findingSections, MAX_FINDINGS_BYTES } from '../prompts/findings.ts';
import type { SuccessPolicy } from '../schema/agent.ts';
import {
  addTokens,
  type Failure,
  isTerminal,
  NO_TOKENS,
  type TerminalStatus,
  type TokenUsage,
} from '../schema/common.ts';
import { addCosts, type Cost, NO_COST } from '../schema/cost.ts';
import type { Execution } from '../schema/execution.ts';

/** How a stage ended, with its findings. */
export interface StageOutcome {
  /** Follows from the executions by the stage's success policy. */
  status: TerminalStatus;
  /** The analyses of the executions that completed, in order. */
  findings: Finding[];
  /** The findings, plus a line for each execution without one, because a synthesis must know about those. */
  results: Finding[];
  /** The reason; null for a completed stage. */
  failure: Failure | null;
  /** Tokens of all executions, descendants included. */
  tokens: TokenUsage;
  /** Cost of all executions, descendants included. */
  cost: Cost;
}

/**
 * The outcome of a stage; undefined while one of its executions or their descendants is open. With the policy
 * `all`, an execution that did not complete decides the outcome; the findings of the others are kept.
 * @param descendants those of its executions: their costs and caveats count too.
 */
export function stageOutcome(
  executions: Execution[],
  policy: SuccessPolicy = 'any',
  descendants: Execution[] = [],
): StageOutcome | undefined {
  const tree = [...executions, ...descendants];
  if (executions.length === 0 || !tree.every(({ status }) => isTerminal(status))) return undefined;
  const findings = listFindings(executions);
  const results = executions.map(({ agentName, status, failure, finalAnalysis, caveats }) => ({
    agent: agentName,
    analysis: finalAnalysis ?? `(no result: ${failure?.message ?? status})`,
    caveats,
  }));
  const status = stageStatus(executions, policy);
  return {
    status,
    findings,
    results,
    failure: status === 'completed' ? null : stageFailure(executions, status, findings.length > 0),
    tokens: tree.reduce((sum, { tokens }) => addTokens(sum, tokens), NO_TOKENS),
    cost: tree.reduce((sum, { cost }) => addCosts(sum, cost), NO_COST),
  };
}

/** The analyses of the executions that have one, in order. */
export function listFindings(executions: Execution[]): Finding[] {
  return executions.flatMap(({ agentName, finalAnalysis, caveats }) =>
    finalAnalysis === null ? [] : [{ agent: agentName, analysis: finalAnalysis, caveats }],
  );
}

/**
 * A cancelled execution cancels the stage under either policy, because the user asked for it. Otherwise `any`
 * needs one completed execution, and `all` needs all of them. A time-out takes precedence over other
 * failures.
 */
function stageStatus(executions: Execution[], policy: SuccessPolicy): TerminalStatus {
  const has = (status: TerminalStatus) => executions.some((execution) => execution.status === status);
  if (has('cancelled')) return 'cancelled';
  const isCompleted =
    policy === 'any' ? has('completed') : executions.every((execution) => execution.status === 'completed');
  if (isCompleted) return 'completed';
  return has('timed_out') ? 'timed_out' : 'failed';
}

/**
 * The failure that explains the status: that of the first execution which ended with it. If others have an
 * analysis, the failure also names the policy and the agent.
 */
function stageFailure(executions: Execution[], status: TerminalStatus, others: boolean): Failure | null {
  const execution = executions.find((one) => one.status === status);
  const failure = execution?.failure ?? null;
  if (execution === undefined || failure === null || !others || status === 'cancelled') return failure;
  const { code, message } = failure;
  const why = `The stage needs the analyses of all its agents (successPolicy: all), and ${execution.agentName} has none: `;
  return { code, message: why + message };
}

/** A session's result: its only analysis, or all under their agents' names. Null without findings. */
export function combinedAnalysis(findings: Finding[]): string | null {
  const [first, ...others] = findings;
  if (first === undefined) return null;
  return others.length === 0
    ? limitText(first.analysis, MAX_FINDINGS_BYTES).content
    : findingSections(findings);
}
