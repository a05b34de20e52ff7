// Checks that an agent's strategy fits its model, its tools and its place in a chain.

import type { Abilities } from '../contract/controller.ts';
import { isNative, NATIVE_PROVIDER, takesThinkingLevel } from '../contract/modelFacts.ts';
import { controllerFor, STRATEGIES } from '../controller/registry.ts';
import type { Fault } from './configError.ts';
import type { Files } from './resolve.ts';
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
    const modelName = agent.model ?? models.default;
    const provider = models.models[modelName]?.provider;
    if (abilities.geminiOnly && !isNative(provider)) {
      const { tools, combines } = abilities;
      const others = strategiesWith({ geminiOnly: false, tools, combines });
      const message = `strategy ${strategy} needs a model of provider ${NATIVE_PROVIDER}; "${modelName}" is of ${provider}. Use ${others}, or another model`;
      faults.push(fault(agent.model === undefined ? 'strategy' : 'model', message));
    }
    const thinkingLevel = models.models[modelName]?.thinkingLevel;
    if (thinkingLevel !== undefined && provider !== undefined && !takesThinkingLevel(provider)) {
      const message = `model "${modelName}" sets thinkingLevel, which provider ${provider} does not take; remove it in models.yaml`;
      faults.push(fault(agent.model === undefined ? 'strategy' : 'model', message));
    }
    return faults;
  });
}

/** Faults of stages whose agents have the wrong strategy for their place in the stage, in a validated chains.yaml. */
export function stageFaults(
  chainsYaml: YamlFile,
  { agents, chains }: Pick<Files, 'agents' | 'chains'>,
): Fault[] {
  const isSynthesis = (name: string) => {
    const strategy = agents.agents[name]?.strategy;
    return strategy !== undefined && controllerFor(strategy).abilities.combines;
  };
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) => {
      const fault = (path: YamlPath, message: string): Fault =>
        faultAt(chainsYaml, ['chains', chain, 'stages', index, ...path], message);
      const misplaced = stage.agents.flatMap((name, position) =>
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
