// The configuration as the rest of the code sees it: validated, resolved, free of YAML.

import type { McpServerConfig } from '../contract/mcpServer.ts';
import type { ChainSnapshot } from '../schema/agent.ts';

/** Nothing in it refers to a name that does not exist. */
export interface Config {
  /** Every chain with its agents, models and limits filled in. */
  chains: Readonly<Record<string, ChainSnapshot>>;
  /** Name of the chain an alert gets. */
  defaultChain: string;
  servers: Readonly<Record<string, McpServerConfig>>;
  /** Milliseconds a session of this chain may take. Throws like `resolveChain`. */
  sessionDeadlineMs(chain: string): number;
  /** Milliseconds until a session is deleted. */
  retentionMs: number;
  /** UTF-8 bytes of an alert's body the model is shown. */
  alertPromptBytes: number;
}
