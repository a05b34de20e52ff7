// Tools of the MCP server that search the knowledge base, and record actions.

import * as z from 'zod';
import { sessionParams } from '../../api/http/schemas.ts';
import { defineMcpTool } from '../../api/mcp/mcpTool.ts';
import {
  ACTION_TOOL,
  ACTION_TYPES,
  DEFAULT_SEARCH_LIMIT,
  MAX_SEARCH_LIMIT,
  SEARCH_TOOL,
} from '../../core/prompts/builtInTools.ts';
import { entriesForModels, queryKnowledge } from './queryKnowledge.ts';
import { recordAction } from './recordAction.ts';

/** Searches the knowledge base. */
export const SEARCH_KNOWLEDGE = defineMcpTool({
  name: SEARCH_TOOL.name,
  description: SEARCH_TOOL.description,
  inputSchema: z.strictObject({
    query: z.string().min(1).max(2_000),
    limit: z.int().min(1).max(MAX_SEARCH_LIMIT).default(DEFAULT_SEARCH_LIMIT),
    user_id: z.string().max(200).nullish().describe('Has no effect: the key names the user'),
  }),
  role: 'viewer',
  isReadOnly: true,
  async run({ query, limit }, { caller, deps }) {
    const found = await queryKnowledge(query, caller, { ...deps, now: deps.clock.now(), limit });
    return typeof found === 'string'
      ? { isError: true, message: found }
      : { entries: entriesForModels(found.entries) };
  },
});

/** Records an action. */
export const RECORD_ACTION = defineMcpTool({
  name: ACTION_TOOL.name,
  description: ACTION_TOOL.description,
  inputSchema: z.strictObject({
    session_id: sessionParams.shape.sessionId.describe('A running investigation'),
    type: z.enum(ACTION_TYPES),
    payload: z.record(z.string(), z.unknown()).nullish(),
  }),
  role: 'responder',
  isReadOnly: false,
  run: ({ session_id, type, payload }, { caller, deps }) =>
    recordAction(session_id, { type, payload: payload ?? {} }, caller, deps),
});
