// The configuration as the rest of the code sees it: validated, resolved, free of YAML.

import type { ChainSnapshot } from '../schema/agent.ts';
import type { McpServerConfig } from './serverConfig.ts';

/** What opening a session needs. Nothing in it refers to a name that does not exist. */
export interface SessionConfig {
  /** Every chain with its agents, models and limits filled in. */
  chains: Readonly<Record<string, ChainSnapshot>>;
  /** Name of the chain an alert gets. */
  defaultChain: string;
  /** Milliseconds a session of this chain may take. Throws like `resolveChain`. */
  sessionDeadlineMs(chain: string): number;
  /** Milliseconds until a session is deleted. */
  retentionMs: number;
  /** UTF-8 bytes of an alert's body the model is shown. */
  alertPromptBytes: number;
}

/** The whole configuration. */
export interface Config extends SessionConfig {
  /** How the servers that agents name are reached, by name; variables are filled in. */
  servers: Readonly<Record<string, McpServerConfig>>;
}
