// Which steps a reader chose to see: by kind, words, agent and tool.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { contains, findChildExecution, isOfKind, type Step, shortName } from '../../model/steps.ts';
import { listExecutions } from '../state/sentences.ts';
import type { StepFilter } from '../state/stepFilter.ts';

/** Whether a step of an execution is shown. @param view Asked only where an agent was chosen. */
export function matchesFilter(
  step: Step,
  executionId: string,
  filter: StepFilter,
  view: () => SessionView | undefined,
): boolean {
  const { kind, text, agent, tool } = filter;
  if (tool !== '' && findCalledTool(step) !== tool) return false;
  if (!isOfKind(step, kind) || (text !== '' && !contains(step, text))) return false;
  return agent === '' || isOfAgent(executionId, agent, view()) || leadsTo(step, agent, view());
}

function findCalledTool(step: Step): string | undefined {
  return step.kind === 'call' ? shortName(step.call.metadata.toolName) : undefined;
}

/** Whether an execution is of an agent. */
function isOfAgent(executionId: string, agent: string, view: SessionView | undefined): boolean {
  return listExecutions(view).some((one) => one.executionId === executionId && one.agentName === agent);
}

/** Whether a step is the call of an agent, or of one that asked it: its steps stand below that call. */
function leadsTo(step: Step, agent: string, view: SessionView | undefined): boolean {
  const child = step.kind === 'call' ? findChildExecution(step.call) : undefined;
  return child !== undefined && hasAgentBelow(child, agent, view);
}

function hasAgentBelow(executionId: string, agent: string, view: SessionView | undefined): boolean {
  if (isOfAgent(executionId, agent, view)) return true;
  const children = listExecutions(view).filter((one) => one.parentExecutionId === executionId);
  return children.some((child) => hasAgentBelow(child.executionId, agent, view));
}

/** Whether anything of an execution, or of those it asked, is by an agent. */
export function holdsAgent(executionId: string, agent: string, view: SessionView | undefined): boolean {
  return agent === '' || hasAgentBelow(executionId, agent, view);
}

/** The names of the tools that steps call, in the order in which they appear. */
export function toolNames(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap((step) => findCalledTool(step) ?? []))];
}
