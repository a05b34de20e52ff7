// The agent after configuration is resolved. Sessions and executions store snapshots of it, so that a
// redeploy during an investigation does not change its agents.

import * as z from 'zod';
import { keySchema, nameSchema, nonceSchema } from './common.ts';
import { modelPriceSchema, SERVICE_TIERS } from './cost.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';

const THINKING_LEVELS = ['minimal', 'low', 'medium', 'high'] as const;

/** Tools that Gemini itself runs while it answers. */
export const NATIVE_TOOLS = ['google_search', 'code_execution', 'url_context'] as const;
/** The APIs of provider `google`. */
const MODEL_APIS = ['generateContent', 'interactions'] as const;
const MODEL_WAITS = ['inline', 'background'] as const;

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
  /** Bytes of one answer that are read; a larger answer is a failure. Absent: 32 MB. */
  answerBytes: z.int().positive().optional(),
  /** Only for models that accept one. Absent: the provider's default. */
  temperature: z.number().min(0).max(2).optional(),
  /** Whether thought summaries are requested. */
  includeThoughts: z.boolean(),
  /** Whether interactions store Google's search suggestions (HTML), required beside grounded results. */
  storeSearchEntryPoint: z.boolean().optional(),
  /** The service tier of its requests. Only for provider `google`. Absent: `standard`. */
  serviceTier: z.enum(SERVICE_TIERS).optional(),
  /** The API of provider `google` that is asked. Absent: `generateContent`. */
  api: z.enum(MODEL_APIS).optional(),
  /** How an answer of the API `interactions` is waited for. Absent: `inline`, while a function runs. */
  wait: z.enum(MODEL_WAITS).optional(),
  /** With `background`: after this time a question whose id never came is asked again. Absent: 20 minutes. */
  orphanWaitMs: z.int().positive().optional(),
  /** The prices of its tokens. Absent: unknown. */
  prices: z.array(modelPriceSchema).optional(),
});
/** The severities that can have a service tier, from the worst, and `any` for all. */
export const TIER_SEVERITIES = ['any', 'critical', 'error', 'warning', 'minor', 'info'] as const;

/** A model and its settings. */
export type ModelSettings = z.infer<typeof modelSchema>;

/** A limit of usage within a period, for all sessions or for those of one chain. */
const usageLimitSchema = z.strictObject({
  /** The chain whose sessions are counted; null for those of all chains. */
  chain: nameSchema.nullable(),
  limit: z.int().positive(),
  /** The budget of system.yaml that it belongs to; absent for `dailyTokens` and `sessionsPerHour`. */
  budget: z
    .strictObject({
      name: nameSchema,
      period: z.enum(['day', 'month']),
      /** The tenant, user or label that it counts apart. Absent: all sessions together. */
      of: z.string().min(1).optional(),
    })
    .optional(),
});
/** A limit of usage within a period, for all sessions or for those of one chain. */
export type UsageLimit = z.infer<typeof usageLimitSchema>;

/** Limits of one execution. Durations in milliseconds, sizes in UTF-8 bytes. */
export const limitsSchema = z.strictObject({
  maxIterations: z.int().positive(),
  iterationTimeoutMs: z.int().positive(),
  toolTimeoutMs: z.int().positive(),
  /** The longest time until the model's answer starts. Absent: as long as the iteration. */
  firstChunkTimeoutMs: z.int().positive().optional(),
  /** The longest silence within an answer that has started. Absent: 60 s. */
  stallTimeoutMs: z.int().positive().optional(),
  /** The longest wait for a model that does not answer. Absent: an hour. */
  modelOutageMs: z.int().positive().optional(),
  /** A longer tool result is cut to this size before it is stored and sent. */
  toolResultBytes: z.int().positive(),
  /** The consequence of a failed last interaction at the iteration limit. */
  afterFailure: z.enum(['fail', 'conclude']),
  /** The handling of the third read-only call with the same arguments; absent means `refuse`. */
  repeatedCalls: z.enum(['refuse', 'run']).optional(),
  /** Above this size a request repeats only head and tail of the oldest results. Absent: whole. */
  conversationBytes: z.int().positive().optional(),
  /** Tokens of the whole session, after which its agents must conclude. Absent: no limit. */
  sessionTokens: z.int().positive().optional(),
  /** Tokens of a day or a month, after which all agents must conclude. Absent: no limit. */
  dailyTokens: z.array(usageLimitSchema).optional(),
});
/** The limits of one execution. */
export type Limits = z.infer<typeof limitsSchema>;

