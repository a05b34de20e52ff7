// Offers `ask_agent` in addition to an agent's other tools.

import { askAgentTool } from '../../../prompt/askAgent.ts';
import { type Agent, ASK_AGENT } from '../../../schema/agent.ts';
import type { AgentTools } from '../../kernel/tools/agentTools.ts';
import { describedTools } from '../../kernel/tools/describedTools.ts';

/** Adds `ask_agent` for an agent that has it. Its calls never run: they wait for a child. */
export function withAskAgent(executor: AgentTools, agent: Agent): AgentTools {
  const { tools, asks } = agent;
  if (!tools.includes(ASK_AGENT) || asks === undefined) return executor;
  const offered = describedTools([askAgentTool(asks)], agent);
  return { ...executor, list: () => [...executor.list(), ...offered] };
}
