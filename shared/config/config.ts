// The configuration that the rest of the code works with: validated, with all references resolved.

import type { Services } from '../alerts/resource.ts';
import type { AgentPlanner, AgentText } from '../contract/agentText.ts';
import type { McpServerConfig } from '../contract/mcpServer.ts';
import type { ModelQuota, QuotaLimits, ServerQuota } from '../contract/quotas.ts';
import type { Off } from '../contract/switches.ts';
import type { Skill } from '../core/contract/skills.ts';
import type { ChainSnapshot, ModelSettings, PlannedAgent, UsageLimit } from '../core/schema/agent.ts';
import type { MaskingRules } from '../masking/masker.ts';
import type { ChatRequest } from './agentTypes.ts';
import type { AlertRule } from './alertRules.ts';
import type { BudgetRules } from './budgets.ts';
import type { ConfigError } from './configError.ts';
import type { Lookup } from './enrichTables.ts';
import type { Notify } from './notified.ts';
import type { NotifyRequest } from './notify.ts';
import type { RuleLines } from './ruleLines.ts';
import type { RunbookChoice } from './runbookFields.ts';

import type { Schedules } from './schedulesFile.ts';
import type { ToolRule } from './toolRules.ts';
import type { TriageConfig } from './triageFile.ts';
import type { WebhooksConfig } from './webhooks.ts';
import type { YamlFile } from './yamlFile.ts';

/** The runbook configuration for opening sessions. */
export interface RunbookConfig {
  /** The files' texts, by key. */
  files: ReadonlyMap<string, string>;
  /** Hosts that a link of an alert can point to: `wiki.example.com`, `*.example.com`. */
  hosts: readonly string[];
  /** How much of one agents are shown, in UTF-8 bytes. */
  maxBytes: number;
  /** Runbooks by chain. A session uses the first that exists. No entry without the setting. */
  choices: Readonly<Record<string, readonly RunbookChoice[]>>;
}

/** A tool server, without the settings of its connection. */
interface ShownServer {
  name: string;
  /** Null for an entry that this process cannot read; the process that runs tools validates it. */
  transport: 'stdio' | 'http' | 'recorded' | null;
  /** Names of its instances; empty for one server. */
  instances: string[];
  limits: ServerQuota;
}

/** An entry of models.yaml. */
interface ShownModel {
  name: string;
  provider: string;
  /** The provider's id of the model. */
  model: string;
  /** Whether agents without a model use it. */
  isDefault: boolean;
  limits: ModelQuota;
}

/** The parts of the configuration that `SessionConfig` has in no other field, for display. */
export interface ConfigOverview {
  servers: readonly ShownServer[];
  models: readonly ShownModel[];
  destinations: readonly { name: string; kind: string }[];
}

/** Usage limits of sessions within a period. An empty list sets no limit. */
export interface Budgets {
  /** Sessions that alerts open within an hour. */
  sessionsPerHour: UsageLimit[];
  /** Tokens of a day. */
  dailyTokens: UsageLimit[];
}

/** Where an agent is defined. */
export interface AgentSource {
  /** The parsed file that defines the agent. */
  yaml: YamlFile;
  /** Whether the file is the agent's own, like agents/NAME.yaml. */
  isSchema: boolean;
}

/** The agents of a configuration. Creating a session or an execution resolves them. */
export interface AgentCatalog extends AgentPlanner {
  /** Names of the agents of the files. */
  names: readonly string[];
  /** Settings without effect that are no errors: one line each, with file and line. */
  remarks: readonly string[];
  /**
   * A chain with these agents in the place of those of the files. One that does not fit the configuration, or
   * that is not in the files, changes nothing and is among `refused`. Throws like `resolveChain`.
   */
  chain(name: string, stored: readonly AgentText[]): { chain: ChainSnapshot; refused: ConfigError[] };
  /**
   * The agent that answers questions about sessions of a chain, as a request chooses it: within the chain's
   * tools and budgets. Without `agent` the chain's own. Throws like `plan` and `resolveChain`.
   * @returns undefined for a chain that answers no questions.
   */
  chat(chain: string, request: ChatRequest, stored?: AgentText): PlannedAgent | undefined;
  /** Checks a text; returns version, settings without effect, tools. @throws ConfigError with all faults. */
  check(text: AgentText): { version: string; remarks: string[]; tools: string[] };
  /** Where an agent is defined; undefined for a name that no file defines. */
  sourceOf(name: string): AgentSource | undefined;
  /** The rules of servers.yaml for an agent's tools. */
  toolRules(tools: readonly string[]): ToolRule[];
}

