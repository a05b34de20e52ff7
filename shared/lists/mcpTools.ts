// The tools of the MCP server, in the order in which clients see them.

import type { McpTool } from '../api/mcp/mcpTool.ts';
import { INVESTIGATE } from '../features/alerts/mcpTools.ts';
import { ASK } from '../features/chat/mcpTools.ts';
import { SEARCH_KNOWLEDGE } from '../features/knowledge/mcpTools.ts';
import { GET_ANALYSIS, LIST_SESSIONS } from '../features/sessions/mcpTools.ts';

/** All tools. */
export const MCP_TOOLS: readonly McpTool[] = [
  LIST_SESSIONS,
  GET_ANALYSIS,
  SEARCH_KNOWLEDGE,
  INVESTIGATE,
  ASK,
];
