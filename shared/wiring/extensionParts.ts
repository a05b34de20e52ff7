// This installation's own tool sources and model clients. A new one needs its own file, one line here and its
// name in extensions.ts.

import type { LlmClient } from '../core/contract/llm.ts';
import type { ToolSource } from '../core/contract/tools.ts';
import type { LlmClientOptions } from '../llm/chooseClient.ts';

/** Tool sources besides the MCP servers of servers.yaml, by name. Agents list the name in `tools`. */
export const TOOL_SOURCES: Readonly<Record<string, (env: NodeJS.ProcessEnv) => ToolSource>> = {};

/** Clients for providers that LangChain does not know, by provider. models.yaml names the provider. */
export const MODEL_CLIENTS: Readonly<Record<string, (options: LlmClientOptions) => Promise<LlmClient>>> = {};
