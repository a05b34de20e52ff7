// What connecting to an MCP server costs an iteration: kept connections against new ones, over all three
// transports, taking turns in one process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { openBench, startInvestigation, type Times } from './investigation.ts';

const SERVER = fileURLToPath(new URL('./mcpServer.ts', import.meta.url));

/** Runs `iterations` iterations per transport, kept and new, on this environment's emulators. */
export async function measureTools(iterations: number): Promise<Record<string, Times>> {
  const cloud = await openBench();
  const { transports, stop } = await startServers();
  const kept = keepConnections({ now: Date.now });
  try {
    const runs = new Map<string, Awaited<ReturnType<typeof startInvestigation>>>();
    for (const [name, server] of Object.entries(transports)) {
      for (const keepConnection of [false, true]) {
        const config = mcpServerConfigSchema.parse({ ...server, readOnly: ['*'], keepConnection });
        const connectTools = createToolConnector(mcpSources({ bench: config }, kept.connect), {
          warn: () => {},
        });
        const run = await startInvestigation(iterations, cloud, connectTools);
        runs.set(`${name}, ${keepConnection ? 'kept' : 'new'}`, run);
      }
    }
    for (let iteration = 1; iteration <= iterations; iteration++) {
      // The order changes, so that none always comes after the same other.
      const order = [...runs.values()];
      for (const run of iteration % 2 === 0 ? order : order.reverse()) await run.next();
    }
    return Object.fromEntries([...runs].map(([name, run]) => [name, run.measured]));
  } finally {
    await kept.close();
    stop();
    await cloud.close();
  }
}

/** The bench's server over each transport, as `mcpServerConfigSchema` takes them. */
export async function startServers() {
  const http = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(http.stdout, 'data');
  const address = `http://127.0.0.1:${String(port).trim()}`;
  const connectTimeoutMs = 60_000;
  const transports = {
    'stateless HTTP': { transport: 'http', url: `${address}/stateless`, connectTimeoutMs },
    'stateless HTTP, 50 ms away': { transport: 'http', url: `${address}/far`, connectTimeoutMs },
    'HTTP with sessions': { transport: 'http', url: `${address}/sessions`, connectTimeoutMs },
    stdio: { transport: 'stdio', command: process.execPath, args: [SERVER, 'stdio'], connectTimeoutMs },
  };
  return { transports, stop: () => void http.kill() };
}
