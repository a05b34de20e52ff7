// The server of the API: Node's own, with time limits for headers and bodies of requests.

import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';

/** Time limits for senders, in milliseconds. */
export interface SenderTimeouts {
  /** For all headers of a request. */
  headersMs: number;
  /** For a whole request. The API's own limit for a body is shorter and answers with a problem. */
  requestMs: number;
  /** Interval at which Node looks for requests above a limit. */
  checkMs: number;
}

const TIMEOUTS: SenderTimeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 1_000 };

/** Creates a server that does not listen yet. Responses, such as streams, have no time limit. */
export function createApiServer(
  fetch: (request: Request, env: unknown) => Response | Promise<Response>,
  { headersMs, requestMs, checkMs }: SenderTimeouts = TIMEOUTS,
): Server {
  return createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
  }) as Server;
}
