// The route of the MCP server. The SDK is loaded with the first request.

import * as z from 'zod';
import type { ForeignWire } from '../../api/createApi.ts';
import { recordTool } from '../../api/http/callerLog.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import type { McpTool } from '../../api/mcp/mcpTool.ts';
import { serveMcp } from './mcpServer.ts';

const ADDRESS = '/mcp';
/** Levels of lists and objects in a request. */
const MAX_DEPTH = 64;

/** A request, or several. The SDK checks their form and number; it would follow any depth. */
const body = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing; send a request of JSON-RPC')
  .refine(
    (value) => isShallow(value, MAX_DEPTH),
    `must have at most ${MAX_DEPTH} levels; leave out the deepest`,
  );

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1));
}

/** The part of a request that is logged: the tool and its session, or the method of a task. */
const logged = z.union([
  z.object({
    method: z.literal('tools/call'),
    params: z.object({
      name: z.string().regex(/^[a-z_]{1,64}$/),
      arguments: z
        .object({ session_id: sessionParams.shape.sessionId.optional().catch(undefined) })
        .optional(),
    }),
  }),
  z.object({ method: z.enum(['tasks/get', 'tasks/update', 'tasks/cancel']) }),
]);

/** Errors before the server: JSON-RPC's own form. Null: no request is known. */
export const MCP_WIRE: ForeignWire = {
  owns: (path) => path === ADDRESS,
  advice: '',
  error: ({ detail: message, code, status }) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: status >= 500 ? -32603 : -32600, message, data: { code } },
  }),
};

/** The route of the Model Context Protocol. @param tools are offered to callers of their role. */
export const mcpRoutes = (tools: readonly McpTool[]) => [
  defineRoute({
    method: 'post',
    path: ADDRESS,
    id: 'mcp',
    summary: 'Inquest as an MCP server (streamable HTTP, without sessions)',
    description: `Tools: ${listTools(tools, 'viewer')}; for responders also ${listTools(tools, 'responder')}.`,
    role: 'viewer',
    body,
    status: 200,
    answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
    streams: true,
    async handle({ body: given, caller }, deps, context) {
      const call = logged.safeParse(given).data;
      if (call?.method === 'tools/call')
        recordTool(context, call.params.name, call.params.arguments?.session_id);
      else if (call) recordTool(context, call.method, undefined);
      return serveMcp(await import('./sdk.ts'), context, given, { tools, caller, deps });
    },
  }),
];

const listTools = (tools: readonly McpTool[], of: McpTool['role']): string =>
  tools.flatMap(({ name, role }) => (role === of ? `\`${name}\`` : [])).join(', ');
