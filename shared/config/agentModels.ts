// The models that an agent may be asked with, each with the place in agents.yaml that names it.

import type { Fault } from './configError.ts';
import type { Files } from './files.ts';

import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

type AgentEntry = Files['agents']['agents'][string];
type ModelEntry = Files['models']['models'][string];

/** A model of an agent: its own, or one of its fallback. */
export interface NamedModel {
  name: string;
  settings: ModelEntry;
  /** Below the agent. Null for the default model, which the agent does not name. */
  path: YamlPath | null;
}

/** The agent's own model, then its fallback. Every name must have been validated. */
export function modelsOf(agent: AgentEntry, models: Files['models']): NamedModel[] {
  const own = { name: agent.model ?? models.default, path: agent.model === undefined ? null : ['model'] };
  const fallback = agent.fallback.map((name, index) => ({ name, path: ['fallback', index] }));
  return [own, ...fallback].flatMap(({ name, path }) => {
    const settings = models.models[name];
    return settings === undefined ? [] : [{ name, settings, path }];
  });
}

/** Faults of `fallback` in a validated agents.yaml: models that failed already are not asked again. */
export function fallbackFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([agentName, agent]) => {
    const own = agent.model ?? models.default;
    return agent.fallback.flatMap((name, index) => {
      if (name !== own) return [];
      const path = ['agents', agentName, 'fallback', index];
      const message = `model "${name}" is the agent's own model; name another one, or remove it`;
      return [faultAt(agentsYaml, path, message)];
    });
  });
}
