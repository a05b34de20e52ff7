// Checks that an agent's native tools fit its model.

import { COMBINING_NEEDS, canCombine } from '../contract/modelFacts.ts';
import { modelsOf } from './agentModels.ts';
import type { Fault } from './configError.ts';
import type { Files } from './resolve.ts';
import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/**
 * Faults of `combineNativeTools` in a validated agents.yaml. Vertex AI cannot combine them either, but whether requests
 * go there is known only at the first one.
 */
export function nativeToolFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([agentName, agent]) => {
    if (!agent.combineNativeTools) return [];
    const fault = (path: YamlPath, message: string): Fault =>
      faultAt(agentsYaml, ['agents', agentName, ...path], message);
    if (agent.nativeTools.length === 0)
      return [fault(['combineNativeTools'], 'there is nothing to combine: list nativeTools, or remove this')];
    return modelsOf(agent, models).flatMap(({ name, settings, path }) => {
      if (canCombine(settings.model)) return [];
      const message = `model "${name}" (${settings.model}) cannot combine native tools with function tools: ${COMBINING_NEEDS}; set combineNativeTools to false, or give the agent another model`;
      return [fault(path?.[0] === 'fallback' ? path : ['combineNativeTools'], message)];
    });
  });
}
