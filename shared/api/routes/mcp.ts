// Inquest as an MCP server.

import * as z from 'zod';
import { type AnyRoute, defineRoute } from '../route.ts';

const mcp = defineRoute({
  method: 'post',
  path: '/mcp',
  id: 'mcp',
  summary: 'Inquest as a server of the Model Context Protocol (streamable HTTP, without sessions)',
  description:
    'Tools: `list_sessions`, `get_analysis`, `search_knowledge`; for responders also `investigate` and `ask`.',
  role: 'viewer',
  body: z.unknown(),
  status: 200,
  answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
  streams: true,
  async handle({ body, caller }, deps, context) {
    const { serveMcp } = await import('../mcp.ts');
    return serveMcp(context, body, caller, deps);
  },
});

/** The route of the Model Context Protocol. */
export const MCP_ROUTES: AnyRoute[] = [mcp];
