// Google's hosted MCP servers for logs and metrics, on this machine: who may call them, and one tool of each.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { boundPort } from '../../local/processes/ports.ts';
import { accessTokenOf } from './metadataServer.ts';
import type { Rights } from './rights.ts';
import type { DeploymentSettings } from './settings.ts';

const TOOLS: Record<string, string> = { logging: 'list_log_entries', monitoring: 'list_timeseries' };

/** Starts the servers; `URL/SERVICE` is `https://SERVICE.googleapis.com/mcp`. */
export async function startToolServer(
  settings: () => DeploymentSettings,
  rights: Rights,
): Promise<{ url: string; stop(): Promise<void> }> {
  const handlers = Object.fromEntries(Object.entries(TOOLS).map(([name, tool]) => [name, handlerOf(tool)]));
  const mayCall = (service: string, authorization = '') => {
    const { services, project } = settings();
    const caller = Object.values(services).find(
      (one) => authorization === `Bearer ${accessTokenOf(one.service_account)}`,
    );
    const member = `serviceAccount:${caller?.service_account}`;
    const roles = ['roles/mcp.toolUser', `roles/${service}.viewer`];
    return roles.every((role) => rights.allows(member, role, `projects/${project}`));
  };
  const server = createServer((request, response) => {
    const service = (request.url ?? '').slice(1);
    const handler = handlers[service];
    if (handler === undefined) return void response.writeHead(404).end();
    if (!mayCall(service, request.headers.authorization)) return void response.writeHead(403).end();
    const { method = '', url = '' } = request;
    handler(Object.assign(request, { method, url }), response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${boundPort(server)}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function handlerOf(tool: string) {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'google', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({
      tools: [{ name: tool, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    }));
    server.setRequestHandler('tools/call', async () => ({ content: [{ type: 'text', text: 'no entries' }] }));
    return server;
  });
  return toNodeHandler(handler);
}
