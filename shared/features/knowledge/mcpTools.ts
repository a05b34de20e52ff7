// The tool of the MCP server that searches the knowledge base.

import * as z from 'zod';
import { defineMcpTool } from '../../api/mcp/mcpTool.ts';
import { entriesForModels, queryKnowledge } from './queryKnowledge.ts';

/** Searches the knowledge base. */
export const SEARCH_KNOWLEDGE = defineMcpTool({
  name: 'search_knowledge',
  description:
    'Searches what the team wrote down and earlier investigations found. Queries: LOOKUP key, FUZZY text, SEARCH text IN resources|runbooks|sessions, TRAVERSE key.',
  inputSchema: z.strictObject({ query: z.string().min(1).max(2_000) }),
  role: 'viewer',
  isReadOnly: true,
  async run({ query }, { caller, deps }) {
    const found = await queryKnowledge(query, caller, { ...deps, now: deps.clock.now() });
    return typeof found === 'string'
      ? { isError: true, message: found }
      : { entries: entriesForModels(found.entries) };
  },
});
