// The agent after configuration is resolved. Sessions and executions store snapshots of it, so that a redeploy during an
// investigation does not change its agents.

import * as z from 'zod';
import { keySchema, nameSchema, nonceSchema } from './common.ts';
import { modelPriceSchema } from './cost.ts';
import type { Upcaster } from './documentType.ts';

const THINKING_LEVELS = ['minimal', 'low', 'medium', 'high'] as const;

/** Tools that Gemini runs itself while it answers. */
export const NATIVE_TOOLS = ['google_search', 'code_execution', 'url_context'] as const;
/** The name of a native tool. */
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/** A model and its settings. Absent fields use the provider's default. */
export const modelSchema = z.strictObject({
  /** `google` has a client of its own; every other provider is called through LangChain. */
  provider: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be lower case, for example google or openai'),
  /** The provider's model id, for example `gemini-3.8-flash`. */
  model: z.string().min(1),
  maxOutputTokens: z.int().positive().optional(),
  thinkingLevel: z.enum(THINKING_LEVELS).optional(),
  /** How many bytes of one answer are read; a larger one is a failure. Absent: 32 MB. */
  answerBytes: z.int().positive().optional(),
  /** Only for models that take one. Absent: the provider's own. */
  temperature: z.number().min(0).max(2).optional(),
  /** Whether thought summaries are requested. */
  includeThoughts: z.boolean(),
  /** Whether interactions store Google's search suggestions (HTML), which its terms require beside grounded results. */
  storeSearchEntryPoint: z.boolean().optional(),
  /** What its tokens cost. Absent: unknown. */
  prices: z.array(modelPriceSchema).optional(),
});
/** A model and its settings. */
export type ModelSettings = z.infer<typeof modelSchema>;

/** What may be used up within a period: by all sessions, or by those of one chain. */
const usageLimitSchema = z.strictObject({
  /** The chain whose sessions are counted; null for those of all chains. */
  chain: nameSchema.nullable(),
  limit: z.int().positive(),
});
/** What may be used up within a period: by all sessions, or by those of one chain. */
export type UsageLimit = z.infer<typeof usageLimitSchema>;

/** Limits of one execution. Durations in milliseconds, sizes in UTF-8 bytes. */
export const limitsSchema = z.strictObject({
  maxIterations: z.int().positive(),
  iterationTimeoutMs: z.int().positive(),
  toolTimeoutMs: z.int().positive(),
  /** How long a model may take until its answer begins. Absent: as long as the iteration. */
  firstChunkTimeoutMs: z.int().positive().optional(),
  /** A longer tool result is cut to this size before it is stored and sent. */
  toolResultBytes: z.int().positive(),
  /** What happens at the iteration limit when the last interaction failed. */
  afterFailure: z.enum(['fail', 'conclude']),
  /** What becomes of the third read-only call with the same arguments; absent means `refuse`. */
  repeatedCalls: z.enum(['refuse', 'run']).optional(),
  /** Above this size a request repeats only head and tail of the oldest tool results. Absent: they are repeated whole. */
  conversationBytes: z.int().positive().optional(),
  /** Tokens of the whole session, after which its agents must conclude. Absent: no limit. */
  sessionTokens: z.int().positive().optional(),
  /** Tokens of a day, after which all agents must conclude. Absent: no limit. */
  dailyTokens: z.array(usageLimitSchema).optional(),
});
/** The limits of one execution. */
export type Limits = z.infer<typeof limitsSchema>;

/** The strategies of executive summaries: of a session that completed, and of one that ended early. No agent is configured so. */
export const SUMMARY_STRATEGY = 'executive-summary';
export const PARTIAL_SUMMARY_STRATEGY = 'executive-summary-partial';

/** Whether an agent of this strategy writes an executive summary. */
export function isSummaryStrategy(strategy: string): boolean {
  return strategy === SUMMARY_STRATEGY || strategy === PARTIAL_SUMMARY_STRATEGY;
}

