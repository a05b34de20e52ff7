// Lists the models that an agent can use, each with the place in its file that names it.

import type { NamedModel } from '../agents/optionFaults.ts';
import type { AgentEntry } from './agentTypes.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import type { Fault } from './yamlFile.ts';

/** The model that an agent names itself, the one that it requires first; undefined where it names none. */
export function ownModel({ schema, model }: AgentEntry): string | undefined {
  return schema?.overrideModel ?? model;
}

/** The agent's own model, then its fallback. Every name must have been validated. */
export function listAgentModels(agent: AgentEntry, models: Files['models']): NamedModel[] {
  const named = ownModel(agent);
  const own = { name: named ?? models.default, path: named === undefined ? null : ['model'] };
  const fallback = agent.fallback.map((name, index) => ({ name, path: ['fallback', index] }));
  return [own, ...fallback].flatMap(({ name, path }) => nameModel(name, path, models) ?? []);
}

/** A model of models.yaml; undefined for a name that it lacks. */
export function nameModel(
  name: string,
  path: NamedModel['path'],
  { models }: Files['models'],
): NamedModel | undefined {
  const settings = models[name];
  return settings && { name, settings, path, place: ' in models.yaml' };
}

/** Faults of `fallback` in validated agents: models that failed already are not asked again. */
export function fallbackFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([agentName, agent]) => {
    const own = ownModel(agent) ?? models.default;
    return agent.fallback.flatMap((name, index) => {
      if (name !== own) return [];
      const message = `model "${name}" is the agent's own model; name a different model, or remove it`;
      return [agentFault(agents, agentName, ['fallback', index], message)];
    });
  });
}
