// The configuration that the rest of the code works with: validated, with all references resolved.

import type { McpServerConfig } from '../contract/mcpServer.ts';
import type { ChainSnapshot } from '../schema/agent.ts';

/** A whole configuration. Every name in it exists. */
export interface Config {
  /** Every chain with its agents, models and limits filled in. */
  chains: Readonly<Record<string, ChainSnapshot>>;
  /** Name of the chain that alerts are given to. */
  defaultChain: string;
  /** MCP servers by name. */
  servers: Readonly<Record<string, McpServerConfig>>;
  /** Milliseconds a session of this chain may take. Throws like `resolveChain`. */
  sessionDeadlineMs(chain: string): number;
  /** Milliseconds until a session is deleted. */
  retentionMs: number;
  /** How much of an alert's body is shown to the model, in UTF-8 bytes. */
  alertPromptBytes: number;
}
