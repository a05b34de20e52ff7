// An API on a port, for clients that need a socket.

import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import type { startApiBench } from './apiBench.ts';

/** Serves the API of a bench until the test ends. */
export async function serveApi({ app }: Awaited<ReturnType<typeof startApiBench>>): Promise<{ url: string }> {
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}` };
}
