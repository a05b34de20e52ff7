// Turns the options of agents and chains into the plans that runs store.

import type * as z from 'zod';
import type { LimitOptions } from '../agents/limits.ts';
import { chainSizeFault, type OptionFault } from '../agents/optionFaults.ts';
import {
  type AgentSettings,
  type ChainSettings,
  planAgent as planAlone,
  planChain as planStages,
  planSummary,
  type StageSettings,
  sessionBudget,
} from '../agents/planAgent.ts';
import { listReplicas } from '../agents/replicas.ts';
import { TerminalError } from '../core/errors.ts';
import { ASK_AGENT, type ChainSnapshot, chainSnapshotSchema } from '../core/schema/agent.ts';
import { firstFault } from '../text/zodIssues.ts';
import { agentFaults, chainFaults } from './agentFaults.ts';
import type {
  Agent,
  AgentOptions,
  Chain,
  ChainOptions,
  RunOptions,
  StageAgent,
  StageOptions,
  ToolName,
} from './agentOptions.ts';
import type { Model } from './model.ts';
import { describeForm } from './tool.ts';

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
  refuseFaults(`agent ${name}`, agentFaults(options, settings, own));
  const runs = [{ name, isReplica: false, agent: settings }];
  return {
    kind: 'agent',
    name,
    settings,
    chain: planRuns('agent', { ...options, tools: undefined, stages: [{ name, runs, limits: {} }] }),
    uses: asks,
    askable: asks.flatMap((one) => [planAlone(one.settings, { limits: [] }), ...one.askable]),
    tools: [...tools, ...asks.flatMap((one) => one.tools)],
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
    outputSchema: answer && describeAnswer(name, answer),
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

function describeAnswer(name: string, answer: z.ZodType): string {
  const schema = describeForm(answer, 'output', (fault) => {
    throw new TerminalError('CONFIG_INVALID', `agent ${name}: answer: ${fault}`);
  });
  return JSON.stringify(schema);
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
  const planned = stages.map(toStage);
  refuseFaults(`chain ${name}`, chainFaults(options, planned));
  const models = entries.flatMap(({ model = [], fallback = [] }) => [...model, ...fallback]);
  return {
    kind: 'chain',
    name,
    chain: planRuns('chain', { ...options, stages: planned, tools: tools?.map(nameTool) }),
    uses: used,
    askable: [],
    tools: used.flatMap((one) => one.tools),
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
  return checkChain(`${kind} ${name}`, planStages({ name, stages, tools, ...place, summary }));
}

/** Throws the first fault. @throws TerminalError `CONFIG_INVALID` with the agent, the option and the fix. */
function refuseFaults(owner: string, faults: Iterable<OptionFault>): void {
  for (const { path, message } of faults)
    throw new TerminalError('CONFIG_INVALID', `${owner}: ${path.join('.')}: ${message}`);
}

/** The chain as runs store it. @throws as `refuseFaults`. */
function checkChain(owner: string, chain: ChainSnapshot): ChainSnapshot {
  const read = chainSnapshotSchema.safeParse(chain);
  if (!read.success) throw new TerminalError('CONFIG_INVALID', `${owner}: ${firstFault(read.error, chain)}`);
  const message = chainSizeFault(read.data);
  if (message !== undefined)
    throw new TerminalError('CONFIG_INVALID', `${owner}: ${message}; shorten the instructions`);
  return read.data;
}
