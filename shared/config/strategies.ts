// What an agent's strategy, its model and its tools must agree on.

import { isNative, NATIVE_PROVIDER, takesThinkingLevel } from '../contract/modelFacts.ts';
import type { Strategy } from '../schema/agent.ts';
import type { Fault } from './configError.ts';
import type { Files } from './resolve.ts';
import type { YamlFile } from './yamlFile.ts';

/** Which tools a strategy can use, and whether only the native client can serve it. */
const STRATEGY_FACTS: Record<Strategy, { tools: boolean; nativeTools: boolean; nativeOnly: boolean }> = {
  react: { tools: true, nativeTools: false, nativeOnly: false },
  'native-thinking': { tools: true, nativeTools: true, nativeOnly: true },
  synthesis: { tools: false, nativeTools: false, nativeOnly: false },
  'synthesis-native-thinking': { tools: false, nativeTools: true, nativeOnly: true },
  'single-call': { tools: false, nativeTools: false, nativeOnly: false },
};

/** Faults of agents whose settings their strategy cannot use, in a validated agents.yaml. */
export function strategyFaults(
  agentsYaml: YamlFile,
  { agents, models }: Pick<Files, 'agents' | 'models'>,
): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) => {
    const { strategy } = agent;
    const facts = STRATEGY_FACTS[strategy];
    const fault = (key: string, message: string): Fault => {
      const path = ['agents', name, key];
      return {
        file: agentsYaml.file,
        position: agentsYaml.position(path, 'value'),
        path: path.join('.'),
        message,
      };
    };
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
    if (facts.nativeOnly && !isNative(provider)) {
      const fix = strategy === 'native-thinking' ? 'react' : 'synthesis';
      const message = `strategy ${strategy} needs a model of provider ${NATIVE_PROVIDER}; "${modelName}" is of ${provider}. Use ${fix}, or another model`;
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

/** Faults of stages whose agents have the wrong strategy for their place, in a validated chains.yaml. */
export function stageFaults(
  chainsYaml: YamlFile,
  { agents, chains }: Pick<Files, 'agents' | 'chains'>,
): Fault[] {
  const isSynthesis = (name: string) => agents.agents[name]?.strategy.startsWith('synthesis') === true;
  return Object.entries(chains.chains).flatMap(([chain, { stages }]) =>
    stages.flatMap((stage, index) => {
      const fault = (path: (string | number)[], message: string): Fault => {
        const at = ['chains', chain, 'stages', index, ...path];
        return {
          file: chainsYaml.file,
          position: chainsYaml.position(at, 'value'),
          path: at.join('.'),
          message,
        };
      };
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
