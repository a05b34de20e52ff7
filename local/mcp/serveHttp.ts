// Serves MCP over streamable HTTP on this machine.

import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { boundPort } from '../processes/ports.ts';

/** Serves `create`'s servers on 127.0.0.1 and prints the URL. `port` 0: any. Signals end it. */
export function serveHttp(port: number, create: () => McpServer): void {
  const handle = toNodeHandler(createMcpHandler(create));
  // Web pages on this machine must not reach the server, even by a name for 127.0.0.1.
  const isLocalHost = localhostHostValidation();
  const isLocalOrigin = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    const { method = '', url = '' } = request;
    void handle(Object.assign(request, { method, url }), response);
  });
  server.listen(port, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${boundPort(server)}/mcp`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
}
