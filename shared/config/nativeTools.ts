// Checks that an agent's native tools fit its model.

import { COMBINING_NEEDS, canCombine } from '../core/contract/modelFacts.ts';
import { listAgentModels } from './agentModels.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import type { YamlPath } from './yamlFile.ts';

/**
 * Faults of `combineNativeTools` in validated agents, and of native tools beside skills. Vertex AI cannot
 * combine them either, but whether requests go there is known only at the first one.
 */
export function nativeToolFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([agentName, agent]) => {
    const fault = (path: YamlPath, message: string): Fault => agentFault(agents, agentName, path, message);
    const { skills, nativeTools, combineNativeTools } = agent;
    if (skills !== undefined && nativeTools.length > 0 && !combineNativeTools) {
      const message =
        'takes the native tools away: skills are loaded with a function tool. Set combineNativeTools, or keep one of the two';
      return [fault(['skills'], message)];
    }
    if (!combineNativeTools) return [];
    if (agent.nativeTools.length === 0)
      return [fault(['combineNativeTools'], 'there is nothing to combine: list nativeTools, or remove this')];
    return listAgentModels(agent, models).flatMap(({ name, path }) => {
      const message = combinationFault(name, models);
      if (message === undefined) return [];
      return [fault(path?.[0] === 'fallback' ? path : ['combineNativeTools'], message)];
    });
  });
}

/** Why a model cannot serve an agent with `combineNativeTools`; undefined if it can. */
export function combinationFault(modelName: string, { models }: Files['models']): string | undefined {
  const model = models[modelName]?.model ?? '';
  if (canCombine(model)) return undefined;
  return `model "${modelName}" (${model}) cannot combine native tools with function tools: ${COMBINING_NEEDS}; set combineNativeTools to false, or give the agent another model`;
}
