// Serves functions behind the real functions-framework, as the framework's own command does, but on 127.0.0.1 only and guarded
// against web pages: that command would answer the whole network. It can serve several in one process, each on its own port.
// The API serves itself. Argument: a JSON list of `HostedFunction`.

import { pathToFileURL } from 'node:url';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { guardFunction } from './functionGuard.ts';
import type { HostedFunction } from './functionsServer.ts';

/** What a module exports that is no function, but a server: the API. */
interface Server {
  listen?(options: { port: number; hostname: string }): void;
}

const HOSTNAME = '127.0.0.1';

const functions = JSON.parse(process.argv[2] ?? '[]') as HostedFunction[];
const modules = await Promise.all(
  functions.map(({ source }) => import(pathToFileURL(source).href) as Promise<Server>),
);
for (const [index, { name, port }] of functions.entries()) {
  const { listen } = modules[index] ?? {};
  if (listen === undefined) guardFunction(getTestServer(name)).setTimeout(0).listen(port, HOSTNAME);
  else listen({ port, hostname: HOSTNAME });
}
// As the framework's command does; the exit keeps what was compiled (NODE_COMPILE_CACHE) for the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());

// Loads what the first messages and requests would wait for, while topics and subscriptions are made. The process of a single
// function loads what it needs when it needs it, as on Cloud Run.
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
