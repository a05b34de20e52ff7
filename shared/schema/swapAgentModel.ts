// Gives an agent another model.

import type { PlannedAgent } from '../core/schema/agent.ts';

/** An agent with another model, and no fallback. */
export function swapAgentModel(agent: PlannedAgent, model: string): PlannedAgent {
  // Configured prices are those of the configured model.
  const { prices, ...settings } = agent.model;
  const kept = prices !== undefined && settings.model === model ? { prices } : {};
  return { ...agent, model: { ...settings, ...kept, model }, fallback: [] };
}
