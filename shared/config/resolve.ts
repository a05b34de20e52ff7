// Turns validated files into the snapshots sessions carry: names become what they name, limits come from the nearest level.

import type * as z from 'zod';
import { SYNTHESIS_INSTRUCTIONS } from '../prompt/synthesis.ts';
import type { AgentSnapshot, ChainSnapshot, Limits, ModelSettings } from '../schema/agent.ts';
import { DEFAULT_LIMITS } from './defaults.ts';
import {
  type agentsFileSchema,
  BUILT_IN_SYNTHESIZER,
  type chainsFileSchema,
  type LimitEntries,
  type modelsFileSchema,
  type systemFileSchema,
} from './schema.ts';

export interface Files {
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  agents: z.output<ReturnType<typeof agentsFileSchema>>;
  chains: z.output<ReturnType<typeof chainsFileSchema>>;
  system: z.output<typeof systemFileSchema>;
}

type Stage = Files['chains']['chains'][string]['stages'][number];
type Chain = Files['chains']['chains'][string];

/** All chains, by name. References were checked when the files were validated. */
export function snapshotChains(files: Files): Record<string, ChainSnapshot> {
  return Object.fromEntries(
    Object.entries(files.chains.chains).map(([name, chain]) => [
      name,
      {
        name,
        stages: chain.stages.map((stage) => ({
          name: stage.name,
          agents: stage.agents.map((agentName) => agentSnapshot(files, agentName, stage, chain)),
          synthesis: synthesisOf(files, stage, chain),
        })),
      },
    ]),
  );
}

function agentSnapshot(files: Files, agentName: string, stage: Stage, chain: Chain): AgentSnapshot {
  const agent = checked(files.agents.agents, agentName);
  return {
    name: agentName,
    ...(agent.description !== undefined && { description: agent.description }),
    strategy: agent.strategy,
    instructions: agent.instructions,
    model: modelNamed(files, agent.model),
    tools: agent.tools,
    nativeTools: agent.nativeTools,
    combineNativeTools: agent.combineNativeTools,
    limits: nearestLimits([agent, stage, chain, files.system]),
  };
}

/** Who combines the results of a stage with several agents: the agent it names, else a built-in one. */
function synthesisOf(files: Files, stage: Stage, chain: Chain): AgentSnapshot | null {
  if (stage.synthesis !== undefined) return agentSnapshot(files, stage.synthesis, stage, chain);
  if (stage.agents.length === 1) return null;
  const model = modelNamed(files);
  return {
    name: BUILT_IN_SYNTHESIZER,
    strategy: model.provider === 'google' ? 'synthesis-native-thinking' : 'synthesis',
    instructions: SYNTHESIS_INSTRUCTIONS,
    model,
    tools: [],
    nativeTools: [],
    combineNativeTools: false,
    limits: nearestLimits([stage, chain, files.system]),
  };
}

function modelNamed({ models }: Files, name: string = models.default): ModelSettings {
  return checked(models.models, name);
}

/** Each limit from the first level that has it, else the default. */
function nearestLimits(levels: LimitEntries[]): Limits {
  const nearest = <K extends keyof LimitEntries>(key: K): LimitEntries[K] =>
    levels.find((level) => level[key] !== undefined)?.[key];
  return {
    maxIterations: nearest('maxIterations') ?? DEFAULT_LIMITS.maxIterations,
    iterationTimeoutMs: nearest('iterationTimeout') ?? DEFAULT_LIMITS.iterationTimeoutMs,
    toolTimeoutMs: nearest('toolTimeout') ?? DEFAULT_LIMITS.toolTimeoutMs,
    toolResultBytes: nearest('toolResultLimit') ?? DEFAULT_LIMITS.toolResultBytes,
    afterFailure: nearest('afterFailure') ?? DEFAULT_LIMITS.afterFailure,
  };
}

function checked<T>(entries: Record<string, T>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`"${name}" passed validation but is not defined`);
  return entry;
}
