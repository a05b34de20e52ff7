// What agents.yaml and models.yaml must agree on for native tools.

import { COMBINING_NEEDS, canCombine } from '../contract/modelFacts.ts';
import type { Fault } from './configError.ts';
import type { Files } from './resolve.ts';
import type { YamlFile } from './yamlFile.ts';

/** Faults of `combineNativeTools` in a validated agents.yaml. Whether Vertex AI is asked shows only at the first request. */
export function nativeToolFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    if (!agent.combineNativeTools) return [];
    const modelName = agent.model ?? models.default;
    const model = models.models[modelName]?.model ?? '';
    const message =
      agent.nativeTools.length === 0
        ? 'there is nothing to combine: list nativeTools, or remove this'
        : `model "${modelName}" (${model}) cannot combine native tools with function tools: ${COMBINING_NEEDS}; set it to false, or give the agent another model`;
    if (agent.nativeTools.length > 0 && canCombine(model)) return [];
    const path = ['agents', name, 'combineNativeTools'];
    return [
      { file: agentsYaml.file, position: agentsYaml.position(path, 'value'), path: path.join('.'), message },
    ];
  });
}
