// The tools of the MCP server, in the order in which clients see them.

import type { McpTool } from '../api/mcp/mcpTool.ts';
import type { Off } from '../contract/switches.ts';
import { INVESTIGATE } from '../features/alerts/mcpTools.ts';
import { ASK, ASK_AGENT_BY_NAME } from '../features/chat/mcpTools.ts';
import { GET_CLAIMS, OPEN_QUESTIONS } from '../features/claims/mcpTools.ts';
import { RECORD_ACTION, SEARCH_KNOWLEDGE } from '../features/knowledge/mcpTools.ts';
import { GET_ANALYSIS, LIST_SESSIONS } from '../features/sessions/mcpTools.ts';
import { present, unlessOff } from './present.ts';

/** The tools of features that are not off. */
export const mcpTools = (off: Off): readonly McpTool[] =>
  present<McpTool>([
    LIST_SESSIONS,
    GET_ANALYSIS,
    GET_CLAIMS,
    OPEN_QUESTIONS,
    unlessOff(off, 'knowledge', SEARCH_KNOWLEDGE),
    INVESTIGATE,
    unlessOff(off, 'chat', ASK),
    unlessOff(off, 'chat', ASK_AGENT_BY_NAME),
    unlessOff(off, 'knowledge', RECORD_ACTION),
  ]);
