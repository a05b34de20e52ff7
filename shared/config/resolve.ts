// Turns validated files into the snapshots sessions carry: names become what they name, limits come from the nearest level.

import type { z } from 'zod';
import type { AgentSnapshot, ChainSnapshot, Limits, ModelSettings } from '../schema/agent.ts';
import { DEFAULT_LIMITS } from './defaults.ts';
import type {
  agentsFileSchema,
  chainsFileSchema,
  LimitEntries,
  modelsFileSchema,
  systemFileSchema,
} from './schema.ts';

export interface Files {
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  agents: z.output<ReturnType<typeof agentsFileSchema>>;
  chains: z.output<ReturnType<typeof chainsFileSchema>>;
  system: z.output<typeof systemFileSchema>;
}

/** All chains, by name. References were checked when the files were validated. */
export function snapshotChains(files: Files): Record<string, ChainSnapshot> {
  const { agents, chains, system } = files;
  return Object.fromEntries(
    Object.entries(chains.chains).map(([name, chain]) => [
      name,
      {
        name,
        stages: chain.stages.map((stage) => ({
          name: stage.name,
          agents: stage.agents.map((agentName): AgentSnapshot => {
            const agent = checked(agents.agents, agentName);
            return {
              name: agentName,
              ...(agent.description !== undefined && { description: agent.description }),
              strategy: agent.strategy,
              instructions: agent.instructions,
              model: modelNamed(files, agent.model),
              tools: agent.tools,
              limits: nearestLimits([agent, stage, chain, system]),
            };
          }),
        })),
      },
    ]),
  );
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
