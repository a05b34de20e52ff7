// Investigations through the whole local system while every push comes five times: at the same moment, or
// four more times later. Counts how many messages that makes.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSubscriptions } from '../../local/subscriptions.ts';
import { untilEnded, withSystem } from './wholeSystem.ts';

const ITERATIONS_EACH = 22;
const INVESTIGATIONS = 4;
/** After the first delivery. */
const COPIES_AFTER_MS = { none: [], burst: [0, 0, 0, 0], late: [1_000, 4_000, 10_000, 25_000] };
/** As long as Pub/Sub waits in production before it delivers again what was not acked. */
const RETRY_MS = 10_000;

/** How copies come. */
export type Copies = keyof typeof COPIES_AFTER_MS;

/** What a run with copies made. */
export interface CopiesReport {
  iterations: number;
  /** Messages on the topic `iterations`. */
  publications: number;
  /** Calls of `runIteration`. */
  deliveries: number;
  /** Investigations that completed, of four. */
  completed: number;
  seconds: number;
}

/** Runs four investigations of 22 iterations at once. @param folder for the configuration. */
export function measureCopies(folder: string, copies: Copies): Promise<CopiesReport> {
  return withSystem(folder, { answersEach: ITERATIONS_EACH }, {}, async ({ store, publish, running }) => {
    const door = await openDoor(running.endpoints.runIteration, COPIES_AFTER_MS[copies]);
    await createSubscriptions({
      projectId: running.projectId,
      pubsubHost: running.endpoints.pubsub,
      endpoints: { ...running.endpoints, runIteration: door.endpoint },
    });
    const startedAt = performance.now();
    const sessionIds = await Promise.all(Array.from({ length: INVESTIGATIONS }, publish));
    const completed = await untilEnded(store, new Set(sessionIds));
    const seconds = (performance.now() - startedAt) / 1_000;
    // Copies also come after the end, and publish nothing then.
    await door.settle();
    return { ...door.counts(), iterations: INVESTIGATIONS * ITERATIONS_EACH, completed, seconds };
  });
}

/** Stands before a function and delivers what it gets several times, each copy until it is acked. */
async function openDoor(endpoint: string, copiesAfterMs: readonly number[]) {
  const messages = new Set<string>();
  const copies = new Set<Promise<void>>();
  let deliveries = 0;
  const deliver = async (path: string, body: Buffer): Promise<number> => {
    deliveries += 1;
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(new URL(path, endpoint), {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return status;
  };
  const deliverCopy = async (path: string, body: Buffer, afterMs: number): Promise<void> => {
    await sleep(afterMs);
    while ((await deliver(path, body)) >= 300) await sleep(RETRY_MS);
  };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '/';
    const { messageId } = JSON.parse(body.toString()).message;
    const isNew = !messages.has(messageId);
    messages.add(messageId);
    const first = deliver(path, body);
    for (const afterMs of isNew ? copiesAfterMs : []) {
      const copy = deliverCopy(path, body, afterMs).finally(() => copies.delete(copy));
      copies.add(copy);
    }
    response.writeHead(await first.catch(() => 503)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ publications: messages.size, deliveries }),
    async settle() {
      while (copies.size > 0) await Promise.allSettled(copies);
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
