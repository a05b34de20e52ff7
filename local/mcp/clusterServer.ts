// Runs the example cluster as an MCP server: `node local/mcp/clusterServer.ts FOLDER [--restarts] [--http
// PORT]`. With --restarts it has a tool that changes something. Over stdio by default; with --http over
// streamable HTTP on 127.0.0.1 (port 0 takes a free one).

import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';

const USAGE = 'usage: node local/mcp/clusterServer.ts FOLDER [--restarts] [--http PORT]';

const { folder, port, ...options } = readArguments();
// It is started for each iteration. A tool server inherits no NODE_COMPILE_CACHE: Node's own folder is taken.
enableCompileCache();
const { createClusterServer } = await import('./clusterTools.ts');
if (port === undefined) {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(() => createClusterServer(folder, options));
} else {
  const { serveHttp } = await import('./serveHttp.ts');
  serveHttp(port, () => createClusterServer(folder, options));
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
