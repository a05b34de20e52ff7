// Checks that an agent's native tools fit its model.

import { COMBINING_NEEDS, canCombine } from '../contract/modelFacts.ts';
import { modelsOf } from './agentModels.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import type { YamlPath } from './yamlFile.ts';

/**
 * Faults of `combineNativeTools` in validated agents. Vertex AI cannot combine them either, but whether requests
 * go there is known only at the first one.
 */
export function nativeToolFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([agentName, agent]) => {
    if (!agent.combineNativeTools) return [];
    const fault = (path: YamlPath, message: string): Fault => agentFault(agents, agentName, path, message);
    if (agent.nativeTools.length === 0)
      return [fault(['combineNativeTools'], 'there is nothing to combine: list nativeTools, or remove this')];
    return modelsOf(agent, models).flatMap(({ name, path }) => {
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
