// Turns validated files into the snapshots that sessions carry: names are replaced by the definitions, and
// each limit comes from the nearest level that sets it.

import {
  type AgentSettings,
  narrowTools,
  planAgent,
  planChain,
  planOneCall,
  planSummary,
  type StageSettings,
  sessionBudget,
} from '../agents/planAgent.ts';
import { schemaPrompt } from '../agents/prompt.ts';
import { listReplicas } from '../agents/replicas.ts';
import type { AgentRequest } from '../contract/agentText.ts';
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
  type UsageLimit,
} from '../core/schema/agent.ts';
import { CHAT_INSTRUCTIONS } from '../wording/chat.ts';
import { SUMMARY_INSTRUCTIONS } from '../wording/executiveSummary.ts';
import { SYNTHESIS_INSTRUCTIONS } from '../wording/synthesis.ts';
import { chooseOutputSchema } from './agentEntry.ts';
import type { ChatRequest, SchemaSettings } from './agentTypes.ts';
import { chainEntry } from './chains.ts';
import { BUILT_IN_SYNTHESIZER, CHAT_OFF, type ChainEntry, type StageEntry } from './chainsFile.ts';
import type { Files } from './files.ts';
import { type IncidentEntries, toLimits } from './limitFields.ts';
import { mapStages } from './mapAgents.ts';
import { nearestTiers } from './serviceTiers.ts';

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
  const planned = planChain({
    name,
    stages: chain.stages.map((stage) => stageSettings(files, { name, chain, stage })),
    tools: chain.tools,
    limits: [toLimits(chain), toLimits(files.system)],
    budgets: tokenBudgets(files, name),
    summary: resolveSummary(files, name),
  });
  const ledgered = mapStages(planned, (agent) => ({ ...agent, tools: withLedger(agent.tools, chain) }));
  return {
    ...ledgered,
    ...resolveClaims(files, name, ledgered.stages),
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
  const levels = [files.system.serviceTier];
  return planAgent(agentSettings(files, agentName, request, levels), {
    limits: [toLimits(files.system)],
    budgets: tokenBudgets(files, null),
  });
}

