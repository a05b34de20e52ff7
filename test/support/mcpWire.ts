// Requests to the MCP server in revision 2026-07-28, written by hand: the official client rejects tasks.

import type { ApiAnswer, ApiRequest } from './apiBench.ts';

/** The tasks extension as a client declares it. */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Sends a request. @param more the capabilities of the client, by default none, and further headers. */
export function sendMcp(
  ask: (path: string, request: ApiRequest) => Promise<ApiAnswer>,
  method: string,
  params: object,
  { capabilities = {}, headers = {} }: { capabilities?: object; headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const { name, taskId } = params as { name?: unknown; taskId?: unknown };
  const mirrored = name ?? taskId;
  return ask('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof mirrored === 'string' && { 'mcp-name': mirrored }),
      ...headers,
    },
  });
}

/** The JSON that a tool returned. */
export const readToolResult = (result: { content: { text: string }[] }) =>
  JSON.parse(result.content[0]?.text ?? '');
