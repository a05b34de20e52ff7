// An API on a port, for clients that need a socket.

import { onTestFinished } from 'vitest';
import { createApiServer, type SenderTimeouts } from '../../shared/api/apiServer.ts';
import type { startApiBench } from './apiBench.ts';

/** Serves the API of a bench until the test ends. */
export async function serveApi(
  { app }: Pick<Awaited<ReturnType<typeof startApiBench>>, 'app'>,
  timeouts?: SenderTimeouts,
): Promise<{ url: string; port: number }> {
  const server = createApiServer(app.fetch, timeouts);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, port };
}
