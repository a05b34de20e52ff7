// Agents and chains of a program, in the form that runs store.

import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import {
  ASK_AGENT,
  type ChainSnapshot,
  chainSnapshotSchema,
  type Limits,
  type NativeTool,
  type PlannedAgent,
  type SuccessPolicy,
} from '../core/schema/agent.ts';
import { firstFault } from '../text/zodIssues.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Tool } from './tool.ts';

/** Limits of an agent, as Inquest's configuration has them by default. Milliseconds and UTF-8 bytes. */
const DEFAULT_LIMITS: Limits = {
  maxIterations: 20,
  iterationTimeoutMs: 120_000,
  toolTimeoutMs: 60_000,
  toolResultBytes: 64_000,
  afterFailure: 'fail',
  repeatedCalls: 'refuse',
  conversationBytes: 3_000_000,
  sessionTokens: 2_000_000,
};

/** An agent. Names are those of agents.yaml; durations are milliseconds, sizes UTF-8 bytes. */
export interface AgentOptions<T = unknown> extends Partial<Omit<Limits, 'dailyTokens'>> {
  /** Letters, digits, `_` and `-`, at most 63. Unique in an engine. */
  name: string;
  /** What it is for, for agents that can ask it. Default: none. */
  description?: string;
  /** Its part of the system prompt. */
  instructions: string;
  /** Default: `native-thinking`, the model's function calling. */
  strategy?: string;
  /** Default: the model of the engine. */
  model?: Model;
  /** Models that take over, in order, when the one before fails permanently. Default: none. */
  fallback?: readonly Model[];
  /** Tools in code, and MCP servers with all their tools. Default: none. */
  tools?: readonly (Tool | McpSource)[];
  /** Agents that it can ask while it runs. Default: none. */
  asks?: readonly Agent[];
  /** Tools that Gemini runs itself. Default: none. */
  nativeTools?: readonly NativeTool[];
  /** Whether native tools are bound together with others. Default: false. */
  combineNativeTools?: boolean;
  /** Whether tools that reach outside are offered together with private ones. Default: `apart`. */
  outsideTools?: 'apart' | 'together';
  /** The form of its answer. Default: text. */
  answer?: z.ZodType<T>;
}

/** One stage of a chain: agents side by side, and possibly one that combines their results. */
export interface StageOptions {
  /** Letters, digits, `_` and `-`, at most 63. */
  name: string;
  /** The agents, each with its number of replicas (default: 1). */
  agents: readonly (Agent | { agent: Agent; replicas: number })[];
  /** Combines the results. Default: the results stand beside each other. */
  synthesis?: Agent;
  /** `any`: the stage completes if one agent does. Default: `any`. */
  successPolicy?: SuccessPolicy;
  /** Milliseconds for all agents together. Default: until the deadline of the run. */
  timeoutMs?: number;
}

/** A chain of stages, of which each reads the findings of those before. */
export interface ChainOptions<T = unknown> {
  /** Letters, digits, `_` and `-`, at most 63. Unique in an engine. */
  name: string;
  stages: readonly StageOptions[];
  /** The form of the last answer. Default: text. */
  answer?: z.ZodType<T>;
}

/** The plan of runs, with all that they need. */
interface Plan<T> {
  readonly name: string;
  readonly chain: ChainSnapshot;
  /** All agents of its runs. */
  readonly agents: readonly PlannedAgent[];
  /** The agents that others can ask. */
  readonly askable: readonly PlannedAgent[];
  readonly tools: readonly (Tool | McpSource)[];
  readonly models: readonly Model[];
  readonly answer: z.ZodType<T> | undefined;
}

/** An agent that an engine registers: `start` opens runs of it, chains and other agents use it. */
export interface Agent<T = unknown> extends Plan<T> {
  readonly planned: PlannedAgent;
}

/** A chain that an engine registers: `start` opens runs of it. */
export type Chain<T = unknown> = Plan<T>;

