// Agents that ask other agents: a call of `ask_agent` creates an execution and waits until it ends.

import type { ToolCall } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature, ReservedIds } from '../../core/kernel/feature/feature.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import { describedTools } from '../../core/kernel/tools/describedTools.ts';
import { ASK_AGENT } from '../../core/schema/agent.ts';
import { composeChildId } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { askAgentTool } from '../../prompt/askAgent.ts';
import { planChildren } from './planChildren.ts';
import { startChild } from './startChild.ts';

/** Adds the tool `ask_agent`, and makes its calls wait for the executions that they create. */
export const CHILDREN: Feature = {
  // Calls of `ask_agent` never run, so only a request needs the tool.
  offerTools: (tools, context, { purpose }) => (purpose === 'ask' ? withAskAgent(tools, context) : tools),
  wait: {
    kind: 'child',
    async plan(context, calls) {
      const plan = await planChildren(context, calls);
      return plan && ((execution, pending, call, batch) => startChild(execution, pending, call, plan, batch));
    },
    reserve: reserveChildren,
  },
};

/** Numbers the children of all calls: a call's event names its child even if it starts later. */
function reserveChildren(execution: Execution, calls: readonly ToolCall[]) {
  const { executionId, children } = execution;
  const reserved = new Map<ToolCall, ReservedIds>(
    calls.map((call, index) => [
      call,
      { childExecutionId: composeChildId(executionId, children + index + 1) },
    ]),
  );
  return { execution: { ...execution, children: children + reserved.size }, reserved };
}

/** Adds `ask_agent` for an agent that has it. Its calls never run: they wait for a child. */
function withAskAgent(executor: AgentTools, { agent, deps }: IterationContext): AgentTools {
  const { tools, asks } = agent;
  if (!tools.includes(ASK_AGENT) || asks === undefined) return executor;
  const offered = describedTools([askAgentTool(asks, deps.wording.asking)], agent);
  return { ...executor, list: () => [...executor.list(), ...offered] };
}
