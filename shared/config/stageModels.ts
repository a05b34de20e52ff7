// Checks that the models a stage gives to an agent fit the agent.

import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { combinationFault } from './nativeTools.ts';
import { modelFaults } from './strategies.ts';
import { faultAt, type YamlPath } from './yamlFile.ts';

/** Faults of models that stages give to agents, in validated chains. */
export function stageModelFaults({
  agents,
  models,
  chains,
}: Pick<Files, 'agents' | 'models' | 'chains'>): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) =>
      stage.agents.flatMap(({ agent: name, model: given = [], fallback = [] }, position) => {
        const agent = agents.agents[name];
        if (agent === undefined) return [];
        const faultsAt = (path: YamlPath, model: string): Fault[] => {
          const place = ['chains', chain, 'stages', index, 'agents', position, ...path];
          const combining = agent.combineNativeTools ? combinationFault(model, models) : undefined;
          return [...modelFaults(agent, model, models), ...(combining === undefined ? [] : [combining])].map(
            (message) => faultAt(chains.fileOf(chain), place, message),
          );
        };
        return [
          ...given.flatMap((model) => faultsAt(['model'], model)),
          ...fallback.flatMap((model, at) => faultsAt(['fallback', at], model)),
        ];
      }),
    ),
  );
}
