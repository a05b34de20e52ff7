// Checks that an agent's strategy fits its model, its tools and its place in a chain.

import type { Abilities } from '../contract/controller.ts';
import { isNative, NATIVE_PROVIDER, takesThinkingLevel } from '../contract/modelFacts.ts';
import { controllerFor, STRATEGIES } from '../controller/registry.ts';
import { SUMMARY_STRATEGY } from '../schema/agent.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Faults of agents whose settings their strategy cannot use, in a validated agents.yaml. */
export function strategyFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    const { strategy } = agent;
    const { abilities } = controllerFor(strategy);
    const fault = (key: string, message: string): Fault =>
      faultAt(agentsYaml, ['agents', name, key], message);
    const faults: Fault[] = [];
    if (agent.tools.length > 0 && !abilities.tools) {
      const others = strategiesWith({ tools: true });
      faults.push(fault('tools', `strategy ${strategy} calls no tools; remove this, or use ${others}`));
    }
    if (agent.nativeTools.length > 0 && !abilities.nativeTools) {
      const others = strategiesWith({ nativeTools: true, combines: abilities.combines });
      faults.push(
        fault('nativeTools', `strategy ${strategy} has no native tools; remove this, or use ${others}`),
      );
    }
    const unfit = modelFaults(strategy, agent.model ?? models.default, models);
    faults.push(...unfit.map((message) => fault(agent.model === undefined ? 'strategy' : 'model', message)));
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
  const messages = modelFaults(SUMMARY_STRATEGY, summaryModel, models);
  return messages.map((message) => faultAt(systemYaml, ['summaryModel'], message));
}

/** What is wrong with a model for an agent of a strategy. */
export function modelFaults(strategy: string, modelName: string, { models }: Files['models']): string[] {
  const { geminiOnly, tools, combines } = controllerFor(strategy).abilities;
  const { provider, thinkingLevel } = models[modelName] ?? {};
  const faults: string[] = [];
  if (geminiOnly && !isNative(provider)) {
    const others = strategiesWith({ geminiOnly: false, tools, combines });
    faults.push(
      `strategy ${strategy} needs a model of provider ${NATIVE_PROVIDER}; "${modelName}" is of ${provider}. Use ${others}, or another model`,
    );
  }
  if (thinkingLevel !== undefined && provider !== undefined && !takesThinkingLevel(provider)) {
    faults.push(
      `model "${modelName}" sets thinkingLevel, which provider ${provider} does not take; remove it in models.yaml`,
    );
  }
  return faults;
}

/** Faults of stages whose agents have the wrong strategy for their place in the stage, in validated chains. */
export function stageFaults({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  const isSynthesis = (name: string) => {
    const strategy = agents.agents[name]?.strategy;
    return strategy !== undefined && controllerFor(strategy).abilities.combines;
  };
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) => {
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
  );
}

/** The strategies that have these abilities, as one would say it. */
function strategiesWith(wanted: Partial<Abilities>): string {
  const keys = Object.keys(wanted) as (keyof Abilities)[];
  return STRATEGIES.filter((strategy) => {
    const { abilities } = controllerFor(strategy);
    return keys.every((key) => abilities[key] === wanted[key]);
  }).join(' or ');
}
