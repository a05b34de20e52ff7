// An agent as a fork runs it.

import type { PlannedAgent } from '../../core/schema/agent.ts';
import type { Fork } from '../../schema/forkPart.ts';
import { swapAgentModel } from '../../schema/swapAgentModel.ts';

/** The agent with the model of a fork; with recorded tools without those of the provider. */
export function forkedAgent(
  agent: PlannedAgent,
  { model, tools }: Pick<Fork, 'model' | 'tools'>,
): PlannedAgent {
  const swapped = model === undefined ? agent : swapAgentModel(agent, model);
  return tools === 'recorded' ? { ...swapped, nativeTools: [] } : swapped;
}
