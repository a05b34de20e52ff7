// Offers `ask_agent` beside an agent's other tools.

import { askAgentTool } from '../../prompt/askAgent.ts';
import { type Agent, ASK_AGENT } from '../../schema/agent.ts';
import type { PinnedExecutor } from '../iteration/pinTools.ts';

/** The executor with `ask_agent` for an agent that has it. A call of it never runs: it waits for a child. */
export function withAskAgent(executor: PinnedExecutor, { tools, asks }: Agent): PinnedExecutor {
  if (!tools.includes(ASK_AGENT) || asks === undefined) return executor;
  const tool = askAgentTool(asks);
  return { ...executor, list: () => [...executor.list(), tool] };
}
