// The configuration that the rest of the code works with: validated, with all references resolved.

import type { McpServerConfig } from '../contract/mcpServer.ts';
import type { MaskingRules } from '../masking/masker.ts';
import type { ChainSnapshot, UsageLimit } from '../schema/agent.ts';
import type { AlertRule } from './alertRules.ts';
import type { RunbookConfig } from './runbooks.ts';

/** What sessions may use up within a period; an empty list is no limit. */
export interface Budgets {
  /** Sessions that alerts open within an hour. */
  sessionsPerHour: UsageLimit[];
  /** Tokens of a day. */
  dailyTokens: UsageLimit[];
}

/** What opening a session needs. Nothing in it refers to a name that does not exist. */
export interface SessionConfig {
  /** Every chain with its agents, models and limits filled in. */
  chains: Readonly<Record<string, ChainSnapshot>>;
  /** Name of the chain of alerts that no rule takes. */
  defaultChain: string;
  /** The rules of each chain that has some, in the order in which chains are asked. */
  alertRules: Readonly<Record<string, readonly AlertRule[]>>;
  /** Milliseconds a session of this chain may take. Throws like `resolveChain`. */
  sessionDeadlineMs(chain: string): number;
  /** Milliseconds until a session is deleted. */
  retentionMs: number;
  /** What sessions of this chain may use up within a period. Throws like `resolveChain`. */
  budgets(chain: string): Budgets;
  /** Names of services and functions beside Inquest's own whose alerts it causes itself. */
  ownServices: readonly string[];
  /** How much of an alert's body is shown to the model, in UTF-8 bytes. */
  alertPromptBytes: number;
  /** Which rules take secrets out of texts. */
  masking: MaskingRules;
  /** What agents are given to read of what people do about an alert. */
  runbooks: RunbookConfig;
}

/** The whole configuration. */
export interface Config extends SessionConfig {
  /** How the servers that agents name are reached, by name; variables are filled in. */
  servers: Readonly<Record<string, McpServerConfig>>;
}