/**
 * The agent of these options.
 * @param model of agents without a model of their own.
 * @throws TerminalError `CONFIG_INVALID` with the place and the fault.
 */
export function planAgent<T>(options: AgentOptions<T>, model: Model | undefined): Agent<T> {
  const { name, fallback = [], tools = [], asks = [], answer } = options;
  const own = options.model ?? model;
  if (own === undefined)
    throw new TerminalError('CONFIG_INVALID', `agent ${name}: model is missing; set it here or in durable()`);
  const planned = toPlanned(options, own);
  const stage = { name, successPolicy: 'any' as const, timeoutMs: null, agents: [planned], synthesis: null };
  return {
    name,
    planned,
    chain: checkChain({ name, stages: [stage] }),
    agents: [planned, ...asks.flatMap((one) => one.agents)],
    askable: asks.flatMap((one) => [one.planned, ...one.askable]),
    tools: [...tools, ...asks.flatMap((one) => one.tools)],
    models: [own, ...fallback, ...asks.flatMap((one) => one.models)],
    answer,
  };
}

function toPlanned<T>(options: AgentOptions<T>, { settings: model }: Model): PlannedAgent {
  const {
    name,
    description,
    instructions,
    strategy = 'native-thinking',
    answer,
    model: _,
    ...rest
  } = options;
  const { fallback = [], tools = [], asks = [], nativeTools = [], ...others } = rest;
  const { combineNativeTools = false, outsideTools = 'apart', ...limits } = others;
  const names = tools.map((one) => (one.kind === 'tool' ? one.definition.name : one.name));
  const asked = asks.map(({ planned: { name, description } }) => ({
    name,
    ...(description !== undefined && { description }),
  }));
  return {
    name,
    ...(description !== undefined && { description }),
    strategy,
    instructions,
    ...(answer !== undefined && { outputSchema: JSON.stringify(z.toJSONSchema(answer)) }),
    model,
    fallback: fallback.map(({ settings }) => settings),
    tools: asks.length > 0 ? [...names, ASK_AGENT] : names,
    ...(asks.length > 0 && { asks: asked }),
    nativeTools: [...nativeTools],
    combineNativeTools,
    outsideTools,
    collect: [],
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
}

/** The chain of these options. @throws TerminalError `CONFIG_INVALID` with the place and the fault. */
export function planChain<T>({ name, stages, answer }: ChainOptions<T>): Chain<T> {
  const used = stages.flatMap(({ agents, synthesis }) => [
    ...agents.map((one) => ('agent' in one ? one.agent : one)),
    ...(synthesis === undefined ? [] : [synthesis]),
  ]);
  const planned = stages.map(({ synthesis, successPolicy = 'any', timeoutMs = null, ...stage }) => ({
    name: stage.name,
    successPolicy,
    timeoutMs,
    agents: stage.agents.flatMap(planReplicas),
    synthesis: synthesis === undefined ? null : synthesis.planned,
  }));
  return {
    name,
    chain: checkChain({ name, stages: planned }),
    agents: used.flatMap((one) => one.agents),
    askable: used.flatMap((one) => one.askable),
    tools: used.flatMap((one) => one.tools),
    models: used.flatMap((one) => one.models),
    answer,
  };
}

function planReplicas(entry: StageOptions['agents'][number]): PlannedAgent[] {
  if (!('agent' in entry)) return [entry.planned];
  const { agent, replicas } = entry;
  if (replicas === 1) return [agent.planned];
  return Array.from({ length: replicas }, (_, index) => ({
    ...agent.planned,
    name: `${agent.name}-${index + 1}`,
    replicaOf: agent.name,
  }));
}

function checkChain(chain: ChainSnapshot): ChainSnapshot {
  const read = chainSnapshotSchema.safeParse(chain);
  if (read.success) return read.data;
  throw new TerminalError('CONFIG_INVALID', `${chain.name}: ${firstFault(read.error, chain)}`);
}