/** The built-in tool with which an agent asks others, as agents list it. It belongs to no server. */
export const ASK_AGENT = 'ask_agent';
/** The built-in tool with which an agent asks the knowledge base. */
export const SEARCH = 'search';
/** The built-in tool with which an agent tells those who watch something. */
export const ACTION = 'action';
/** The server that built-in tools belong to; nothing names it but schemas of agents. */
export const BUILT_IN_SERVER = 'inquest';
/** Tools that belong to no server of servers.yaml, as agents list them. */
export const BUILT_IN_TOOLS: readonly string[] = [SEARCH, ACTION, ASK_AGENT];

/** A tool call that an execution makes before it asks its model for the first time. */
const collectCallSchema = z.strictObject({
  /** `server.tool`. */
  tool: z.string().min(1),
  /** JSON text of an object, whose texts may hold `${labels.NAME}` for a label of the alert. */
  arguments: z.string(),
});
/** A tool call that an execution makes before it asks its model for the first time. */
export type CollectCall = z.infer<typeof collectCallSchema>;

/** An agent, without its limits. */
const agentSchema = z.strictObject({
  /** Unique in its stage; that of a replica ends with its number. */
  name: nameSchema,
  /** The name of the agent in the configuration that this is a replica of; absent when `name` is that. */
  replicaOf: nameSchema.optional(),
  description: z.string().optional(),
  /** A strategy of the controllers' registry; any text here, because only the registry knows which exist. */
  strategy: z.string().min(1),
  /** The agent's own part of the system prompt. */
  instructions: z.string(),
  /** Set for an agent that is written as a schema: asked directly, its instructions are the end of the prompt. */
  isSchema: z.literal(true).optional(),
  /** The JSON Schema of its answer, as JSON text. Absent: it answers with text. */
  outputSchema: z.string().optional(),
  /** Keys of the knowledge base that belong to its prompt. Absent: none. */
  resources: z.array(z.string()).optional(),
  model: modelSchema,
  /** The models that take over, each when the one before it cannot go on; none in snapshots that do not say. */
  fallback: z.array(modelSchema).default([]),
  /** Servers (`kubernetes`), single tools (`kubernetes.get_logs`) or built-in ones (`search`) it may use. */
  tools: z.array(z.string()),
  /** What it is told of single tools in the place of their own descriptions, by the tool's name. Absent: nothing. */
  toolDescriptions: z.record(z.string(), z.string()).optional(),
  /** The agents it may ask with the tool `ask_agent`: their names in the configuration, and what they are for. */
  asks: z.array(z.strictObject({ name: nameSchema, description: z.string().optional() })).optional(),
  nativeTools: z.array(z.enum(NATIVE_TOOLS)),
  /** Whether native tools are bound beside function tools, instead of only where there are none. */
  combineNativeTools: z.boolean(),
  /** Whether tools that reach outside are offered beside private ones. */
  outsideTools: z.enum(['apart', 'together']).default('apart'),
  /** The calls of its stage that it makes before its model is asked, in order; none in snapshots that do not say. */
  collect: z.array(collectCallSchema).default([]),
});
/** An agent, without its limits. */
export type Agent = z.infer<typeof agentSchema>;

/** The name under which an agent is configured: all its replicas are told the same. */
export function roleOf({ name, replicaOf }: Agent): string {
  return replicaOf ?? name;
}

/**
 * sessions/{sessionId}/agentSnapshots/{executionId}: the agent of an execution as it was when the execution was created.
 * Written once. Its limits are stored in the execution, where decisions need them.
 */
export const agentSnapshotSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  agent: agentSchema,
  /** Equal to the session's. */
  dataNonce: nonceSchema,
  /** Equal to the session's. */
  maskKey: keySchema,
  /** Those of the session's alert, to which parameters of tools may be bound; none for agents without tools. */
  labels: z.record(z.string(), z.string()),
  expireAt: z.date(),
  /** Equal to the execution's `createdAt`. */
  createdAt: z.date(),
});
/** The stored agent of an execution. */
export type AgentSnapshot = z.infer<typeof agentSnapshotSchema>;

