// An analysis's limits: agents stopped at a limit, without findings, or without a server.

import type { ExecutionView, SessionView, StageView } from '../../../shared/lists/apiTypes.ts';
import { hasEnded } from './status.ts';

const WORDS: Record<string, string> = {
  BUDGET_REACHED: 'Concluded at the token budget',
  MAX_ITERATIONS: 'Concluded at the iteration limit',
  ITERATION_TIMEOUT: 'Concluded after model time-outs',
  TOOL_SERVER_UNAVAILABLE: 'Concluded without tools',
  MODEL_EMPTY_ANSWER: 'Concluded after empty answers',
  MODEL_TRUNCATED: 'Truncated answer',
  DOCUMENT_TOO_LARGE: 'Cut, because it was too large to store',
  OUTPUT_INVALID: 'Not in the required form',
  SCRIPTED: 'Scripted, without a model',
  BY_RULE: 'By rule, without a model',
  TOOL_MISSING: 'A server lacks a tool that an agent lists',
  AGENT_WITHOUT_ANALYSIS: 'An agent found nothing',
  TOOL_SERVER_MISSING: 'A tool server could not be reached',
};
/** Codes of which a view knows the details. */
const DETAILED = new Set(['AGENT_WITHOUT_ANALYSIS', 'TOOL_SERVER_MISSING']);

/** A caveat in a few words, for a row of the list; a code that only a newer server knows as itself. */
export function caveatWords(code: string): string {
  return WORDS[code] ?? code;
}

/** The writer of an analysis: `a model`, or `a script` that does not name the alert. */
export function describeWriter({ caveats }: Pick<SessionView, 'caveats'>): string {
  return caveats.some(({ code }) => code === 'SCRIPTED') ? 'a script' : 'a model';
}

/** The limits of a session's results, one sentence each; empty if there is none. Questions do not count. */
export function listResultLimits(view: SessionView): string[] {
  const stages = view.stages.filter(({ kind }) => kind !== 'chat');
  const executions = stages.flatMap((stage) => stage.executions);
  return [
    ...listForcedAnalyses(view, executions),
    ...stages.flatMap(withoutAnalysis),
    ...listMissingServers(executions),
  ];
}

/** Analyses that were forced, truncated or cut, with their agents where there are several. */
function listForcedAnalyses(
  { caveats, budgetToRaise }: SessionView,
  executions: readonly ExecutionView[],
): string[] {
  const own = executions.flatMap(({ executionId, caveats: codes }) =>
    codes.map((code) => ({ executionId, code: String(code) })),
  );
  const all = [...own, ...caveats.map(({ executionId, code }) => ({ executionId, code: String(code) }))];
  const byCode = Map.groupBy(
    all.filter(({ code }) => !DETAILED.has(code)),
    ({ code }) => code,
  );
  const isOnly = executions.filter(({ parentExecutionId }) => parentExecutionId === null).length === 1;
  return [...byCode].map(([code, found]) => {
    const names = new Set(found.map(({ executionId }) => findExecutionName(executionId, executions)));
    const words = isOnly ? `${caveatWords(code)}.` : `${caveatWords(code)}: ${[...names].join(', ')}.`;
    return code === 'BUDGET_REACHED' && budgetToRaise ? `${words} Raise ${budgetToRaise}.` : words;
  });
}

function findExecutionName(executionId: string, executions: readonly ExecutionView[]): string {
  return executions.find((execution) => execution.executionId === executionId)?.agentName ?? executionId;
}

/** "1 of 2 agents found something: logs-reviewer failed (MODEL_CREDENTIALS)." */
function withoutAnalysis({ kind, executions }: StageView): string[] {
  const top = executions.filter(({ parentExecutionId }) => parentExecutionId === null);
  const ended = top.filter(({ status }) => hasEnded(status));
  const empty = ended.filter(({ finalAnalysis }) => finalAnalysis === null);
  if (empty.length === 0) return [];
  const why = empty.map(
    ({ agentName, status, failure }) => `${agentName} ${describeEnding(status, failure?.code)}`,
  );
  if (kind === 'exec_summary') return ['There is no executive summary.'];
  if (top.length === 1) return [`${why[0]}, without an analysis.`];
  return [`${ended.length - empty.length} of ${top.length} agents found something: ${why.join(', ')}.`];
}

function describeEnding(status: string, code: string | undefined): string {
  const word = status === 'completed' ? 'found nothing' : status.replace('_', ' ');
  return code === undefined ? word : `${word} (${code})`;
}

function listMissingServers(executions: readonly ExecutionView[]): string[] {
  const pairs = executions.flatMap(({ agentName, missingServers }) =>
    missingServers.map((server) => ({ agentName, server })),
  );
  return [...Map.groupBy(pairs, ({ server }) => server)].map(([server, without]) => {
    const names = [...new Set(without.map(({ agentName }) => agentName))];
    return `${names.join(', ')} worked without the tool server ${server}: it could not be reached.`;
  });
}
