// A chain as it may be stored.

import type { Masker } from '../../../masking/masker.ts';
import type { ChainSnapshot, PlannedAgent } from '../../../schema/agent.ts';
import { maskArguments } from '../model/maskData.ts';

/** The chain with instructions and arguments of calls that hold no secrets, whoever wrote them. */
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

/** An agent as it may be stored. */
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

/** What an agent says of tools, as it may be stored and shown; nothing where it says nothing. */
export function maskDescriptions(
  toolDescriptions: PlannedAgent['toolDescriptions'],
  maskText: (text: string) => string,
): Pick<PlannedAgent, 'toolDescriptions'> {
  if (toolDescriptions === undefined) return {};
  const masked = Object.entries(toolDescriptions).map(([tool, text]) => [tool, maskText(text)]);
  return { toolDescriptions: Object.fromEntries(masked) };
}
