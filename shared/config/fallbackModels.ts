// Fallback models of a configuration, with the place that names each: an agent's file or a chain's stage.

import { listAgentModels, ownModel } from './agentModels.ts';
import type { Files } from './files.ts';
import { ANY_REFERENCE, agentFault, readAgents } from './readAgents.ts';
import { readChains } from './readChains.ts';
import { readFolder } from './readFolder.ts';
import { modelsFileSchema } from './schema.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt } from './yamlFile.ts';

/** A fallback model, with the settings that decide whether it can be used. */
interface FallbackModel {
  /** The key in models.yaml. */
  name: string;
  /** The provider of the model, as models.yaml names it. */
  provider: string;
  /** The providers of the models that it takes over from, without other fallback models. */
  ownProviders: string[];
  /** A fault at the place that names it. */
  faultOf(message: string): Fault;
}

/** The fallback models of all agents and stages in `folder`, a configuration that `loadConfig` accepted. */
export function fallbackModels(folder: string): FallbackModel[] {
  const files = readFolder(folder, []);
  const agents = readAgents(files, ANY_REFERENCE, []);
  const models = validateFile(files.models, modelsFileSchema(undefined, undefined), []);
  const known = {
    agents: undefined,
    models: undefined,
    servers: undefined,
    ownSources: [],
    destinations: undefined,
  };
  const chains = readChains(files, undefined, known, []);
  if (agents === undefined || models === undefined || chains === undefined) return [];

  const ofAgents = Object.entries(agents.agents).flatMap(([name, agent]) => {
    const own = listAgentModels({ ...agent, fallback: [] }, models).map((model) => model.name);
    const faultOf = (index: number, message: string) =>
      agentFault(agents, name, ['fallback', index], message);
    return listFallbacks(agent.fallback, own, faultOf, models);
  });
  const ofStages = Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) =>
      stage.agents.flatMap(({ agent, model, fallback = [] }, position) => {
        const entry = agents.agents[agent];
        const own = model ?? [(entry && ownModel(entry)) ?? models.default];
        const path = ['chains', chain, 'stages', index, 'agents', position, 'fallback'];
        const faultOf = (at: number, message: string) =>
          faultAt(chains.fileOf(chain), [...path, at], message);
        return listFallbacks(fallback, own, faultOf, models);
      }),
    ),
  );
  return [...ofAgents, ...ofStages];
}

/** The models of one list, which take over from `own`. */
function listFallbacks(
  names: readonly string[],
  own: readonly string[],
  faultAtIndex: (index: number, message: string) => Fault,
  { models }: Files['models'],
): FallbackModel[] {
  const ownProviders = own.flatMap((name) => models[name]?.provider ?? []);
  return names.flatMap((name, index) => {
    const provider = models[name]?.provider;
    if (provider === undefined) return [];
    const faultOf = (message: string): Fault => faultAtIndex(index, message);
    return [{ name, provider, ownProviders, faultOf }];
  });
}
