// Turns validated files into the snapshots that sessions carry: names are replaced by the definitions, and
// each limit comes from the nearest level that sets it.

import { schemaPrompt } from '../agents/prompt.ts';
import type { AgentRequest } from '../core/contract/agentText.ts';
import { KEEPS_LEDGER, REQUIRES_LEDGER } from '../core/contract/ledgerTool.ts';
import { isNative, takesTemperature } from '../core/contract/modelFacts.ts';
import { isSkillTool, skillTool } from '../core/contract/skills.ts';
import {
  BUILT_IN_TOOLS,
  type ChainSnapshot,
  CLAIMS_STRATEGY,
  DEFAULT_INCIDENT_RULES,
  type Limits,
  type ModelSettings,
  type PlannedAgent,
  type StagePlan,
  SUMMARY_STRATEGY,
  type UsageLimit,
} from '../core/schema/agent.ts';
import { CHAT_INSTRUCTIONS } from '../wording/chat.ts';
import { SUMMARY_INSTRUCTIONS } from '../wording/executiveSummary.ts';
import { SYNTHESIS_INSTRUCTIONS } from '../wording/synthesis.ts';
import { chooseOutputSchema } from './agentEntry.ts';
import type { AgentEntry, ChatRequest, SchemaSettings } from './agentTypes.ts';
import { chainEntry } from './chains.ts';
import { BUILT_IN_SYNTHESIZER, CHAT_OFF, type ChainEntry, type StageEntry } from './chainsFile.ts';
import { filterCollectCalls } from './collectFaults.ts';
import { DEFAULT_LIMITS } from './defaults.ts';
import type { Files } from './files.ts';
import type { IncidentEntries, LimitEntries } from './limitFields.ts';
import { listReplicas } from './replicas.ts';
import { nearestTiers } from './serviceTiers.ts';
import { narrowTools } from './toolsOfStage.ts';

/** All chains by name. Every reference must have been validated. */
export function snapshotChains(files: Files): Record<string, ChainSnapshot> {
  return Object.fromEntries(
    Object.keys(files.chains.chains).map((name) => [name, snapshotChain(files, name)]),
  );
}

/** A chain by name. Every reference must have been validated. */
export function snapshotChain(files: Files, name: string): ChainSnapshot {
  const chain = requireEntry(files.chains.chains, name);
  const chat = chatAgent(files, name);
  const stages = chain.stages.map((stage) => stagePlan(files, { name, chain, stage }));
  return {
    name,
    stages,
    ...resolveSummary(files, name),
    ...resolveClaims(files, name, stages),
    ...(chat !== undefined && { chat }),
    ...resolveIncident(chain),
  };
}

/** The handling of further alerts; empty for a chain that does not set it. */
function resolveIncident(entries: IncidentEntries): Pick<ChainSnapshot, 'incident'> {
  const { settle, onResolved, coolDown, reinvestigateAfter } = entries;
  if ([settle, onResolved, coolDown, reinvestigateAfter].every((value) => value === undefined)) return {};
  const usual = DEFAULT_INCIDENT_RULES;
  return {
    incident: {
      settleMs: settle ?? usual.settleMs,
      onResolved: onResolved ?? usual.onResolved,
      coolDownMs: coolDown ?? usual.coolDownMs,
      reinvestigateAfterMs: reinvestigateAfter ?? usual.reinvestigateAfterMs,
    },
  };
}

/** An agent outside of any chain. It must have been validated, and so must the model. */
export function plannedAlone(files: Files, agentName: string, request: AgentRequest): PlannedAgent {
  const agent = requireEntry(files.agents.agents, agentName);
  return {
    ...resolveAgentSettings(files, agentName, request),
    ...nearestTiers([agent.serviceTier, files.system.serviceTier]),
    tools: withSkills(agent.tools, agent),
    limits: { ...nearestLimits([agent, files.system]), ...tokenBudgets(files, null) },
  };
}