/**
 * The strategies of executive summaries: of a session that completed, and of one that ended early. Agents
 * cannot be configured with them.
 */
export const SUMMARY_STRATEGY = 'executive-summary';
export const PARTIAL_SUMMARY_STRATEGY = 'executive-summary-partial';

/** Whether an agent of this strategy writes a summary, for a verdict: `strategy:word`. */
export function isSummaryStrategy(strategy: string): boolean {
  const [name] = strategy.split(':');
  return name === SUMMARY_STRATEGY || name === PARTIAL_SUMMARY_STRATEGY;
}

/** The strategy of the call that checks claims, which is also the name of its agent and stage. */
export const CLAIMS_STRATEGY = 'claims-check';
/** Strategies of executions that repeat calls without a model. Names of agents and stages. */
export const PROBE_STRATEGY = 'probe';
export const CONTRAST_STRATEGY = 'contrast-check';
/** Whether an execution of this strategy only makes its calls. */
export const asksNoModel = (strategy: string): boolean =>
  strategy === PROBE_STRATEGY || strategy === CONTRAST_STRATEGY;

/** Whether an agent of this strategy belongs to Inquest, not to the configuration. */
export function isBuiltInStrategy(strategy: string): boolean {
  return isSummaryStrategy(strategy) || strategy === CLAIMS_STRATEGY || asksNoModel(strategy);
}

/** The built-in tool with which an agent asks other agents, as agents list it. It belongs to no server. */
export const ASK_AGENT = 'ask_agent';
/** The built-in tool with which an agent searches the knowledge base. */
export const SEARCH = 'search';
/** The tool that searches changes. */
export const SEARCH_CHANGES = 'search_changes';
/** The built-in tool with which an agent informs people who watch its session. */
export const ACTION = 'action';
/** The server that built-in tools belong to; only schemas of agents name it. */
export const BUILT_IN_SERVER = 'inquest';
/** Tools that belong to no server of servers.yaml, as agents list them. */
export const BUILT_IN_TOOLS: readonly string[] = [SEARCH, ACTION, SEARCH_CHANGES, ASK_AGENT];

/** A tool call that an execution makes before its first model call. */
const collectCallSchema = z.strictObject({
  /** `server.tool`. */
  tool: z.string().min(1),
  /** JSON text of an object, whose texts can contain `${labels.NAME}` for a label of the alert. */
  arguments: z.string(),
});
/** A tool call that an execution makes before its first model call. */
export type CollectCall = z.infer<typeof collectCallSchema>;

