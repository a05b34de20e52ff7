// Turns the options of agents and chains into the plans that sessions store. A configuration calls it after
// it has resolved its files, an engine with the objects of its program. With limits.ts it has all defaults.

import { skillTool } from '../core/contract/skills.ts';
import {
  type ChainSnapshot,
  type CollectCall,
  type Limits,
  type ModelSettings,
  type PlannedAgent,
  type StagePlan,
  SUMMARY_STRATEGY,
} from '../core/schema/agent.ts';
import { type Budgets, type LimitOptions, nearestLimits } from './limits.ts';

/** Tokens of a session, where no level sets them. */
const DEFAULT_SESSION_TOKENS = 2_000_000;

/** Options of an agent that have a default. */
export const AGENT_DEFAULTS = {
  strategy: 'native-thinking',
  combineNativeTools: false,
  outsideTools: 'apart',
} as const;

/** The name of the agent that summarises results. */
const SUMMARY_AGENT = 'executive-summary';
/** The longest time of its one call, in milliseconds: a person waits for the end of the session. */
const ONE_CALL_MS = 60_000;

type Optional<K extends keyof PlannedAgent> = { [P in K]?: PlannedAgent[P] | undefined };

/** Options of an agent, with the names of agents.yaml. What they name is resolved. */
export interface AgentSettings
  extends Pick<PlannedAgent, 'name' | 'instructions' | 'model'>,
    Optional<'strategy' | 'description' | 'isSchema' | 'outputSchema' | 'resources' | 'toolDescriptions'>,
    Optional<
      'fallback' | 'asks' | 'nativeTools' | 'combineNativeTools' | 'outsideTools' | 'tiers' | 'tools'
    > {
  /** The names of its skills. Default: none. */
  skills?: readonly string[] | undefined;
  /** Its own limits. */
  limits?: LimitOptions;
}

/** What an agent gets from its place. */
export interface AgentPlace {
  /** Limits that precede the agent's own. Default: none. */
  nearer?: LimitOptions | undefined;
  /** Limits that follow the agent's own, the nearest first. */
  limits: readonly LimitOptions[];
  /** Token budgets. Default: none. */
  budgets?: Budgets;
  /** Lists of tools that it keeps; of an absent list, all. Default: none. */
  allowed?: readonly (readonly string[] | undefined)[];
}

/** The agent of these options at a place. Skills are not taken away: they give no rights. */
export function planAgent(options: AgentSettings, place: AgentPlace): PlannedAgent {
  const { tools = [], skills = [], limits: own = {} } = options;
  const { nearer = {}, limits, budgets, allowed = [] } = place;
  const kept = allowed.reduce<readonly string[]>(narrowTools, tools);
  return {
    name: options.name,
    ...setFields(options, ['description']),
    strategy: options.strategy ?? AGENT_DEFAULTS.strategy,
    instructions: options.instructions,
    ...setFields(options, ['isSchema', 'outputSchema', 'resources', 'toolDescriptions']),
    model: options.model,
    fallback: options.fallback ?? [],
    ...setFields(options, ['asks']),
    nativeTools: options.nativeTools ?? [],
    combineNativeTools: options.combineNativeTools ?? AGENT_DEFAULTS.combineNativeTools,
    outsideTools: options.outsideTools ?? AGENT_DEFAULTS.outsideTools,
    collect: [],
    ...setFields(options, ['tiers']),
    tools: [...kept, ...skills.map(skillTool)],
    limits: { ...nearestLimits([nearer, own, ...limits]), ...budgets },
  };
}

/** The set ones of some options. */
function setFields<K extends keyof AgentSettings>(options: AgentSettings, keys: readonly K[]) {
  const set = keys.filter((key) => options[key] !== undefined);
  return Object.fromEntries(set.map((key) => [key, options[key]])) as {
    [P in K]?: Exclude<AgentSettings[P], undefined>;
  };
}

/** The tokens of a session: the nearest level that sets them, else the default; `off`: no limit. */
export function sessionBudget(
  levels: readonly (number | 'off' | undefined)[],
): Pick<Limits, 'sessionTokens'> {
  const sessionTokens = levels.find((level) => level !== undefined) ?? DEFAULT_SESSION_TOKENS;
  return sessionTokens === 'off' ? {} : { sessionTokens };
}