/** Upcasters of older snapshots, by version. */
export const agentSnapshotUpcasters: Record<number, Upcaster> = {
  // Version 1 did not say which agents are schemas: they were asked like any other.
  1: (snapshot) => snapshot,
  // Version 2 had no descriptions of tools of the agent's own.
  2: (snapshot) => snapshot,
};

/** An agent of a chain, with its limits. */
export const plannedAgentSchema = agentSchema.extend({ limits: limitsSchema });
/** An agent of a chain, with its limits. */
export type PlannedAgent = z.infer<typeof plannedAgentSchema>;

/**
 * When a stage has completed: with `any` as soon as one of its agents has an analysis, with `all` if every one has. Both
 * wait until all of them have ended.
 */
export const SUCCESS_POLICIES = ['any', 'all'] as const;
/** When a stage has completed. */
export type SuccessPolicy = (typeof SUCCESS_POLICIES)[number];

/** One stage of a chain. */
const stagePlanSchema = z.strictObject({
  name: nameSchema,
  successPolicy: z.enum(SUCCESS_POLICIES).default('any'),
  /** Milliseconds that its agents may take together, and then its synthesis again; null when only the session's deadline holds. */
  timeoutMs: z.int().positive().nullable().default(null),
  agents: z.array(plannedAgentSchema).min(1),
  /** The agent that combines the results of the others; null when there is no synthesis. */
  synthesis: plannedAgentSchema.nullable(),
});
/** One stage of a chain. */
export type StagePlan = z.infer<typeof stagePlanSchema>;

/** What becomes of alerts about a problem that a session of the chain is about. Times in milliseconds. */
export const incidentRulesSchema = z.strictObject({
  /** How long a session waits before its first stage; it is not investigated if its source resolves it within. */
  settleMs: z.int().nonnegative(),
  /** Whether the investigation goes on when its source says that the alert is resolved. */
  onResolved: z.enum(['finish', 'stop']),
  /** For how long after its end repeated alerts belong to a session and open no other one. */
  coolDownMs: z.int().nonnegative(),
  /** For how long after its end repeated alerts belong to a session while the source has not resolved the problem. */
  reinvestigateAfterMs: z.int().positive(),
});
/** What becomes of alerts about a problem that a session of the chain is about. Times in milliseconds. */
export type IncidentRules = z.infer<typeof incidentRulesSchema>;

/**
 * The rules of chains that say nothing. Most of an alert's flapping is over within ten minutes; a problem that is still open
 * after a day needs a fresh look.
 */
export const DEFAULT_INCIDENT_RULES: IncidentRules = {
  settleMs: 0,
  onResolved: 'finish',
  coolDownMs: 600_000,
  reinvestigateAfterMs: 24 * 3_600_000,
};

/** A chain with resolved agents, as its session stores it. */
export const chainSnapshotSchema = z.strictObject({
  name: nameSchema,
  stages: z.array(stagePlanSchema).min(1),
  /** Writes the executive summary after the last stage. Absent: none is written. */
  summary: plannedAgentSchema.optional(),
  /** Answers questions about the session. Absent: none are answered. */
  chat: plannedAgentSchema.optional(),
  /** Absent: as `DEFAULT_INCIDENT_RULES` says. */
  incident: incidentRulesSchema.optional(),
});
/** A chain with resolved agents, as its session stores it. */
export type ChainSnapshot = z.infer<typeof chainSnapshotSchema>;

/** The agents of a chain's stages, of their syntheses, and the one that answers questions. */
export function agentsOf({ stages, chat }: ChainSnapshot): PlannedAgent[] {
  const ofStages = stages.flatMap(({ agents, synthesis }) => [...agents, ...(synthesis ? [synthesis] : [])]);
  return chat === undefined ? ofStages : [...ofStages, chat];
}