/** The configuration for opening sessions. All names in it exist. */
export interface SessionConfig {
  /** Every chain with its agents, models and limits filled in. */
  chains: Readonly<Record<string, ChainSnapshot>>;
  /** Name of the chain of alerts that no rule takes. */
  defaultChain: string;
  /** The rules of each chain that has some, in the order in which chains are tried. */
  alertRules: Readonly<Record<string, readonly AlertRule[]>>;
  /** Time limit of a session of this chain, in milliseconds. Throws like `resolveChain`. */
  sessionDeadlineMs(chain: string): number;
  /** Milliseconds until a session is deleted. */
  retentionMs: number;
  /** Usage limits of this chain's sessions within a period. Throws like `resolveChain`. */
  budgets(chain: string): Budgets;
  /** The percentage of each budget of this chain that is kept for critical alerts. Absent: none. */
  reserveForCritical?(chain: string | null): number;
  /** Names of services and functions beside Inquest's own whose alerts it causes itself. */
  ownServices: readonly string[];
  /** How much of an alert's body is shown to the model, in UTF-8 bytes. */
  alertPromptBytes: number;
  /** Which rules take secrets out of texts. */
  masking: MaskingRules;
  /** Which alerts are investigated, recorded or dropped. Absent: as without triage.yaml. */
  triage?: TriageConfig;
  /** The tables that add labels to alerts before triage. Absent: none. */
  enrich?: readonly Lookup[];
  /** The services of resources.yaml. Absent: none. */
  services?: Services;
  /** The lines that decide about alerts. Absent: unknown. */
  places?: RuleLines;
  /** The budgets of tenants, users and labels. Absent: none. */
  budgetRules?: BudgetRules;
  /** The model of new sessions while a budget of tokens is nearly used up. Absent: their own models. */
  smallModel?: ModelSettings;
  /** The model that scores sessions. Absent: none does. */
  judgeModel?: ModelSettings;
  /** The model that embeds entries and queries of the knowledge base. Absent: `DEFAULT_EMBEDDING_MODEL`. */
  embeddingModel?: string;
  /** The schedules of checks. Absent: none. */
  schedules?: Schedules;
  /** The sources that can send webhooks. Absent: none. */
  webhooks?: WebhooksConfig;
  /** The destinations of a new session. Absent: none. Throws like `resolveChain`. */
  notify?(request: NotifyRequest): Notify[];
  /** The agents. Absent where the chains are all there is. */
  agents?: AgentCatalog;
  /** Servers, models and destinations for display. Absent: unknown. */
  overview?: ConfigOverview;
  /** The template of postmortems. Absent: a form that comes with Inquest. */
  postmortem?: string;
  /** The runbooks that agents get. */
  runbooks: RunbookConfig;
  /** The skills that agents can load. Absent: none. */
  skills?: readonly Skill[];
  /** The features that are off. Absent: none. */
  off?: Off;
}

/** The whole configuration. */
export interface Config extends SessionConfig {
  /** How the servers that agents name are reached, by name; variables are filled in. */
  servers: Readonly<Record<string, McpServerConfig>>;
  /** Limits of models and servers, which all instances share. Absent: none. */
  quotas?: QuotaLimits;
  /** Every agent by name, as other agents can ask it: with its limits, not those of chain or budget. */
  askable: Readonly<Record<string, PlannedAgent>>;
}
