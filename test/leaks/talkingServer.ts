// An MCP server over HTTP that says what a scenario has it say, wherever a server can say something.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';

/** What the server says. */
export interface Speech {
  instructions?: string;
  tools: Tool[];
  /** Results by the tool's name. One that is an error is thrown; a text is the body of an HTTP error. */
  results: Record<string, CallToolResult | Error | string>;
}

/** A running server. */
export interface TalkingServer {
  url: string;
  /** What it was called with. */
  calls: unknown[];
  close(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startTalkingServer({ instructions, tools, results }: Speech): Promise<TalkingServer> {
  const calls: unknown[] = [];
  const mcp = toNodeHandler(
    createMcpHandler(
      () => {
        const options = { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) };
        const server = new Server({ name: 'talk', version: '1.0.0' }, options);
        server.setRequestHandler('tools/list', () => ({ tools }));
        server.setRequestHandler('tools/call', ({ params }) => {
          const result = results[params.name];
          calls.push(params.arguments);
          if (result === undefined || typeof result === 'string') return { content: [] };
          if (result instanceof Error) throw result;
          return result;
        });
        return server;
      },
      { legacy: 'reject' },
    ),
  );
  const server = createServer((request, response) => {
    const name = String(request.headers['mcp-name'] ?? '');
    const body = results[name];
    if (typeof body === 'string') return void response.writeHead(500).end(body);
    const { method = '', url = '' } = request;
    void mcp(Object.assign(request, { method, url }), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
