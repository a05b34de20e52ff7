// Changes the agents of a chain.

import type { ChainSnapshot, PlannedAgent } from '../core/schema/agent.ts';
import { swapAgentModel } from '../schema/swapAgentModel.ts';

/** A chain with the agents of its stages changed. */
export function mapStages(
  chain: ChainSnapshot,
  change: (agent: PlannedAgent) => PlannedAgent,
): ChainSnapshot {
  const stages = chain.stages.map((stage) => ({
    ...stage,
    agents: stage.agents.map(change),
    synthesis: stage.synthesis && change(stage.synthesis),
  }));
  return { ...chain, stages };
}

/** A chain with each of its agents changed. */
export function mapAgents(
  chain: ChainSnapshot,
  change: (agent: PlannedAgent) => PlannedAgent,
): ChainSnapshot {
  return {
    ...mapStages(chain, change),
    ...(chain.summary && { summary: change(chain.summary) }),
    ...(chain.claims && { claims: change(chain.claims) }),
    ...(chain.chat && { chat: change(chain.chat) }),
  };
}

/** A chain whose agents all have one model, and no fallback. @param model undefined: their own. */
export function swapModel(chain: ChainSnapshot, model: string | undefined): ChainSnapshot {
  return model === undefined ? chain : mapAgents(chain, (agent) => swapAgentModel(agent, model));
}
