// Serves MCP over streamable HTTP on this machine.

import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { boundPort } from '../processes/ports.ts';

/** Serves the servers of `create` on 127.0.0.1 and prints the URL. `port` 0 is any free port. SIGINT and SIGTERM end it. */
export function serveHttp(port: number, create: () => McpServer): void {
  const handle = toNodeHandler(createMcpHandler(create));
  // A web page in a browser on this machine must not reach the server, even by a host name that resolves to 127.0.0.1.
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
