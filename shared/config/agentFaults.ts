// Finds contradictions between validated files that concern agents, and agent settings without effect.

import { chainSizeFault, combinationFault, nativeToolFaults as findFaults } from '../agents/optionFaults.ts';
import { narrowTools } from '../agents/planAgent.ts';
import { takesTemperature } from '../core/contract/modelFacts.ts';
import type { ChainSnapshot } from '../core/schema/agent.ts';
import type { JsonObject } from '../text/json.ts';
import { asArray, asObject, asText } from '../text/json.ts';
import { matchesAny } from '../text/pattern.ts';
import { fallbackFaults, listAgentModels, nameModel } from './agentModels.ts';
import { askFaults, askRemarks } from './askableAgents.ts';
import { externalToolFaults } from './externalToolFaults.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import { modelFaults, stageFaults, strategyFaults } from './strategies.ts';
import { type Fault, faultAt, type YamlPath } from './yamlFile.ts';

/**
 * Faults of agents, and of stages that do not fit their agents.
 * @param servers the entries of servers.yaml, by name.
 */
export function agentFaults(files: Files, servers: JsonObject): Fault[] {
  return [
    ...fallbackFaults(files),
    ...nativeToolFaults(files),
    ...externalToolFaults(files, servers),
    ...strategyFaults(files),
    ...stageFaults(files),
    ...stageModelFaults(files),
    ...stageToolFaults(files),
    ...collectFaults(files, servers),
    ...askFaults(files, servers),
  ];
}

/** A fault when a chain is too large for its session. */
export function chainSizeFaults(chain: ChainSnapshot, { chains }: Pick<Files, 'chains'>): Fault[] {
  const message = chainSizeFault(chain);
  return message === undefined
    ? []
    : [faultAt(chains.fileOf(chain.name), ['chains', chain.name], message, 'key')];
}

/** Agent settings without effect, with their places. */
export function agentRemarks(files: Pick<Files, 'agents' | 'models' | 'chains'>): Fault[] {
  return [
    ...files.agents.remarks,
    ...temperatureRemarks(files),
    ...requiredModelRemarks(files),
    ...askRemarks(files),
  ];
}

function temperatureRemarks({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    if (agent.schema?.temperature === undefined) return [];
    const refusing = listAgentModels(agent, models).filter(({ settings }) => !takesTemperature(settings));
    if (refusing.length === 0) return [];
    const listed = refusing.map((model) => `"${model.name}" (${model.settings.model})`).join(', ');
    const message = `is not sent to ${listed}, which takes none; remove it, or give the agent another model`;
    return [agentFault(agents, name, ['override_temperature'], message)];
  });
}

/** Models that a stage gives to an agent that requires a different model. */
function requiredModelRemarks({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) =>
      stage.agents.flatMap(({ agent, model }, position) => {
        const required = agents.agents[agent]?.schema?.overrideModel;
        if (required === undefined || model === undefined) return [];
        const path = ['chains', chain, 'stages', index, 'agents', position, 'model'];
        const message = `has no effect: agent "${agent}" requires the model "${required}" (override_model)`;
        return [faultAt(chains.fileOf(chain), path, message)];
      }),
    ),
  );
}

/** Faults of models that stages give to agents, in validated chains. */
function stageModelFaults({ agents, models, chains }: Pick<Files, 'agents' | 'models' | 'chains'>): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) =>
      stage.agents.flatMap(({ agent: name, model: given = [], fallback = [] }, position) => {
        const agent = agents.agents[name];
        if (agent === undefined) return [];
        const faultsAt = (path: YamlPath, model: string): Fault[] => {
          const place = ['chains', chain, 'stages', index, 'agents', position, ...path];
          const named = agent.combineNativeTools ? nameModel(model, null, models) : undefined;
          const combining = named && combinationFault(named);
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

/**
 * Faults that the files show. `collectedToolFaults` checks the tools of servers and their hints.
 * @param servers the entries of servers.yaml, validated or not.
 */
function collectFaults(
  { agents, chains }: Pick<Files, 'agents' | 'chains'>,
  servers: Readonly<Record<string, unknown>>,
): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages, tools: ofChain }]) =>
    stages.flatMap(({ agents: entries, tools: ofStage, collect = [] }, index) => {
      const given = entries.flatMap(({ agent }) =>
        narrowTools(narrowTools(agents.agents[agent]?.tools ?? [], ofChain), ofStage),
      );
      return collect.flatMap(({ tool }, position) => {
        const message =
          narrowTools(given, [tool]).length === 0
            ? `no agent of this stage has "${tool}"; give it to one in agents.yaml and in the lists of tools here, or remove this call`
            : changingFault(tool, servers);
        const path = ['chains', chain, 'stages', index, 'collect', position, 'tool'];
        return message === undefined ? [] : [faultAt(chains.fileOf(chain), path, message)];
      });
    }),
  );
}

/** Why servers.yaml excludes a tool as not read-only; undefined where its server can hint otherwise. */
function changingFault(reference: string, servers: Readonly<Record<string, unknown>>): string | undefined {
  const [server = '', ...rest] = reference.split('.');
  const { readOnly, trustHints } = asObject(servers[server]);
  const patterns = asArray(readOnly).flatMap((pattern) => asText(pattern) ?? []);
  if (!Object.hasOwn(servers, server) || trustHints === true || matchesAny(rest.join('.'), patterns))
    return undefined;
  return `"${reference}" may change something, and only read-only tools are called before agents start; list it under readOnly of "${server}" in servers.yaml if it only reads, or remove this call`;
}

/** Faults of `combineNativeTools` in validated agents, and of native tools beside skills. */
function nativeToolFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) =>
    findFaults(agent, listAgentModels(agent, models)).map(({ path, message }) =>
      agentFault(agents, name, path, message),
    ),
  );
}

/** Faults of `tools` in validated chains: entries without effect, and agents left without tools. */
function stageToolFaults({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  const toolsOf = (name: string) => agents.agents[name]?.tools ?? [];
  return Object.entries(chains.chains).flatMap(([chain, { stages, tools: ofChain }]) => {
    const yaml = chains.fileOf(chain);
    const fault = (path: YamlPath, message: string) => faultAt(yaml, ['chains', chain, ...path], message);
    const namedAgents = stages.flatMap((stage) => stage.agents.map(({ agent }) => agent));
    const faults = unusedFaults(ofChain, namedAgents.flatMap(toolsOf), ['tools'], fault);
    for (const [index, { agents: entries, tools: ofStage }] of stages.entries()) {
      const path = ['stages', index, 'tools'];
      const given = entries.flatMap(({ agent }) => narrowTools(toolsOf(agent), ofChain));
      faults.push(...unusedFaults(ofStage, given, path, fault));
      for (const { agent } of entries) {
        const own = toolsOf(agent);
        if (own.length === 0 || narrowTools(narrowTools(own, ofChain), ofStage).length > 0) continue;
        const message = `leaves agent "${agent}" none of its tools (${own.join(', ')}); allow one of them`;
        faults.push(fault(ofStage === undefined ? ['tools'] : path, message));
      }
    }
    return faults;
  });
}

function unusedFaults(
  allowed: readonly string[] | undefined,
  given: readonly string[],
  path: YamlPath,
  fault: (path: YamlPath, message: string) => Fault,
): Fault[] {
  return (allowed ?? []).flatMap((tool, index) => {
    if (narrowTools(given, [tool]).length > 0) return [];
    const message = `no agent here has "${tool}"; this list only takes tools away, so give it to one in agents.yaml, or remove it`;
    return [fault([...path, index], message)];
  });
}
