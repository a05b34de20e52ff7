// Turns validated files into the snapshots that sessions carry: names are replaced by what they name, and each limit comes
// from the nearest level that sets it.

import type * as z from 'zod';
import { isNative } from '../contract/modelFacts.ts';
import { SYNTHESIS_INSTRUCTIONS } from '../prompt/synthesis.ts';
import type { ChainSnapshot, Limits, ModelSettings, PlannedAgent } from '../schema/agent.ts';
import { DEFAULT_LIMITS } from './defaults.ts';
import {
  type agentsFileSchema,
  BUILT_IN_SYNTHESIZER,
  type chainsFileSchema,
  type LimitEntries,
  type modelsFileSchema,
  type pricesFileSchema,
  type systemFileSchema,
} from './schema.ts';

/** The contents of the validated files. */
export interface Files {
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  agents: z.output<ReturnType<typeof agentsFileSchema>>;
  chains: z.output<ReturnType<typeof chainsFileSchema>>;
  system: z.output<typeof systemFileSchema>;
  prices: z.output<typeof pricesFileSchema>;
}

type Stage = Files['chains']['chains'][string]['stages'][number];
type Chain = Files['chains']['chains'][string];

/** All chains by name. Every reference must have been validated. */
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

function agentSnapshot(files: Files, agentName: string, stage: Stage, chain: Chain): PlannedAgent {
  const agent = requireEntry(files.agents.agents, agentName);
  return {
    name: agentName,
    ...(agent.description !== undefined && { description: agent.description }),
    strategy: agent.strategy,
    instructions: agent.instructions,
    model: findModel(files, agent.model),
    tools: agent.tools,
    nativeTools: agent.nativeTools,
    combineNativeTools: agent.combineNativeTools,
    limits: nearestLimits([agent, stage, chain, files.system]),
  };
}

/** The agent that combines the results of a stage: the one it names, else a built-in one; null when it has one agent. */
function synthesisOf(files: Files, stage: Stage, chain: Chain): PlannedAgent | null {
  if (stage.synthesis !== undefined) return agentSnapshot(files, stage.synthesis, stage, chain);
  if (stage.agents.length === 1) return null;
  const model = findModel(files);
  return {
    name: BUILT_IN_SYNTHESIZER,
    strategy: isNative(model.provider) ? 'synthesis-native-thinking' : 'synthesis',
    instructions: SYNTHESIS_INSTRUCTIONS,
    model,
    tools: [],
    nativeTools: [],
    combineNativeTools: false,
    limits: nearestLimits([stage, chain, files.system]),
  };
}

function findModel({ models, prices: book }: Files, name: string = models.default): ModelSettings {
  const { answerLimit: answerBytes, ...settings } = requireEntry(models.models, name);
  const prices = book.models?.[settings.model];
  return { ...settings, ...(answerBytes !== undefined && { answerBytes }), ...(prices && { prices }) };
}

/** Each limit from the first level that sets it, else the default. */
function nearestLimits(levels: LimitEntries[]): Limits {
  const nearest = <K extends keyof LimitEntries>(key: K): LimitEntries[K] =>
    levels.find((level) => level[key] !== undefined)?.[key];
  return {
    maxIterations: nearest('maxIterations') ?? DEFAULT_LIMITS.maxIterations,
    iterationTimeoutMs: nearest('iterationTimeout') ?? DEFAULT_LIMITS.iterationTimeoutMs,
    toolTimeoutMs: nearest('toolTimeout') ?? DEFAULT_LIMITS.toolTimeoutMs,
    toolResultBytes: nearest('toolResultLimit') ?? DEFAULT_LIMITS.toolResultBytes,
    afterFailure: nearest('afterFailure') ?? DEFAULT_LIMITS.afterFailure,
    repeatedCalls: nearest('repeatedCalls') ?? DEFAULT_LIMITS.repeatedCalls,
  };
}

function requireEntry<T>(entries: Record<string, T>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`"${name}" passed validation but is not defined`);
  return entry;
}
