// Agents and chains of a program: their options, and the plans that runs store.

import * as z from 'zod';
import {
  type AgentSettings,
  type ChainSettings,
  type LimitOptions,
  listReplicas,
  planAgent as planAlone,
  planChain as planStages,
  planSummary,
  type StageSettings,
  sessionBudget,
} from '../agents/planAgent.ts';
import type { Skill } from '../core/contract/skills.ts';
import { TerminalError } from '../core/errors.ts';
import {
  ASK_AGENT,
  type ChainSnapshot,
  chainSnapshotSchema,
  type NativeTool,
  type PlannedAgent,
  type SuccessPolicy,
} from '../core/schema/agent.ts';
import { firstFault } from '../text/zodIssues.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Tool } from './tool.ts';

/** Options that an agent's own runs and chains have. */
interface RunOptions<T> {
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
type ToolName = Tool | McpSource | string;

/** An agent in a stage, with what differs from its own options. */
interface StageAgent extends LimitOptions {
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

/**
 * The agent of these options.
 * @param model of agents without a model of their own.
 * @throws TerminalError `CONFIG_INVALID` with the agent, the option and the fault.
 */
export function planAgent<T>(options: AgentOptions<T>, model: Model | undefined): Agent<T> {
  const { name, fallback = [], tools = [], skills = [], asks = [], summaryModel, answer } = options;
  const own = options.model ?? model;
  if (own === undefined)
    throw new TerminalError(
      'CONFIG_INVALID',
      `agent ${name}: model: is missing; set it here or in durable()`,
    );
  const settings = toSettings(options, own);
  const runs = [{ name, isReplica: false, agent: settings }];
  return {
    kind: 'agent',
    name,
    settings,
    chain: planRuns('agent', { ...options, tools: undefined, stages: [{ name, runs, limits: {} }] }),
    uses: asks,
    askable: asks.flatMap((one) => [planAlone(one.settings, { limits: [] }), ...one.askable]),
    tools,
    skills,
    models: [own, ...fallback, ...listSet(summaryModel)],
    answer,
  };
}

function toSettings<T>(options: AgentOptions<T>, model: Model): AgentSettings {
  const { name, description, instructions, strategy, fallback = [], tools = [], skills = [] } = options;
  const { asks = [], nativeTools = [], combineNativeTools, outsideTools, answer } = options;
  const names = tools.map(nameTool);
  return {
    name,
    description,
    strategy,
    instructions,
    outputSchema: answer && JSON.stringify(z.toJSONSchema(answer)),
    model: model.settings,
    fallback: toFallback(fallback, model),
    asks: asks.length === 0 ? undefined : asks.map(describeAgent),
    nativeTools: [...nativeTools],
    combineNativeTools,
    outsideTools,
    tools: asks.length === 0 ? names : [...names, ASK_AGENT],
    skills: skills.map((skill) => skill.name),
    limits: options,
  };
}

/** A model that has failed is not asked again. */
const toFallback = (fallback: readonly Model[], model: Model) =>
  fallback.filter((one) => one !== model).map(({ settings }) => settings);

const describeAgent = ({ settings: { name, description } }: Agent) => ({
  name,
  ...(description !== undefined && { description }),
});

function nameTool(tool: ToolName): string {
  if (typeof tool === 'string') return tool;
  return tool.kind === 'tool' ? tool.definition.name : tool.name;
}

const listSet = <V>(value: V | undefined): V[] => (value === undefined ? [] : [value]);

/** The chain of these options. @throws as `planAgent`. */
export function planChain<T>(options: ChainOptions<T>): Chain<T> {
  const { name, stages, tools, summaryModel, answer } = options;
  const entries = stages.flatMap((stage) => stage.agents.map(toEntry));
  const used = [...entries.map(({ agent }) => agent), ...stages.flatMap((one) => listSet(one.synthesis))];
  const models = entries.flatMap(({ model = [], fallback = [] }) => [...model, ...fallback]);
  return {
    kind: 'chain',
    name,
    chain: planRuns('chain', { ...options, stages: stages.map(toStage), tools: tools?.map(nameTool) }),
    uses: used,
    askable: [],
    tools: [],
    skills: [],
    models: [...models, ...listSet(summaryModel)],
    answer,
  };
}

/** An agent of a stage, with a list as its models. */
function toEntry(entry: Agent | StageAgent): Omit<StageAgent, 'model'> & { model?: readonly Model[] } {
  if ('settings' in entry) return { agent: entry };
  const { model, ...others } = entry;
  if (model === undefined) return others;
  return { ...others, model: 'settings' in model ? [model] : model };
}

function toStage({ agents, synthesis, tools, collect, ...stage }: StageOptions): StageSettings {
  return {
    ...stage,
    runs: listReplicas(agents.map(toEntry), ({ agent }) => agent.name).map((run) => ({
      name: run.name,
      isReplica: run.isReplica,
      agent: withModels(run.entry, run.model),
      limits: run.entry,
    })),
    synthesis: synthesis?.settings,
    tools: tools?.map(nameTool),
    collect: collect?.map((call) => ({ ...call, tool: nameTool(call.tool) })),
    limits: stage,
  };
}

/** The agent of a stage with the model and the fallback models that the stage sets. */
function withModels({ agent, fallback }: ReturnType<typeof toEntry>, own: Model | undefined): AgentSettings {
  const { settings } = agent;
  const model = own?.settings ?? settings.model;
  const others = fallback?.map((one) => one.settings) ?? settings.fallback ?? [];
  return { ...settings, model, fallback: others.filter((one) => one !== model) };
}

/** The chain of runs. @throws TerminalError `CONFIG_INVALID` with the option and the fault. */
function planRuns<T>(
  kind: 'agent' | 'chain',
  {
    name,
    stages,
    tools,
    sessionTokens,
    summaryModel,
    ...limits
  }: RunOptions<T> & LimitOptions & Pick<ChainSettings, 'stages' | 'tools'>,
): ChainSnapshot {
  const place = { limits: [limits], budgets: sessionBudget([sessionTokens]) };
  const summary = summaryModel && planSummary(summaryModel.settings, '', place);
  const chain = planStages({ name, stages, tools, ...place, summary });
  const read = chainSnapshotSchema.safeParse(chain);
  if (read.success) return read.data;
  throw new TerminalError('CONFIG_INVALID', `${kind} ${name}: ${firstFault(read.error, chain)}`);
}