/** All agents by name, as other agents can ask them. Every reference must have been validated. */
export function snapshotAgents(files: Files): Record<string, PlannedAgent> {
  return Object.fromEntries(
    Object.entries(files.agents.agents).map(([name, agent]) => [
      name,
      {
        ...resolveAgentSettings(files, name, {}),
        // Those of the chain and the system come from the agent that asks.
        ...nearestTiers([agent.serviceTier]),
        tools: withSkills(agent.tools, agent),
        limits: nearestLimits([agent, files.system]),
      },
    ]),
  );
}

/** The tools with the skills, which chains and stages do not take away: they give no rights. */
function withSkills(tools: string[], { skills = [] }: Pick<AgentEntry, 'skills'>): string[] {
  return [...tools, ...skills.map(skillTool)];
}

/** The tools with the ledger, for an agent with tools of servers in a chain that keeps one. */
function withLedger(tools: string[], { ledger }: Pick<ChainEntry, 'ledger'>): string[] {
  const hasServer = tools.some((tool) => !BUILT_IN_TOOLS.includes(tool) && !isSkillTool(tool));
  if (ledger === 'off' || !hasServer) return tools;
  return [...tools, KEEPS_LEDGER, ...(ledger === 'required' ? [REQUIRES_LEDGER] : [])];
}

/** A stage with its chain. */
interface Place {
  /** The chain's name. */
  name: string;
  /** The chain as its file has it, for limits and models that the stage does not set. */
  chain: ChainEntry;
  /** The stage as the file of its chain has it. */
  stage: StageEntry;
}

function stagePlan(files: Files, place: Place): StagePlan {
  const { name, successPolicy, timeout, agents } = place.stage;
  return {
    name,
    successPolicy: successPolicy ?? 'any',
    timeoutMs: timeout ?? null,
    agents: listReplicas(agents).map(({ name: runName, entry, isReplica, model }) => {
      const own = { levels: [entry], model, fallback: entry.fallback };
      const agent = plannedAgent(files, entry.agent, place, own);
      return {
        ...agent,
        name: runName,
        collect: filterCollectCalls(place.stage, agent.tools),
        ...(isReplica && { replicaOf: entry.agent }),
      };
    }),
    synthesis: resolveSynthesis(files, place),
    ...(place.stage.when !== undefined && { when: place.stage.when.verdict }),
  };
}

/** An agent in a stage. `own` is the stage's entry for this run. */
function plannedAgent(
  files: Files,
  agentName: string,
  { name: chainName, chain, stage }: Place,
  own: AgentRequest & { levels: LimitEntries[]; fallback?: string[] | undefined } = {
    levels: [],
  },
): PlannedAgent {
  const agent = requireEntry(files.agents.agents, agentName);
  return {
    ...resolveAgentSettings(files, agentName, own),
    ...nearestTiers([agent.serviceTier, chain.serviceTier, files.system.serviceTier]),
    tools: withLedger(
      withSkills(narrowTools(narrowTools(agent.tools, chain.tools), stage.tools), agent),
      chain,
    ),
    limits: {
      ...nearestLimits([...own.levels, agent, stage, chain, files.system]),
      ...tokenBudgets(files, chainName),
    },
  };
}

/**
 * The settings of an agent that do not depend on its stage. The required model takes precedence, then the
 * requested one, then the agent's own, then the default.
 */
