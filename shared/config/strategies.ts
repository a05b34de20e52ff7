// Checks that an agent's strategy fits its model, its tools and its place in a chain.

import {
  combines,
  modelFaults as findModelFaults,
  strategyFaults as findStrategyFaults,
  type NamedModel,
  stageAgentFault,
  synthesisFault,
} from '../agents/optionFaults.ts';
import { SUMMARY_STRATEGY } from '../core/schema/agent.ts';
import { listAgentModels, nameModel } from './agentModels.ts';
import type { AgentEntry } from './agentTypes.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import { type Fault, faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Faults of validated agents whose settings their strategy cannot use. */
export function strategyFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) =>
    findStrategyFaults(agent, listAgentModels(agent, models)).map(({ path, message }) =>
      agentFault(agents, name, path, message),
    ),
  );
}

/** Faults of the model that writes executive summaries, in a validated system.yaml. */
export function summaryFaults(
  systemYaml: YamlFile,
  { system, models }: Pick<Files, 'system' | 'models'>,
): Fault[] {
  const { summaryModel } = system;
  if (summaryModel === undefined || summaryModel === 'off') return [];
  const messages = modelFaults(
    { strategy: SUMMARY_STRATEGY, nativeTools: [], tools: [] },
    summaryModel,
    models,
  );
  return messages.map((message) => faultAt(systemYaml, ['summaryModel'], message));
}

/** Abilities that an agent needs and its model does not have. */
export function modelFaults(
  agent: Pick<AgentEntry, 'strategy' | 'nativeTools' | 'tools' | 'skills'>,
  modelName: string,
  models: Files['models'],
): string[] {
  const named: NamedModel | undefined = nameModel(modelName, null, models);
  return named === undefined ? [] : findModelFaults(agent, named);
}

/** Faults of stages in validated chains whose agents have the wrong strategy for their place. */
export function stageFaults({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  const check = (name: string, find: typeof stageAgentFault): string | undefined => {
    const strategy = agents.agents[name]?.strategy;
    return strategy === undefined ? undefined : find(name, strategy);
  };
  return Object.entries(chains.chains).flatMap(([chain, { stages, chat }]) => {
    const fault = (path: YamlPath, message: string | undefined): Fault[] =>
      message === undefined ? [] : [faultAt(chains.fileOf(chain), ['chains', chain, ...path], message)];
    return [
      ...fault(['chat'], chat === undefined ? undefined : check(chat, chatFault)),
      ...stages.flatMap(({ agents: entries, synthesis }, index) => [
        ...entries.flatMap(({ agent }, position) =>
          fault(['stages', index, 'agents', position], check(agent, stageAgentFault)),
        ),
        ...(synthesis === undefined
          ? []
          : fault(['stages', index, 'synthesis'], check(synthesis, synthesisFault))),
      ]),
    ];
  });
}

/** The fault of an agent that is to answer questions and combines results instead. */
function chatFault(name: string, strategy: string): string | undefined {
  if (!combines(strategy)) return undefined;
  return `agent "${name}" combines results, so it cannot answer questions; name a different agent, or leave this out`;
}
