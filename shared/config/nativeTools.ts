// Checks that an agent's native tools fit its model.

import { COMBINING_NEEDS, canCombine } from '../contract/modelFacts.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/**
 * Faults of `combineNativeTools` in a validated agents.yaml. Vertex AI cannot combine them either, but whether requests
 * go there is known only at the first one.
 */
export function nativeToolFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    if (!agent.combineNativeTools) return [];
    const modelName = agent.model ?? models.default;
    const message =
      agent.nativeTools.length === 0
        ? 'there is nothing to combine: list nativeTools, or remove this'
        : combinationFault(modelName, models);
    return message === undefined
      ? []
      : [faultAt(agentsYaml, ['agents', name, 'combineNativeTools'], message)];
  });
}

/** Why a model cannot serve an agent with `combineNativeTools`; undefined if it can. */
export function combinationFault(modelName: string, { models }: Files['models']): string | undefined {
  const model = models[modelName]?.model ?? '';
  if (canCombine(model)) return undefined;
  return `model "${modelName}" (${model}) cannot combine native tools with function tools: ${COMBINING_NEEDS}; set it to false, or give the agent another model`;
}