function resolveAgentSettings(
  files: Files,
  agentName: string,
  asked: AgentRequest & { fallback?: string[] | undefined },
): Omit<PlannedAgent, 'tools' | 'limits'> {
  const agent = requireEntry(files.agents.agents, agentName);
  const { schema } = agent;
  const modelName = schema?.overrideModel ?? asked.model ?? agent.model ?? files.models.default;
  const fallback = asked.fallback ?? agent.fallback;
  const settings = (name: string) => withTemperature(findModel(files, name), schema?.temperature);
  const structured = schema && structuredParts(schema, asked.structuredOutput ?? schema.structuredOutput);
  return {
    name: agentName,
    ...(agent.description !== undefined && { description: agent.description }),
    strategy: agent.strategy,
    instructions: agent.instructions,
    ...structured,
    model: settings(modelName),
    // A model that has failed is not asked again.
    fallback: fallback.filter((name) => name !== modelName).map(settings),
    ...(agent.asks !== undefined && { asks: agent.asks.map((name) => askEntry(files, name)) }),
    nativeTools: agent.nativeTools,
    combineNativeTools: agent.combineNativeTools,
    outsideTools: agent.outsideTools,
    collect: [],
  };
}

function askEntry({ agents: { agents } }: Files, name: string): NonNullable<PlannedAgent['asks']>[number] {
  const description = agents[name]?.description;
  return { name, ...(description !== undefined && { description }) };
}

/** The settings that a schema adds to an agent. Without properties the answer is text. */
function structuredParts(
  schema: SchemaSettings,
  isAsked: boolean,
): Pick<PlannedAgent, 'instructions' | 'isSchema' | 'outputSchema' | 'resources' | 'toolDescriptions'> {
  const output = chooseOutputSchema(schema, isAsked);
  return {
    instructions: schemaPrompt(schema, output !== undefined),
    isSchema: true,
    ...(output !== undefined && { outputSchema: JSON.stringify(output) }),
    ...(schema.resources.length > 0 && { resources: schema.resources }),
    ...(Object.keys(schema.toolDescriptions).length > 0 && { toolDescriptions: schema.toolDescriptions }),
  };
}

/** The model with a temperature, where it takes one. 0 is one. */
function withTemperature(model: ModelSettings, temperature: number | undefined): ModelSettings {
  return temperature === undefined || !takesTemperature(model) ? model : { ...model, temperature };
}

/** The agent that combines the results of a stage: the named one, else a built-in; null for one run. */
function resolveSynthesis(files: Files, place: Place): PlannedAgent | null {
  const { name: chainName, chain, stage } = place;
  if (stage.synthesis !== undefined) return plannedAgent(files, stage.synthesis, place);
  if (listReplicas(stage.agents).length === 1) return null;
  const model = findModel(files);
  return {
    name: BUILT_IN_SYNTHESIZER,
    strategy: isNative(model.provider) ? 'synthesis-native-thinking' : 'synthesis',
    instructions: SYNTHESIS_INSTRUCTIONS,
    model,
    fallback: [],
    tools: [],
    nativeTools: [],
    combineNativeTools: false,
    outsideTools: 'apart',
    ...nearestTiers([chain.serviceTier, files.system.serviceTier]),
    collect: [],
    limits: { ...nearestLimits([stage, chain, files.system]), ...tokenBudgets(files, chainName) },
  };
}

/** Name of the built-in agent that answers questions. */
const CHAT_AGENT = 'chat';

/**
 * The agent that answers questions about a session of the chain: the one it names, else a built-in one with
 * the tools of all agents of the chain; none when it is switched off. The settings of a request must have
 * been validated.
 */
export function chatAgent(
  files: Files,
  chainName: string,
  { agent, ...request }: ChatRequest = {},
): PlannedAgent | undefined {
  const chain = requireEntry(files.chains.chains, chainName);
  if (chain.chat === CHAT_OFF) return undefined;
  const name = agent ?? chain.chat;
  if (name !== undefined) {
    const place = { name: chainName, chain, stage: NO_STAGE };
    return plannedAgent(files, name, place, { levels: [], ...request });
  }
  const tools = chain.stages.flatMap((stage) =>
    listReplicas(stage.agents).flatMap(({ entry }) => {
      const agent = requireEntry(files.agents.agents, entry.agent);
      return withSkills(narrowTools(narrowTools(agent.tools, chain.tools), stage.tools), agent);
    }),
  );
  const model = findModel(files, request.model);
  return {
    name: CHAT_AGENT,
    strategy: isNative(model.provider) ? 'native-thinking' : 'react',
    instructions: CHAT_INSTRUCTIONS,
    model,
    fallback: [],
    tools: withoutParts([...new Set(tools)]),
    collect: [],
    nativeTools: [],
    combineNativeTools: false,
    ...nearestTiers([chain.serviceTier, files.system.serviceTier]),
    outsideTools: 'apart',
    limits: { ...nearestLimits([chain, files.system]), ...tokenBudgets(files, chainName) },
  };
}