/** All agents by name, as other agents can ask them. Every reference must have been validated. */
export function snapshotAgents(files: Files): Record<string, PlannedAgent> {
  const place = { limits: [toLimits(files.system)] };
  return Object.fromEntries(
    Object.keys(files.agents.agents).map((name) => [
      name,
      // Tiers of the chain and the system come from the agent that asks.
      planAgent(agentSettings(files, name, {}, []), place),
    ]),
  );
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

/** A stage with its agents in place of their names. */
function stageSettings(files: Files, place: Place): StageSettings {
  const { name, successPolicy, timeout, agents, tools, collect, when } = place.stage;
  const tiers = listTiers(files, place.chain);
  return {
    name,
    successPolicy,
    timeoutMs: timeout,
    runs: listReplicas(agents, ({ agent }) => agent).map(({ name: run, entry, isReplica, model }) => ({
      name: run,
      isReplica,
      agent: agentSettings(files, entry.agent, { model, fallback: entry.fallback }, tiers),
      limits: toLimits(entry),
    })),
    synthesis: resolveSynthesis(files, place),
    tools,
    collect,
    when: when?.verdict,
    limits: toLimits(place.stage),
  };
}

const listTiers = ({ system }: Files, { serviceTier }: ChainEntry) => [serviceTier, system.serviceTier];

/**
 * An agent with what its names refer to. The required model takes precedence, then the requested one, then
 * the agent's own, then the default.
 * @param tiers those of its chain and the system, the nearest first.
 */
function agentSettings(
  files: Files,
  agentName: string,
  asked: AgentRequest & { fallback?: string[] | undefined },
  tiers: readonly ChainEntry['serviceTier'][],
): AgentSettings {
  const agent = requireEntry(files.agents.agents, agentName);
  const { schema, asks } = agent;
  const modelName = schema?.overrideModel ?? asked.model ?? agent.model ?? files.models.default;
  const fallback = asked.fallback ?? agent.fallback;
  const settings = (name: string) => withTemperature(findModel(files, name), schema?.temperature);
  const structured = schema && structuredParts(schema, asked.structuredOutput ?? schema.structuredOutput);
  const { description, strategy, instructions, nativeTools, combineNativeTools, outsideTools } = agent;
  return {
    name: agentName,
    description,
    strategy,
    instructions,
    ...structured,
    model: settings(modelName),
    // A model that has failed is not asked again.
    fallback: fallback.filter((name) => name !== modelName).map(settings),
    asks: asks?.map((name) => askEntry(files, name)),
    nativeTools,
    combineNativeTools,
    outsideTools,
    ...nearestTiers([agent.serviceTier, ...tiers]),
    tools: agent.tools,
    skills: agent.skills,
    limits: toLimits(agent),
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

/** The agent that combines the results of a stage: the named one, else a built-in; none for one run. */
function resolveSynthesis(files: Files, { chain, stage }: Place): AgentSettings | undefined {
  const tiers = listTiers(files, chain);
  if (stage.synthesis !== undefined) return agentSettings(files, stage.synthesis, {}, tiers);
  if (listReplicas(stage.agents, ({ agent }) => agent).length === 1) return undefined;
  const model = findModel(files);
  return {
    name: BUILT_IN_SYNTHESIZER,
    strategy: isNative(model.provider) ? 'synthesis-native-thinking' : 'synthesis',
    instructions: SYNTHESIS_INSTRUCTIONS,
    model,
    ...nearestTiers(tiers),
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
  if (chain.chat === CHAT_OFF || files.system.features?.chat === 'off') return undefined;
  const name = agent ?? chain.chat;
  const tiers = listTiers(files, chain);
  const place = {
    limits: [toLimits(chain), toLimits(files.system)],
    budgets: tokenBudgets(files, chainName),
  };
  if (name !== undefined) {
    const named = planAgent(agentSettings(files, name, request, tiers), { ...place, allowed: [chain.tools] });
    return { ...named, tools: withLedger(named.tools, chain) };
  }
  const tools = chain.stages.flatMap((stage) =>
    stage.agents.flatMap(({ agent: named }) => {
      const own = requireEntry(files.agents.agents, named);
      const kept = narrowTools(narrowTools(own.tools, chain.tools), stage.tools);
      return [...kept, ...(own.skills ?? []).map(skillTool)];
    }),
  );
  const model = findModel(files, request.model);
  const settings = {
    name: CHAT_AGENT,
    strategy: isNative(model.provider) ? 'native-thinking' : 'react',
    instructions: CHAT_INSTRUCTIONS,
    model,
    tools: withoutParts([...new Set(tools)]),
    ...nearestTiers(tiers),
  };
  return planAgent(settings, place);
}

/** The tools without single ones of a server that is there as a whole. */
function withoutParts(tools: string[]): string[] {
  return tools.filter((tool) => !tools.some((other) => tool.startsWith(`${other}.`)));
}

/** The agent that writes the executive summary; none when it is switched off. */
function resolveSummary(files: Files, chainName: string): PlannedAgent | undefined {
  const { summaryModel } = files.system;
  if (summaryModel === 'off') return undefined;
  const model = findModel(files, summaryModel);
  return planSummary(model, SUMMARY_INSTRUCTIONS, ownPlace(files, chainName));
}

/** The place of an agent of Inquest's own. */
function ownPlace(files: Files, chainName: string) {
  return { limits: [toLimits(files.system)], budgets: tokenBudgets(files, chainName) };
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
  const { summaryModel } = files.system;
  const model = findModel(files, summaryModel === 'off' ? undefined : summaryModel);
  const claims = { name: CLAIMS_STRATEGY, strategy: CLAIMS_STRATEGY, instructions: '', model };
  return {
    claims: planOneCall(claims, 2, ownPlace(files, chainName)),
    ...(stopWhen !== undefined && { stopWhen }),
    ...(contrast !== undefined && { contrast }),
    ...(rules !== undefined && { rules }),
    ...(lookback !== undefined && { lookbackMs: lookback }),
  };
}

/** A model of models.yaml with its prices; the default without a name. It must have been validated. */
export function findModel(
  { models, prices: book }: Pick<Files, 'models' | 'prices'>,
  name: string = models.default,
): ModelSettings {
  const entry = requireEntry(models.models, name);
  const { answerLimit: answerBytes, orphanWait: orphanWaitMs, limits: _, ...settings } = entry;
  const prices = book.models?.[settings.model];
  return {
    ...settings,
    ...(answerBytes !== undefined && { answerBytes }),
    ...(orphanWaitMs !== undefined && { orphanWaitMs }),
    ...(prices && { prices }),
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
  const dailyTokens = usageLimits({ chains, system }, 'dailyTokens', chain);
  return {
    ...sessionBudget([ofChain, system.sessionTokens]),
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

function requireEntry<T>(entries: Record<string, T>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`"${name}" passed validation but is not defined`);
  return entry;
}
