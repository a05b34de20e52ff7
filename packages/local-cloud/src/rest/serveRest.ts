// REST requests of HTTP/1.1 and of HTTP/2, taken from Node's servers.

import { createServer, type Server } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { collectBody, type RestAnswer, type RestRequest } from './rest.ts';

type Answer = (request: RestRequest) => Promise<RestAnswer>;

/** A silent connection is closed after this: longer than a pull waits for messages. */
const IDLE_MS = 120_000;

/** A server of HTTP/1.1 that listens nowhere: it is given its connections. */
export function createHttp1Server(answer: Answer): Server {
  const server = createServer((request, response) => {
    const { headers, method = '', url = '' } = request;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const length = Number(headers['content-length'] ?? 0);
    const rest: RestRequest = {
      method,
      path: url,
      headers,
      hasBody: length > 0 || headers['transfer-encoding'] !== undefined,
      readBody: (maxBytes) => collectBody(request, length, maxBytes),
      signal: gone.signal,
    };
    void answer(rest).then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
  });
  server.timeout = IDLE_MS;
  return server;
}

/** Answers a request of HTTP/2. */
export function serveRestStream(
  answer: Answer,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): void {
  const gone = new AbortController();
  stream.on('close', () => gone.abort());
  // A close event follows every error.
  stream.on('error', () => {});
  const length = Number(headers['content-length'] ?? 0);
  const rest: RestRequest = {
    method: headers[':method'] ?? '',
    path: headers[':path'] ?? '',
    headers: { ...headers, host: headers[':authority'] ?? headers.host },
    hasBody: !stream.endAfterHeaders,
    readBody: (maxBytes) => collectBody(stream, length, maxBytes),
    signal: gone.signal,
  };
  void answer(rest).then(({ status, headers, body }) => {
    if (stream.closed || stream.destroyed) return;
    stream.respond({ ':status': status, ...headers });
    stream.end(body);
    stream.resume();
  });
}
