// The target that `demo prometheus` breaks: a service whose pool of database connections is used up. It has
// metrics of its own for Prometheus, and changes only when it is asked to.

import { createServer } from 'node:http';
import { boundPort } from '../processes/ports.ts';

/** Requests that each scrape adds. */
const REQUESTS = 40;
/** Of those, the failed ones while it is broken. */
const FAILURES = 26;
const POOL_SIZE = 20;
const USUAL_CONNECTIONS = 6;

interface Target {
  /** Where it listens, on 127.0.0.1. */
  port: number;
  /** Uses up the pool: most requests fail from now on. */
  break(): void;
  /** Frees the pool. */
  repair(): void;
  /** Closes the port. */
  stop(): Promise<void>;
}

/** Starts the target on a free port. It works until `break`. */
export async function startTarget(): Promise<Target> {
  let isBroken = false;
  let succeeded = 0;
  let failed = 0;
  const server = createServer((_, response) => {
    const failures = isBroken ? FAILURES : 0;
    failed += failures;
    succeeded += REQUESTS - failures;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(metrics(succeeded, failed, isBroken ? POOL_SIZE : USUAL_CONNECTIONS));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: boundPort(server),
    break() {
      isBroken = true;
    },
    repair() {
      isBroken = false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const metrics = (succeeded: number, failed: number, connections: number): string => `\
# HELP checkout_requests_total Requests by status code.
# TYPE checkout_requests_total counter
checkout_requests_total{code="200"} ${succeeded}
checkout_requests_total{code="500"} ${failed}
# HELP checkout_database_connections Connections of the pool that are in use.
# TYPE checkout_database_connections gauge
checkout_database_connections ${connections}
# HELP checkout_database_connections_max Size of the pool.
# TYPE checkout_database_connections_max gauge
checkout_database_connections_max ${POOL_SIZE}
`;
