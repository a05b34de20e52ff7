// Serves functions with the functions-framework, each on a port of 127.0.0.1, and refuses requests of web
// pages. The command of the framework would listen on all addresses. The API has a server of its own. As the
// entry of a deployed service, it moves the environment before anything else is loaded. Arguments: a JSON
// list of `HostedFunction`, and the address of the API, if there is one.

import { pathToFileURL } from 'node:url';
import { moveEnvironment } from '../../functions/moveEnvironment.ts';
import type { HostedFunction } from './functionsServer.ts';

moveEnvironment();
const [{ getTestServer }, { guardFunction }] = await Promise.all([
  import('@google-cloud/functions-framework/testing'),
  import('./functionGuard.ts'),
]);

/** The exports of a module. The API exports a server instead of registering a function. */
interface HostedModule {
  /** Starts the API's server. Absent in modules of functions. */
  listen?(options: { port: number; hostname: string }): void;
}

const HOSTNAME = '127.0.0.1';

const functions: HostedFunction[] = JSON.parse(process.argv[2] ?? '[]');
const [, , , api] = process.argv;
const modules = await Promise.all(
  functions.map(({ source }): Promise<HostedModule> => import(pathToFileURL(source).href)),
);
for (const [index, { name, port }] of functions.entries()) {
  const { listen } = modules[index] ?? {};
  if (listen === undefined)
    guardFunction(getTestServer(name), api, name === 'sweep')
      .setTimeout(0)
      .listen(port, HOSTNAME);
  else listen({ port, hostname: HOSTNAME });
}
// Like the framework's command. A regular exit writes the compile cache for the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());

// Loads SDKs while topics and subscriptions are created, so that the first messages do not wait. A process
// with a single function loads them on demand, as on Cloud Run.
const isShared = functions.length > 1;
const isApi = modules.some(({ listen }) => listen !== undefined);
await Promise.all([
  ...(isShared || isApi
    ? [
        import('../../shared/store/firestore/firestoreSdk.ts'),
        import('../../shared/store/pubsub/pubsubSdk.ts'),
      ]
    : []),
  ...(isShared ? [import('@google/genai'), import('@modelcontextprotocol/client')] : []),
]);
