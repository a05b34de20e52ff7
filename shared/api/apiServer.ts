// The server of the API: Node's own, with limits of time for what its senders send.

import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';

/** How long senders can take, in milliseconds. */
export interface SenderTimeouts {
  /** For all headers of a request. */
  headersMs: number;
  /** For a whole request. The API's own limit for a body is shorter and answers with a problem. */
  requestMs: number;
  /** How often Node looks for requests that take longer. */
  checkMs: number;
}

const TIMEOUTS: SenderTimeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 1_000 };

/** A server that does not listen yet. Answers, such as streams, can take as long as they like. */
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
