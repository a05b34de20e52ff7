// Agents and chains of a program: their options, and what an engine keeps of them.

import type * as z from 'zod';
import type { LimitOptions } from '../agents/limits.ts';
import type { AgentSettings } from '../agents/planAgent.ts';
import type { Skill } from '../core/contract/skills.ts';
import type { ChainSnapshot, NativeTool, PlannedAgent, SuccessPolicy } from '../core/schema/agent.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Tool } from './tool.ts';

/** Options that an agent's own runs and chains have. */
export interface RunOptions<T> {
  /** Letters, digits, `_` and `-`, at most 63. Unique in an engine. */
  name: string;
  /** Tokens of a run, after which its agents must conclude; `off`: no limit. Default: 2,000,000. */
  sessionTokens?: number | 'off';
  /** The model that summarises the result in a few lines. Default: there is no summary. */
  summaryModel?: Model;
  /** The form of the last answer. Default: text. */
  answer?: z.ZodType<T>;
}

/** An agent. Names are those of agents.yaml; durations are milliseconds, sizes UTF-8 bytes. */
export interface AgentOptions<T = unknown> extends RunOptions<T>, LimitOptions {
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
  /** Instructions that it loads when it needs them. Default: none. */
  skills?: readonly Skill[];
  /** Agents that it can ask while it runs. Default: none. */
  asks?: readonly Agent[];
  /** Tools that Gemini runs itself. Default: none. */
  nativeTools?: readonly NativeTool[];
  /** Whether native tools are bound together with others. Default: false. */
  combineNativeTools?: boolean;
  /** Whether tools that reach outside are offered together with private ones. Default: `apart`. */
  outsideTools?: 'apart' | 'together';
}

/** A tool in code, a server with all its tools, or one of its tools: `server.tool`. */
export type ToolName = Tool | McpSource | string;

/** An agent in a stage, with what differs from its own options. */
export interface StageAgent extends LimitOptions {
  agent: Agent;
  /** The model, or several, on each of which it runs. Default: its own. */
  model?: Model | readonly Model[];
  /** Models that take over. Default: its own. */
  fallback?: readonly Model[];
  /** How often it runs on each model. Default: once. */
  replicas?: number;
}

/** One stage of a chain: agents side by side, and possibly one that combines their results. */
export interface StageOptions extends LimitOptions {
  /** Letters, digits, `_` and `-`, at most 63. */
  name: string;
  agents: readonly (Agent | StageAgent)[];
  /** Combines the results. Default: the results stand beside each other. */
  synthesis?: Agent;
  /** `any`: the stage completes if one agent does. Default: `any`. */
  successPolicy?: SuccessPolicy;
  /** The tools that its agents keep. Default: all. */
  tools?: readonly ToolName[];
  /** Calls of read-only tools that each agent with the tool makes before its first answer. Default: none. */
  collect?: readonly { tool: Tool | string; arguments?: Record<string, unknown> }[];
  /** Milliseconds for all agents together. Default: until the deadline of the run. */
  timeoutMs?: number;
}

/** A chain of stages, of which each reads the findings of those before. */
export interface ChainOptions<T = unknown> extends RunOptions<T>, LimitOptions {
  stages: readonly StageOptions[];
  /** The tools that its agents keep. Default: all. */
  tools?: readonly ToolName[];
}

/** The plan of runs, with all that they need. */
interface Plan<T> {
  readonly kind: 'agent' | 'chain';
  readonly name: string;
  readonly chain: ChainSnapshot;
  /** The agents that its options name. */
  readonly uses: readonly Agent[];
  /** The agents that others can ask. */
  readonly askable: readonly PlannedAgent[];
  /** All tools of its runs. */
  readonly tools: readonly (Tool | McpSource)[];
  readonly skills: readonly Skill[];
  readonly models: readonly Model[];
  readonly answer: z.ZodType<T> | undefined;
}

/** An agent that an engine registers: `start` opens runs of it, chains and other agents use it. */
export interface Agent<T = unknown> extends Plan<T> {
  readonly settings: AgentSettings;
}

/** A chain that an engine registers: `start` opens runs of it. */
export type Chain<T = unknown> = Plan<T>;
