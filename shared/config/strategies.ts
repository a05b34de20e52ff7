// Checks that an agent's strategy fits its model, its tools and its place in a chain.

import type { Abilities } from '../core/contract/controller.ts';
import { bindsTools, isNative, NATIVE_PROVIDER, takesThinkingLevel } from '../core/contract/modelFacts.ts';
import { controllerFor, STRATEGIES } from '../core/controllers/registry.ts';
import { SUMMARY_STRATEGY } from '../core/schema/agent.ts';
import { listAgentModels } from './agentModels.ts';
import type { AgentEntry } from './agentTypes.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Faults of validated agents whose settings their strategy cannot use. */
export function strategyFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    const { strategy } = agent;
    const { abilities } = controllerFor(strategy);
    const fault = (key: string, message: string): Fault => agentFault(agents, name, [key], message);
    const faults: Fault[] = [];
    if (agent.tools.length > 0 && !abilities.tools) {
      const others = strategiesWith({ tools: true });
      faults.push(fault('tools', `strategy ${strategy} calls no tools; remove this, or use ${others}`));
    }
    if (agent.skills !== undefined && !abilities.tools) {
      const others = strategiesWith({ tools: true });
      faults.push(fault('skills', `strategy ${strategy} loads no skills; remove this, or use ${others}`));
    }
    if (agent.nativeTools.length > 0 && !abilities.nativeTools) {
      const others = strategiesWith({ nativeTools: true, combines: abilities.combines });
      faults.push(
        fault('nativeTools', `strategy ${strategy} has no native tools; remove this, or use ${others}`),
      );
    }
    for (const { name: modelName, path } of listAgentModels(agent, models)) {
      const unfit = modelFaults(agent, modelName, models);
      faults.push(...unfit.map((message) => agentFault(agents, name, path ?? ['strategy'], message)));
    }
    return faults;
  });
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
  {
    strategy,
    nativeTools,
    tools: agentTools,
    skills = [],
  }: Pick<AgentEntry, 'strategy' | 'nativeTools' | 'tools' | 'skills'>,
  modelName: string,
  { models }: Files['models'],
): string[] {
  const { geminiOnly, bindsTools: binds, tools, combines } = controllerFor(strategy).abilities;
  const { provider, thinkingLevel } = models[modelName] ?? {};
  if (provider === undefined) return [];
  const faults: string[] = [];
  if (geminiOnly && !isNative(provider)) {
    const others = strategiesWith({ geminiOnly: false, tools, combines });
    faults.push(
      `strategy ${strategy} needs a model of provider ${NATIVE_PROVIDER}; "${modelName}" is of ${provider}. Use ${others}, or another model`,
    );
  } else if (nativeTools.length > 0 && !isNative(provider)) {
    faults.push(
      `nativeTools need models of provider ${NATIVE_PROVIDER}; "${modelName}" is of ${provider}. Remove nativeTools, or use another model`,
    );
  }
  if (agentTools.length + skills.length > 0 && binds && !bindsTools(provider)) {
    const others = strategiesWith({ tools: true, bindsTools: false });
    faults.push(
      `strategy ${strategy} binds tools, which models of ${provider} do not take ("${modelName}"). Use ${others}, or another model`,
    );
  }
  if (thinkingLevel !== undefined && !takesThinkingLevel(provider)) {
    faults.push(
      `model "${modelName}" sets thinkingLevel, which provider ${provider} does not take; remove it in models.yaml`,
    );
  }
  return faults;
}

/** Faults of stages in validated chains whose agents have the wrong strategy for their place. */
export function stageFaults({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  const isSynthesis = (name: string) => {
    const strategy = agents.agents[name]?.strategy;
    return strategy !== undefined && controllerFor(strategy).abilities.combines;
  };
  return Object.entries(chains.chains).flatMap(([chain, { stages, chat }]) => [
    ...chatFaults(chain, chat, isSynthesis, chains),
    ...stages.flatMap((stage, index) => {
      const fault = (path: YamlPath, message: string): Fault =>
        faultAt(chains.fileOf(chain), ['chains', chain, 'stages', index, ...path], message);
      const misplaced = stage.agents.flatMap(({ agent: name }, position) =>
        isSynthesis(name)
          ? [
              fault(
                ['agents', position],
                `agent "${name}" combines results; name it in \`synthesis\` of a stage instead`,
              ),
            ]
          : [],
      );
      if (stage.synthesis === undefined || isSynthesis(stage.synthesis)) return misplaced;
      const message = `agent "${stage.synthesis}" does not combine results; give it the strategy ${strategiesWith({ combines: true })}`;
      return [...misplaced, fault(['synthesis'], message)];
    }),
  ]);
}

/** The fault of an agent that is to answer questions and combines results instead. */
function chatFaults(
  chain: string,
  agent: string | undefined,
  isSynthesis: (name: string) => boolean,
  chains: Files['chains'],
): Fault[] {
  if (agent === undefined || !isSynthesis(agent)) return [];
  const message = `agent "${agent}" combines results, so it cannot answer questions; name a different agent, or leave this out`;
  return [faultAt(chains.fileOf(chain), ['chains', chain, 'chat'], message)];
}

function strategiesWith(wanted: Partial<Abilities>): string {
  const keys = Object.keys(wanted) as (keyof Abilities)[];
  return STRATEGIES.filter((strategy) => {
    const { abilities } = controllerFor(strategy);
    return keys.every((key) => abilities[key] === wanted[key]);
  }).join(' or ');
}
