// The HTTP part of stand-ins for destinations: records requests, answers some with planned faults.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../../shared/text/json.ts';
import { boundPort } from '../processes/ports.ts';

/** A request that arrived. */
export interface WireRequest {
  method: string;
  /** Without its query. */
  path: string;
  query: URLSearchParams;
  /** Names in small letters. */
  headers: Record<string, string>;
  /** The body as it arrived. */
  text: string;
  /** The body as JSON; undefined when it is none. */
  body: unknown;
}

/** An answer: JSON, or no body. */
export interface WireAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A fault of the next request. `cut` closes without answer, after or before it took effect. */
type WireFault =
  | { fault: 'answer'; answer: WireAnswer; takesEffect?: boolean }
  | { fault: 'cut'; takesEffect: boolean }
  | { fault: 'slow'; ms: number };

/** A served stand-in. */
export interface Wire {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** All requests, in order of arrival. */
  requests: WireRequest[];
  /** Plans faults for the next requests, one each. */
  failNext(...faults: WireFault[]): void;
  /** Closes every connection and the port. */
  stop(): Promise<void>;
}

/**
 * Serves `answer` on 127.0.0.1.
 * @param port default 0: any free one.
 */
export async function serveWire(answer: (request: WireRequest) => WireAnswer, port = 0): Promise<Wire> {
  const requests: WireRequest[] = [];
  const faults: WireFault[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    requests.push(request);
    const fault = faults.shift();
    switch (fault?.fault) {
      case 'cut':
        if (fault.takesEffect) answer(request);
        incoming.socket.destroy();
        return;
      case 'answer':
        if (fault.takesEffect === true) answer(request);
        return send(response, fault.answer);
      case 'slow':
        await delay(fault.ms);
        return send(response, answer(request));
      case undefined:
        return send(response, answer(request));
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${boundPort(server)}`,
    requests,
    failNext: (...next) => void faults.push(...next),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: incoming.method ?? '',
    path: pathname,
    query: searchParams,
    headers,
    text,
    body: parseJson(text),
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: WireAnswer): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