/** A stage without own settings. */
const NO_STAGE: StageEntry = { name: CHAT_AGENT, agents: [] };

/** The tools without single ones of a server that is there as a whole. */
function withoutParts(tools: string[]): string[] {
  return tools.filter((tool) => !tools.some((other) => tool.startsWith(`${other}.`)));
}

/** Name of the built-in agent that writes executive summaries. */
const SUMMARY_AGENT = 'executive-summary';
/** The longest time of its one call, in milliseconds: a person waits for the end of the session. */
const SUMMARY_CALL_MS = 60_000;

/** The agent that writes the executive summary; none when it is switched off. */
function resolveSummary(files: Files, chainName: string): Pick<ChainSnapshot, 'summary'> {
  const { summaryModel } = files.system;
  if (summaryModel === 'off') return {};
  const own = { name: SUMMARY_AGENT, strategy: SUMMARY_STRATEGY, instructions: SUMMARY_INSTRUCTIONS };
  return { summary: { ...own, ...oneCallAgent(files, chainName, 1) } };
}

/**
 * The agent that checks claims, and the settings that depend on it. A wrong answer is asked for twice. None
 * without a ledger: by default a chain keeps one if an agent has tools of servers, or a setting needs its
 * verdict.
 */
function resolveClaims(
  files: Files,
  chainName: string,
  stages: readonly StagePlan[],
): Pick<ChainSnapshot, 'claims' | 'stopWhen' | 'contrast' | 'rules' | 'lookbackMs'> {
  const chain = requireEntry(files.chains.chains, chainName);
  const { ledger, stopWhen, contrast, rules, lookback } = chain;
  const isKept = stages.some(({ agents }) => agents.some(({ tools }) => tools.includes(KEEPS_LEDGER)));
  const isNeeded = stopWhen !== undefined || chain.stages.some(({ when }) => when !== undefined);
  if (ledger === 'off' || (ledger === undefined && !isKept && !isNeeded)) return {};
  return {
    claims: {
      name: CLAIMS_STRATEGY,
      strategy: CLAIMS_STRATEGY,
      instructions: '',
      ...oneCallAgent(files, chainName, 2),
    },
    ...(stopWhen !== undefined && { stopWhen }),
    ...(contrast !== undefined && { contrast }),
    ...(rules !== undefined && { rules }),
    ...(lookback !== undefined && { lookbackMs: lookback }),
  };
}

/** The settings of an agent of Inquest's own, with the model of summaries. */
function oneCallAgent(files: Files, chainName: string, maxIterations: number) {
  const { summaryModel } = files.system;
  const limits = { ...nearestLimits([files.system]), ...tokenBudgets(files, chainName) };
  return {
    model: findModel(files, summaryModel === 'off' ? undefined : summaryModel),
    fallback: [],
    tools: [],
    nativeTools: [],
    combineNativeTools: false,
    outsideTools: 'apart' as const,
    collect: [],
    limits: {
      ...limits,
      maxIterations,
      iterationTimeoutMs: Math.min(limits.iterationTimeoutMs, SUMMARY_CALL_MS),
    },
  };
}

/** A model of models.yaml with its prices; the default without a name. It must have been validated. */
export function findModel(
  { models, prices: book }: Pick<Files, 'models' | 'prices'>,
  name: string = models.default,
): ModelSettings {
  const { answerLimit: answerBytes, limits: _, ...settings } = requireEntry(models.models, name);
  const prices = book.models?.[settings.model];
  return { ...settings, ...(answerBytes !== undefined && { answerBytes }), ...(prices && { prices }) };
}