/** An agent, without its limits. */
const agentSchema = z.strictObject({
  /** Unique in its stage; the name of a replica ends with its number. */
  name: nameSchema,
  /** The name of the agent in the configuration of which this is a replica; absent if `name` is that name. */
  replicaOf: nameSchema.optional(),
  description: z.string().optional(),
  /** A strategy of the controllers' registry; any text, because only the registry knows them. */
  strategy: z.string().min(1),
  /** The agent's own part of the system prompt. */
  instructions: z.string(),
  /**
   * Set for an agent that is written as a schema: if it is asked directly, its instructions are the end of
   * the prompt.
   */
  isSchema: z.literal(true).optional(),
  /** The JSON Schema of its answer, as JSON text. Absent: it answers with text. */
  outputSchema: z.string().optional(),
  /** Keys of the knowledge base that belong to its prompt. Absent: none. */
  resources: z.array(z.string()).optional(),
  model: modelSchema,
  /**
   * The fallback models, each used when the model before it fails permanently; empty in snapshots without the
   * field.
   */
  fallback: z.array(modelSchema).default([]),
  /**
   * The servers (`kubernetes`), single tools (`kubernetes.get_logs`) or built-in tools (`search`) that it is
   * allowed to use.
   */
  tools: z.array(z.string()),
  /** Descriptions of single tools that replace their own, by the tool's name. Absent: none. */
  toolDescriptions: z.record(z.string(), z.string()).optional(),
  /**
   * The agents it is allowed to ask with the tool `ask_agent`: their names in the configuration, and their
   * descriptions.
   */
  asks: z.array(z.strictObject({ name: nameSchema, description: z.string().optional() })).optional(),
  nativeTools: z.array(z.enum(NATIVE_TOOLS)),
  /** Whether native tools are bound in addition to function tools, instead of only without them. */
  combineNativeTools: z.boolean(),
  /** Whether external tools are offered together with private ones. */
  outsideTools: z.enum(['apart', 'together']).default('apart'),
  /**
   * The calls of its stage that it makes before its first model call, in order; empty in snapshots without
   * the field.
   */
  collect: z.array(collectCallSchema).default([]),
  /** Its service tiers by the severity of the alert. Absent: that of its model. */
  tiers: z.partialRecord(z.enum(TIER_SEVERITIES), z.enum(SERVICE_TIERS)).optional(),
});
/** An agent, without its limits. */
export type Agent = z.infer<typeof agentSchema>;

/** The configured name of an agent, which all its replicas share. */
export function agentRole({ name, replicaOf }: Agent): string {
  return replicaOf ?? name;
}

/**
 * sessions/{sessionId}/agentSnapshots/{executionId}: the agent of an execution as it was when the execution
 * was created. Written once. Its limits are stored in the execution, where decisions need them.
 */
export const agentSnapshotSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  agent: agentSchema,
  /** Equal to the session's. */
  dataNonce: nonceSchema,
  /** Equal to the session's. */
  maskKey: keySchema,
  /** Labels of the input, to which tools' parameters can be bound; empty for agents without tools. */
  labels: z.record(z.string(), z.string()),
  expireAt: z.date(),
  /** Equal to the execution's `createdAt`. */
  createdAt: z.date(),
});
/** The stored agent of an execution. */
export type AgentSnapshot = z.infer<typeof agentSnapshotSchema>;

/** An agent of a chain, with its limits. */
export const plannedAgentSchema = agentSchema.extend({ limits: limitsSchema });
/** An agent of a chain, with its limits. */
export type PlannedAgent = z.infer<typeof plannedAgentSchema>;

/**
 * When a stage has completed: with `any` if one of its agents has an analysis, with `all` if every agent has
 * one. Both policies wait until all agents have ended.
 */
export const SUCCESS_POLICIES = ['any', 'all'] as const;
/** When a stage has completed. */
export type SuccessPolicy = (typeof SUCCESS_POLICIES)[number];

/** One stage of a chain. */
const stagePlanSchema = z.strictObject({
  name: nameSchema,
  successPolicy: z.enum(SUCCESS_POLICIES).default('any'),
  /**
   * Milliseconds for all its agents together, and again for its synthesis; null if only the session's
   * deadline applies.
   */
  timeoutMs: z.int().positive().nullable().default(null),
  agents: z.array(plannedAgentSchema).min(1),
  /** The agent that combines the results of the others; null when there is no synthesis. */
  synthesis: plannedAgentSchema.nullable(),
  /** The verdicts so far with which the stage starts. Absent: it always does. */
  when: z.array(z.string().min(1)).optional(),
});
/** One stage of a chain. */
export type StagePlan = z.infer<typeof stagePlanSchema>;

