// A chain as it may be stored.

import type { Masker } from '../../masking/masker.ts';
import type { ChainSnapshot, PlannedAgent } from '../../schema/agent.ts';

/** The chain with instructions that hold no secrets, whoever wrote them. */
export function maskInstructions(
  { stages, summary, chat, ...chain }: ChainSnapshot,
  masker: Masker,
): ChainSnapshot {
  const mask = <A extends PlannedAgent | null>(agent: A): A =>
    agent === null ? agent : { ...agent, instructions: masker.mask(agent.instructions).text };
  return {
    ...chain,
    stages: stages.map(({ agents, synthesis, ...stage }) => ({
      ...stage,
      agents: agents.map(mask),
      synthesis: mask(synthesis),
    })),
    ...(summary !== undefined && { summary: mask(summary) }),
    ...(chat !== undefined && { chat: mask(chat) }),
  };
}
