// The HTTP API: receives alerts, serves sessions and user actions on them, and the dashboard. A service of Cloud Run
// instead of a function: the functions-framework reads whole bodies of up to 1 GB before it calls our code, and answers
// broken JSON itself.

import { pathToFileURL } from 'node:url';
import { createApiServer } from '../shared/api/apiServer.ts';
import { createApi } from '../shared/api/createApi.ts';
import { readWebPage } from '../shared/api/webPage.ts';
import { projectFile } from '../shared/projectFiles.ts';
import { createApiServices } from '../shared/wiring/apiServices.ts';
import { startServices } from './startServices.ts';

/** Cloud Run stops an instance 10 s after its SIGTERM. */
const END_MS = 9_000;

/**
 * Serves the API until this process is asked to end: then it accepts no new requests and closes streams, whose readers
 * resume on another instance.
 * @param options.port default: `PORT` of the environment, else 8080.
 * @param options.hostname default: all addresses; with an emulator 127.0.0.1, where the API has no login.
 */
export function listen({ port, hostname }: { port?: number; hostname?: string } = {}): void {
  const { deps, access, limits, isLocal } = startServices(createApiServices);
  const page = readWebPage(pathToFileURL(projectFile('web/dist/')));
  const { fetch } = createApi(deps, { access, page, limits });
  const server = createApiServer(fetch);
  server.listen(port ?? Number(process.env.PORT ?? 8080), hostname ?? (isLocal ? '127.0.0.1' : undefined));
  process.once('SIGTERM', () => {
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), END_MS).unref();
  });
}
