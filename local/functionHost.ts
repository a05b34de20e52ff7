// Serves one function behind the real functions-framework, as the framework's own command does, but on 127.0.0.1 alone:
// that command would answer the whole network.
// Environment, as on Cloud Run: FUNCTION_TARGET, FUNCTION_SOURCE (path of the module that registers it), PORT.

import { pathToFileURL } from 'node:url';
import { getTestServer } from '@google-cloud/functions-framework/testing';

const { FUNCTION_TARGET = '', FUNCTION_SOURCE = '', PORT = '' } = process.env;
await import(pathToFileURL(FUNCTION_SOURCE).href);
getTestServer(FUNCTION_TARGET).setTimeout(0).listen(Number(PORT), '127.0.0.1');

// As the framework's command does; the exit keeps what was compiled (NODE_COMPILE_CACHE) for the next start.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
