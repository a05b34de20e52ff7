// Lets a server of a deployed service listen, and ends it as Cloud Run asks for.

import type { Server } from 'node:http';
import { runAtEnd } from '../shared/core/kernel/atEnd.ts';

/** Cloud Run stops an instance 10 s after its SIGTERM. */
const END_MS = 9_000;

/** Where a service listens. */
export interface Listening {
  /** Default: `PORT` of the environment, else 8080. */
  port?: number | undefined;
  /** Default: all addresses. */
  hostname?: string | undefined;
}

/**
 * Serves until asked to end. Then accepts no new requests, and ends after the last, when what the process
 * holds in memory is written.
 */
export function serve(server: Server, { port, hostname }: Listening): void {
  server.listen(port ?? Number(process.env.PORT ?? 8080), hostname);
  process.once('SIGTERM', () => {
    server.close(() => void runAtEnd().finally(() => process.exit(0)));
    setTimeout(() => process.exit(0), END_MS).unref();
  });
}
