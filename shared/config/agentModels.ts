// Lists the models that an agent can use, each with the place in its file that names it.

import type { AgentEntry } from './agentTypes.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import type { YamlPath } from './yamlFile.ts';

type ModelEntry = Files['models']['models'][string];

/** A model of an agent: its own, or one of its fallback. */
interface NamedModel {
  /** The key in models.yaml. */
  name: string;
  /** The entry of models.yaml, validated. */
  settings: ModelEntry;
  /** Below the agent. Null for the default model, which the agent does not name. */
  path: YamlPath | null;
}

/** The model that an agent names itself, the one that it requires first; undefined where it names none. */
export function ownModel({ schema, model }: AgentEntry): string | undefined {
  return schema?.overrideModel ?? model;
}

/** The agent's own model, then its fallback. Every name must have been validated. */
export function listAgentModels(agent: AgentEntry, models: Files['models']): NamedModel[] {
  const named = ownModel(agent);
  const own = { name: named ?? models.default, path: named === undefined ? null : ['model'] };
  const fallback = agent.fallback.map((name, index) => ({ name, path: ['fallback', index] }));
  return [own, ...fallback].flatMap(({ name, path }) => {
    const settings = models.models[name];
    return settings === undefined ? [] : [{ name, settings, path }];
  });
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