/** Each limit from the first level that sets it, else the default. */
function nearestLimits(levels: LimitEntries[]): Limits {
  const nearest = <K extends keyof LimitEntries>(key: K): LimitEntries[K] =>
    levels.find((level) => level[key] !== undefined)?.[key];
  const firstChunkTimeoutMs = nearest('firstChunkTimeout');
  const stallTimeoutMs = nearest('stallTimeout');
  const modelOutageMs = nearest('modelOutage');
  return {
    maxIterations: nearest('maxIterations') ?? DEFAULT_LIMITS.maxIterations,
    iterationTimeoutMs: nearest('iterationTimeout') ?? DEFAULT_LIMITS.iterationTimeoutMs,
    toolTimeoutMs: nearest('toolTimeout') ?? DEFAULT_LIMITS.toolTimeoutMs,
    ...(firstChunkTimeoutMs !== undefined && { firstChunkTimeoutMs }),
    ...(stallTimeoutMs !== undefined && { stallTimeoutMs }),
    ...(modelOutageMs !== undefined && { modelOutageMs }),
    toolResultBytes: nearest('toolResultLimit') ?? DEFAULT_LIMITS.toolResultBytes,
    afterFailure: nearest('afterFailure') ?? DEFAULT_LIMITS.afterFailure,
    repeatedCalls: nearest('repeatedCalls') ?? DEFAULT_LIMITS.repeatedCalls,
    conversationBytes: nearest('conversationBytes') ?? DEFAULT_LIMITS.conversationBytes,
  };
}

/**
 * Token budgets: of a session the nearest; of a day those of system and chain. `chain` null: outside chains.
 */
function tokenBudgets(
  { chains, system }: Files,
  chain: string | null,
): Pick<Limits, 'sessionTokens' | 'dailyTokens'> {
  const ofChain = chain === null ? undefined : chains.chains[chain]?.sessionTokens;
  const sessionTokens = ofChain ?? system.sessionTokens ?? DEFAULT_LIMITS.sessionTokens;
  const dailyTokens = usageLimits({ chains, system }, 'dailyTokens', chain);
  return {
    ...(sessionTokens !== 'off' && { sessionTokens }),
    ...(dailyTokens.length > 0 && { dailyTokens }),
  };
}

/** The limits of system.yaml and of a chain within a period. They count separately, and both apply. */
export function usageLimits(
  { chains, system }: Pick<Files, 'chains' | 'system'>,
  budget: 'dailyTokens' | 'sessionsPerHour',
  chain: string | null,
  systemDefault?: number,
): UsageLimit[] {
  const ofChain = (chain === null ? undefined : chainEntry(chains.chains, chain)[budget]) ?? 'off';
  const ofSystem = system[budget] ?? systemDefault ?? 'off';
  // The chain's limit comes first: a rejection by it does not count against the other limits.
  return [
    ...(ofChain === 'off' ? [] : [{ chain, limit: ofChain }]),
    ...(ofSystem === 'off' ? [] : [{ chain: null, limit: ofSystem }]),
  ];
}

/** The percentage of a budget that is kept for critical alerts, unless it is configured. */
const DEFAULT_RESERVE = 20;

/** The percentage of each budget that is kept for critical alerts. @param chain null outside of chains. */
export function reservedPercent(
  { chains, system }: Pick<Files, 'chains' | 'system'>,
  chain: string | null,
): number {
  // A stored session can have a chain that the files no longer have.
  const isKnown = chain !== null && Object.hasOwn(chains.chains, chain);
  const ofChain = isKnown ? chains.chains[chain]?.reserveForCritical : undefined;
  return ofChain ?? system.reserveForCritical ?? DEFAULT_RESERVE;
}

function requireEntry<T>(entries: Record<string, T>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`"${name}" passed validation but is not defined`);
  return entry;
}
