// REST requests of HTTP/1.1 and of HTTP/2, taken from Node's servers.

import { createServer, type Server } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { StatusError, status } from '../protocol/status.ts';
import type { RestAnswer, RestRequest } from './rest.ts';
import { HttpError } from './restError.ts';

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

/**
 * Collects a body.
 * @throws HttpError with status 413 for more than `maxBytes` bytes. The rest of the body is discarded.
 */
function collectBody(stream: NodeJS.ReadableStream, length: number, maxBytes: number): Promise<Buffer> {
  const tooLarge = new HttpError(
    413,
    status.INVALID_ARGUMENT,
    `Request payload size exceeds the limit: ${maxBytes} bytes.`,
  );
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = () => {
      chunks.length = 0;
      reject(tooLarge);
    };
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes || length > maxBytes) refuse();
      else chunks.push(chunk);
    });
    if (length > maxBytes) refuse();
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('close', () => reject(new StatusError(status.CANCELLED, 'The client has gone.')));
  });
}
