// Checks that the models a stage gives to an agent fit the agent.

import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { combinationFault } from './nativeTools.ts';
import { modelFaults } from './strategies.ts';
import { faultAt } from './yamlFile.ts';

/** Faults of models that stages give to agents, in validated chains. */
export function stageModelFaults({
  agents,
  models,
  chains,
}: Pick<Files, 'agents' | 'models' | 'chains'>): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) =>
      stage.agents.flatMap(({ agent: name, model: given = [] }, position) => {
        const agent = agents.agents[name];
        if (agent === undefined) return [];
        const path = ['chains', chain, 'stages', index, 'agents', position, 'model'];
        const messages = given.flatMap((model) => [
          ...modelFaults(agent.strategy, model, models),
          ...(agent.combineNativeTools ? [combinationFault(model, models) ?? []] : []).flat(),
        ]);
        return messages.map((message) => faultAt(chains.fileOf(chain), path, message));
      }),
    ),
  );
}