/**
 * The `tools` that `allowed` permits. Both hold servers (`kubernetes`) and single tools
 * (`kubernetes.get_logs`). Where one names the server and the other a tool of it, the tool remains.
 * @param allowed undefined allows everything.
 */
export function narrowTools(tools: readonly string[], allowed: readonly string[] | undefined): string[] {
  if (allowed === undefined) return [...tools];
  const left = tools.flatMap((tool) => {
    const [server = '', ...name] = tool.split('.');
    if (allowed.includes(tool) || allowed.includes(server)) return [tool];
    // A server keeps some of its tools; a single tool, whose name can hold dots, is kept or removed.
    return name.length > 0 ? [] : allowed.filter((one) => one.startsWith(`${server}.`));
  });
  return [...new Set(left)];
}

/** A stage, with the names of chains.yaml. */
export interface StageSettings {
  name: string;
  /** Its runs, as `listReplicas` lists them. */
  runs: readonly { name: string; isReplica: boolean; agent: AgentSettings; limits?: LimitOptions }[];
  /** Combines the results. Default: none does. */
  synthesis?: AgentSettings | undefined;
  /** Default: `any`. */
  successPolicy?: StagePlan['successPolicy'] | undefined;
  /** Default: until the deadline of the session. */
  timeoutMs?: number | undefined;
  /** The tools that its agents keep. Default: all. */
  tools?: readonly string[] | undefined;
  /** Calls before the first answer, by each agent that has the tool. Default: none. */
  collect?: readonly { tool: string; arguments?: Record<string, unknown> | undefined }[] | undefined;
  /** The verdicts with which it starts. Default: it always does. */
  when?: StagePlan['when'] | undefined;
  limits: LimitOptions;
}

/** A chain, with the names of chains.yaml. */
export interface ChainSettings {
  name: string;
  stages: readonly StageSettings[];
  /** The tools that its agents keep. Default: all. */
  tools?: readonly string[] | undefined;
  /** Its limits and those of the system, the nearest first. */
  limits: readonly LimitOptions[];
  budgets: Budgets;
  /** The agent that summarises its results. Default: none. */
  summary?: PlannedAgent | undefined;
}

/** The chain of these options. */
export function planChain(chain: ChainSettings): ChainSnapshot {
  const { name, stages, summary } = chain;
  return {
    name,
    stages: stages.map((stage) => planStage(stage, chain)),
    ...(summary !== undefined && { summary }),
  };
}

function planStage(stage: StageSettings, { tools, limits, budgets }: ChainSettings): StagePlan {
  const { name, runs, synthesis, successPolicy = 'any', timeoutMs = null, collect = [], when } = stage;
  const place = { limits: [stage.limits, ...limits], budgets, allowed: [tools, stage.tools] };
  return {
    name,
    successPolicy,
    timeoutMs,
    agents: runs.map((run) => {
      const agent = planAgent(run.agent, { ...place, nearer: run.limits });
      return {
        ...agent,
        name: run.name,
        collect: planCollected(collect, agent.tools),
        ...(run.isReplica && { replicaOf: agent.name }),
      };
    }),
    synthesis: synthesis === undefined ? null : planAgent(synthesis, place),
    ...(when !== undefined && { when }),
  };
}

/** The calls of a stage that an agent with these tools makes. */
function planCollected(
  collect: NonNullable<StageSettings['collect']>,
  tools: readonly string[],
): CollectCall[] {
  return collect.flatMap(({ tool, arguments: args = {} }) =>
    narrowTools(tools, [tool]).length === 0 ? [] : [{ tool, arguments: JSON.stringify(args) }],
  );
}

/** An agent that makes one call, or repeats it after a wrong answer. */
export function planOneCall(
  options: Pick<AgentSettings, 'name' | 'strategy' | 'instructions' | 'model'>,
  maxIterations: number,
  place: AgentPlace,
): PlannedAgent {
  const { limits, ...agent } = planAgent(options, place);
  const iterationTimeoutMs = Math.min(limits.iterationTimeoutMs, ONE_CALL_MS);
  return { ...agent, limits: { ...limits, maxIterations, iterationTimeoutMs } };
}

/** The agent that summarises the result of a session. */
export function planSummary(model: ModelSettings, instructions: string, place: AgentPlace): PlannedAgent {
  return planOneCall({ name: SUMMARY_AGENT, strategy: SUMMARY_STRATEGY, instructions, model }, 1, place);
}
