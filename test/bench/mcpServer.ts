// The MCP server of the bench: twelve tools, of which one answers 2 kB. `node mcpServer.ts stdio` serves a
// process; `node mcpServer.ts http` prints its port and serves /stateless, /far and /sessions, until it is
// ended.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** As if the server were some way off. */
const FAR_MS = 50;
const RESULT = 'x'.repeat(2_000);
const inputSchema = { type: 'object' as const, properties: { object: { type: 'string' } } };
const tools = ['read', ...Array.from({ length: 11 }, (_, index) => `other_${index}`)].map((name) => ({
  name,
  description: 'Reads what a tool of an investigation would read.',
  inputSchema,
  annotations: { readOnlyHint: true },
}));

function createBenchServer(): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: RESULT }] }));
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(createBenchServer);
} else {
  const stateless = toNodeHandler(createMcpHandler(createBenchServer, { legacy: 'reject' }));
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const openSession = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createBenchServer().connect(transport);
    return transport;
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    if (url === '/far') await sleep(FAR_MS);
    if (url !== '/sessions') return stateless(Object.assign(request, { method, url }), response);
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await openSession() : sessions.get(String(id));
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}