/** The rules for further reports of a problem that the chain investigates. Times in milliseconds. */
export const incidentRulesSchema = z.strictObject({
  /**
   * How long a session waits before its first stage; if its source resolves the problem in this time, it is
   * not investigated.
   */
  settleMs: z.int().nonnegative(),
  /** Whether the investigation continues after its source has resolved the alert. */
  onResolved: z.enum(['finish', 'stop']),
  /** How long after its end repeated alerts belong to a session and open no new one. */
  coolDownMs: z.int().nonnegative(),
  /** How long after its end an unresolved problem's repeated alerts belong to a session. */
  reinvestigateAfterMs: z.int().positive(),
});
/** The rules for further reports of a problem that the chain investigates. Times in milliseconds. */
export type IncidentRules = z.infer<typeof incidentRulesSchema>;

/**
 * The rules of chains without rules of their own. Most of an alert's flapping ends within ten minutes; a
 * problem that is still open after a day needs a new investigation.
 */
export const DEFAULT_INCIDENT_RULES: IncidentRules = {
  settleMs: 0,
  onResolved: 'finish',
  coolDownMs: 600_000,
  reinvestigateAfterMs: 24 * 3_600_000,
};

/** A finding by rule: `fact` for the agent, `first` also the answer of a session without analysis. */
export const RULES = ['fact', 'first', 'off'] as const;
/** A model that adopts a fact in place of its own cause is wrong more often with it (decision 228). */
export const DEFAULT_RULES: (typeof RULES)[number] = 'off';

/** How much older than the start of the alert evidence can be, in milliseconds. */
export const DEFAULT_LOOKBACK_MS = 24 * 3_600_000;

/** A chain with resolved agents, as its session stores it. */
export const chainSnapshotSchema = z.strictObject({
  name: nameSchema,
  stages: z.array(stagePlanSchema).min(1),
  /** Writes the executive summary after the last stage. Absent: no summary. */
  summary: plannedAgentSchema.optional(),
  /** Checks the claims of the analysis. Absent: the chain keeps no ledger. */
  claims: plannedAgentSchema.optional(),
  /** The verdict after which no further stage starts. Absent: none. */
  stopWhen: z.string().min(1).optional(),
  /** Whether calls are repeated for contrast. Absent: they are. */
  contrast: z.enum(['on', 'off']).optional(),
  /** What rules over collected results are for. Absent: `DEFAULT_RULES`. */
  rules: z.enum(RULES).optional(),
  /** Evidence is at most this older than the alert, in milliseconds. Absent: `DEFAULT_LOOKBACK_MS`. */
  lookbackMs: z.int().positive().optional(),
  /** Answers questions about the session. Absent: questions are not answered. */
  chat: plannedAgentSchema.optional(),
  /** Absent: `DEFAULT_INCIDENT_RULES`. */
  incident: incidentRulesSchema.optional(),
});
/** A chain with resolved agents, as its session stores it. */
export type ChainSnapshot = z.infer<typeof chainSnapshotSchema>;

/** The agents of a chain's stages, of their syntheses, and the agent that answers questions. */
export function listChainAgents({ stages, chat }: ChainSnapshot): PlannedAgent[] {
  const ofStages = stages.flatMap(({ agents, synthesis }) => [...agents, ...(synthesis ? [synthesis] : [])]);
  return chat === undefined ? ofStages : [...ofStages, chat];
}

export const agentSnapshotType = defineCollection({
  collection: 'agentSnapshots',
  name: 'agentSnapshot',
  version: 4,
  schema: agentSnapshotSchema,
  oldest: 3,
  // Agents of version 3 had no service tiers.
  upcast: (snapshot) => snapshot,
  paths: {
    agentSnapshot: (sessionId: string, executionId: string) =>
      `sessions/${sessionId}/agentSnapshots/${executionId}`,
  },
  ...BELOW_SESSION,
});
