// The agent of an execution with its current model: the first one, or one of its fallbacks.

import type { Agent } from '../../schema/agent.ts';
import type { Execution } from '../../schema/execution.ts';

/** The agent with the execution's model as `model`. Undefined if the agent has no such model. */
export function agentInUse<A extends Pick<Agent, 'model' | 'fallback'>>(
  agent: A,
  { modelIndex }: Pick<Execution, 'modelIndex'>,
): A | undefined {
  const model = [agent.model, ...agent.fallback][modelIndex];
  return model && { ...agent, model };
}
