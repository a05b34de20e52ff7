// Checks that an agent's strategy fits its model, its tools and its place in a chain.

import type { Strategy } from '../schema/agent.ts';
import type { Fault } from './configError.ts';
import type { Files } from './resolve.ts';
import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Which tools a strategy can use, and whether only Google's models can serve it. */
const STRATEGY_FACTS: Record<Strategy, { tools: boolean; nativeTools: boolean; googleOnly: boolean }> = {
  react: { tools: true, nativeTools: false, googleOnly: false },
  'native-thinking': { tools: true, nativeTools: true, googleOnly: true },
  synthesis: { tools: false, nativeTools: false, googleOnly: false },
  'synthesis-native-thinking': { tools: false, nativeTools: true, googleOnly: true },
  'single-call': { tools: false, nativeTools: false, googleOnly: false },
};

/** Faults of agents whose settings their strategy cannot use, in a validated agents.yaml. */
export function strategyFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    const { strategy } = agent;
    const facts = STRATEGY_FACTS[strategy];
    const fault = (key: string, message: string): Fault =>
      faultAt(agentsYaml, ['agents', name, key], message);
    const faults: Fault[] = [];
    if (agent.tools.length > 0 && !facts.tools) {
      faults.push(
        fault('tools', `strategy ${strategy} calls no tools; remove this, or use native-thinking or react`),
      );
    }
    if (agent.nativeTools.length > 0 && !facts.nativeTools) {
      faults.push(
        fault(
          'nativeTools',
          `strategy ${strategy} has no native tools; remove this, or use ${nativeTwin(strategy)}`,
        ),
      );
    }
    const modelName = agent.model ?? models.default;
    const provider = models.models[modelName]?.provider;
    if (facts.googleOnly && provider !== 'google') {
      const fix = strategy === 'native-thinking' ? 'react' : 'synthesis';
      const message = `strategy ${strategy} needs a model of provider google; "${modelName}" is of ${provider}. Use ${fix}, or another model`;
      faults.push(fault(agent.model === undefined ? 'strategy' : 'model', message));
    }
    const thinkingLevel = models.models[modelName]?.thinkingLevel;
    if (thinkingLevel !== undefined && provider !== undefined && !THINKING_PROVIDERS.has(provider)) {
      const message = `model "${modelName}" sets thinkingLevel, which provider ${provider} does not take; remove it in models.yaml`;
      faults.push(fault(agent.model === undefined ? 'strategy' : 'model', message));
    }
    return faults;
  });
}

/** Providers whose models take a thinking level; llm/langchain/chatModel.ts passes it on to LangChain's. */
const THINKING_PROVIDERS = new Set(['google', 'openai', 'azure_openai']);

/** Faults of stages whose agents have the wrong strategy for their place in the stage, in a validated chains.yaml. */
export function stageFaults(
  chainsYaml: YamlFile,
  { agents, chains }: Pick<Files, 'agents' | 'chains'>,
): Fault[] {
  const isSynthesis = (name: string) => agents.agents[name]?.strategy.startsWith('synthesis') === true;
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
      const message = `agent "${stage.synthesis}" does not combine results; give it the strategy synthesis or synthesis-native-thinking`;
      return [...misplaced, fault(['synthesis'], message)];
    }),
  );
}

function nativeTwin(strategy: Strategy): Strategy {
  return strategy === 'synthesis' ? 'synthesis-native-thinking' : 'native-thinking';
}
