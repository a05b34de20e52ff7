// Masks a chain and its agents for storage.

import type { Masker } from '../core/contract/guard.ts';
import type { ChainSnapshot, PlannedAgent } from '../core/schema/agent.ts';
import { maskArguments } from './maskData.ts';

/** Masks the instructions and call arguments of the chain, regardless of their source. */
export function maskInstructions(
  { stages, summary, chat, ...chain }: ChainSnapshot,
  masker: Masker,
): ChainSnapshot {
  const mask = (agent: PlannedAgent) => maskAgent(agent, masker);
  return {
    ...chain,
    stages: stages.map(({ agents, synthesis, ...stage }) => ({
      ...stage,
      agents: agents.map(mask),
      synthesis: synthesis && mask(synthesis),
    })),
    ...(summary !== undefined && { summary: mask(summary) }),
    ...(chat !== undefined && { chat: mask(chat) }),
  };
}

/** Masks an agent for storage. */
export function maskAgent(agent: PlannedAgent, masker: Masker): PlannedAgent {
  const maskText = (text: string) => masker.mask(text).text;
  const { outputSchema, toolDescriptions } = agent;
  const collect = agent.collect.map(({ tool, arguments: args }) => ({
    tool,
    arguments: maskArguments(args, maskText),
  }));
  return {
    ...agent,
    instructions: maskText(agent.instructions),
    ...(outputSchema !== undefined && { outputSchema: maskArguments(outputSchema, maskText) }),
    ...maskDescriptions(toolDescriptions, maskText),
    collect,
  };
}

/** Masks an agent's descriptions of tools for storage and display; empty if it has none. */
export function maskDescriptions(
  toolDescriptions: PlannedAgent['toolDescriptions'],
  maskText: (text: string) => string,
): Pick<PlannedAgent, 'toolDescriptions'> {
  if (toolDescriptions === undefined) return {};
  const masked = Object.entries(toolDescriptions).map(([tool, text]) => [tool, maskText(text)]);
  return { toolDescriptions: Object.fromEntries(masked) };
}
