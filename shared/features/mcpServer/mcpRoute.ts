// The route of the MCP server. The server is loaded with the first request.

import * as z from 'zod';
import { recordTool } from '../../api/http/callerLog.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import type { McpTool } from '../../api/mcp/mcpTool.ts';

/** The part of a tool call that is logged. */
const toolCall = z.object({
  method: z.literal('tools/call'),
  params: z.object({
    name: z.string().regex(/^[a-z_]{1,64}$/),
    arguments: z.object({ session_id: sessionParams.shape.sessionId.optional().catch(undefined) }).optional(),
  }),
});

/** The route of the Model Context Protocol. @param tools are offered to callers of their role. */
export const mcpRoutes = (tools: readonly McpTool[]) => [
  defineRoute({
    method: 'post',
    path: '/mcp',
    id: 'mcp',
    summary: 'Inquest as an MCP server (streamable HTTP, without sessions)',
    description: `Tools: ${listTools(tools, 'viewer')}; for responders also ${listTools(tools, 'responder')}.`,
    role: 'viewer',
    body: z.unknown(),
    status: 200,
    answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
    streams: true,
    async handle({ body, caller }, deps, context) {
      const call = toolCall.safeParse(body).data?.params;
      if (call) recordTool(context, call.name, call.arguments?.session_id);
      const { serveMcp } = await import('./mcpServer.ts');
      return serveMcp(context, body, tools, caller, deps);
    },
  }),
];

const listTools = (tools: readonly McpTool[], of: McpTool['role']): string =>
  tools.flatMap(({ name, role }) => (role === of ? `\`${name}\`` : [])).join(', ');
