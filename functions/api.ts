// The HTTP API: receives alerts, serves sessions and user actions on them, and the dashboard. Two services of
// Cloud Run: `api` for programs, without the dashboard, and `console` for people. They are no functions: the
// functions-framework reads whole bodies of up to 1 GB before it calls our code, and answers broken JSON
// itself.

import { pathToFileURL } from 'node:url';
import { createApiServer } from '../shared/api/apiServer.ts';
import { readWebPage } from '../shared/api/pages/webPage.ts';
import { createApi } from '../shared/lists/createApi.ts';
import { projectFile } from '../shared/projectFiles.ts';
import { createApiServices } from '../shared/wiring/apiServices.ts';
import { type Listening, serve } from './serve.ts';
import { startServices } from './startServices.ts';

/**
 * Serves the API until this process is asked to end: then it accepts no new requests and closes streams,
 * whose readers resume on another instance. With an emulator it listens on 127.0.0.1, because the API of one
 * machine has no login.
 */
export function listen({ port, hostname }: Listening = {}): void {
  const { deps, access, limits, callers, hostname: ownHostname } = startServices(createApiServices);
  const page = callers === 'api' ? undefined : readWebPage(pathToFileURL(projectFile('web/dist/')));
  const { fetch } = createApi(deps, {
    off: deps.config.off,
    access,
    page,
    limits,
    webhooks: callers !== 'console',
    logsCallers: callers !== 'local',
    // On one machine every caller is admin.
    metrics: callers === 'local' && !deps.config.off?.has('telemetry') ? () => readMetrics(deps) : undefined,
  });
  serve(createApiServer(fetch), { port, hostname: hostname ?? ownHostname });
}

/** Only `start` serves them, so that no deployed service loads their code. */
async function readMetrics(deps: Parameters<typeof createApi>[0]): Promise<string> {
  const { prometheusText } = await import('../shared/features/telemetry/prometheusText.ts');
  return prometheusText(deps);
}
