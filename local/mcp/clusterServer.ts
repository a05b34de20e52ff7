// Runs the example cluster as an MCP server: `node local/mcp/clusterServer.ts FOLDER [--restarts] [--http PORT]`.
// With --restarts it has a tool that changes something. Over stdio by default; with --http over streamable HTTP on 127.0.0.1 (port 0 takes a free one).

import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createClusterServer } from './clusterTools.ts';

const USAGE = 'usage: node local/mcp/clusterServer.ts FOLDER [--restarts] [--http PORT]';

const { folder, port, ...options } = readArguments();
if (port === undefined) {
  serveStdio(() => createClusterServer(folder, options));
} else {
  serveHttp(port);
}

function readArguments(): { folder: string; port: number | undefined; restarts: boolean } {
  try {
    const { values, positionals } = parseArgs({
      options: { http: { type: 'string' }, restarts: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) throw new Error('exactly one folder is needed');
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`"${path}" is not a folder`);
    if (values.http !== undefined && !/^\d{1,5}$/.test(values.http))
      throw new Error('--http takes a port number');
    return {
      folder: path,
      port: values.http === undefined ? undefined : Number(values.http),
      restarts: values.restarts,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

function serveHttp(port: number): void {
  const handle = toNodeHandler(createMcpHandler(() => createClusterServer(folder, options)));
  // A web page in a browser on this machine must not reach the server, even by a host name that resolves to 127.0.0.1.
  const isLocalHost = localhostHostValidation();
  const isLocalOrigin = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    const { method = '', url = '' } = request;
    void handle(Object.assign(request, { method, url }), response);
  });
  server.listen(port, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
    });
  }
}
