// Serves functions behind the real functions-framework, as the framework's own command does, but on 127.0.0.1 alone: that
// command would answer the whole network. And it serves several in one process, each on a port of its own.
// The API serves itself. Argument: a JSON list of `HostedFunction`.

import { pathToFileURL } from 'node:url';
import { getTestServer } from '@google-cloud/functions-framework/testing';
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
  if (listen === undefined) getTestServer(name).setTimeout(0).listen(port, HOSTNAME);
  else listen({ port, hostname: HOSTNAME });
}
// As the framework's command does; the exit keeps what was compiled (NODE_COMPILE_CACHE) for the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());

// What the first messages would wait for is loaded while topics and subscriptions are made. A process of one function
// loads what that one needs, when it does, as on Cloud Run.
if (functions.length > 1) {
  await Promise.all([
    import('../shared/store/firestore/firestoreSdk.ts'),
    import('../shared/store/pubsub/pubsubSdk.ts'),
    import('@google/genai'),
    import('@modelcontextprotocol/client'),
  ]);
}
