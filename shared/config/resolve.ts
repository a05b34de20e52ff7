// Turns validated files into the snapshots that sessions carry: names are replaced by what they name, and each limit comes
// from the nearest level that sets it.

import type * as z from 'zod';
import { isNative } from '../contract/modelFacts.ts';
import { SYNTHESIS_INSTRUCTIONS } from '../prompt/synthesis.ts';
import type { ChainSnapshot, Limits, ModelSettings, PlannedAgent, UsageLimit } from '../schema/agent.ts';
import { chainEntry } from './chains.ts';
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

/** All chains by name. Every reference must have been validated. */
export function snapshotChains(files: Files): Record<string, ChainSnapshot> {
  return Object.fromEntries(
    Object.entries(files.chains.chains).map(([name, chain]) => [
      name,
      {
        name,
        stages: chain.stages.map((stage) => ({
          name: stage.name,
          agents: stage.agents.map((agentName) => agentSnapshot(files, agentName, stage, name)),
          synthesis: synthesisOf(files, stage, name),
        })),
      },
    ]),
  );
}

function agentSnapshot(files: Files, agentName: string, stage: Stage, chainName: string): PlannedAgent {
  const chain = requireEntry(files.chains.chains, chainName);
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
    outsideTools: agent.outsideTools,
    limits: { ...nearestLimits([agent, stage, chain, files.system]), ...tokenBudgets(files, chainName) },
  };
}

/** The agent that combines the results of a stage: the one it names, else a built-in one; null when it has one agent. */
function synthesisOf(files: Files, stage: Stage, chainName: string): PlannedAgent | null {
  if (stage.synthesis !== undefined) return agentSnapshot(files, stage.synthesis, stage, chainName);
  const chain = requireEntry(files.chains.chains, chainName);
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
    outsideTools: 'apart',
    limits: { ...nearestLimits([stage, chain, files.system]), ...tokenBudgets(files, chainName) },
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
    conversationBytes: nearest('conversationBytes') ?? DEFAULT_LIMITS.conversationBytes,
  };
}

/** The budgets of tokens: of a session the nearest, of a day those of the system and of the chain, which count apart. */
function tokenBudgets(
  { chains, system }: Files,
  chain: string,
): Pick<Limits, 'sessionTokens' | 'dailyTokens'> {
  const sessionTokens =
    chains.chains[chain]?.sessionTokens ?? system.sessionTokens ?? DEFAULT_LIMITS.sessionTokens;
  const dailyTokens = usageLimits({ chains, system }, 'dailyTokens', chain);
  return {
    ...(sessionTokens !== 'off' && { sessionTokens }),
    ...(dailyTokens.length > 0 && { dailyTokens }),
  };
}

/** What system.yaml and a chain allow within a period: each counts for itself, and both hold. */
export function usageLimits(
  { chains, system }: Pick<Files, 'chains' | 'system'>,
  budget: 'dailyTokens' | 'sessionsPerHour',
  chain: string,
  systemDefault?: number,
): UsageLimit[] {
  const ofChain = chainEntry(chains.chains, chain)[budget] ?? 'off';
  const ofSystem = system[budget] ?? systemDefault ?? 'off';
  // That of the chain first: what it refuses takes nothing from the others.
  return [
    ...(ofChain === 'off' ? [] : [{ chain, limit: ofChain }]),
    ...(ofSystem === 'off' ? [] : [{ chain: null, limit: ofSystem }]),
  ];
}

function requireEntry<T>(entries: Record<string, T>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`"${name}" passed validation but is not defined`);
  return entry;
}
