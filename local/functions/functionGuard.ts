// Keeps web pages away from the functions' ports. On Google Cloud, IAM does: a push or a schedule has a token, a browser has
// none. On one machine a page could otherwise post a message and start an investigation with the developer's keys.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { checkLoopback } from '../../shared/api/access/loopback.ts';
import { Problem, problemDetails, statusOf } from '../../shared/api/problem.ts';

/** The framework's listener: an Express application. */
type Application = RequestListener & { set(setting: 'env', value: 'production'): unknown };

/** Pub/Sub's pushes and CloudEvents. A form cannot send these types, and a script of another site must ask first (CORS). */
const JSON_TYPES = /^application\/(?:json|cloudevents\+json)\s*(?:;|$)/i;

/**
 * Puts the guard before the only request listener of a server of the functions-framework, and has its errors answered without
 * stack traces.
 * @returns the same server.
 */
export function guardFunction(server: Server): Server {
  const [app] = server.listeners('request') as Application[];
  if (app === undefined) throw new Error('the server of the functions-framework has no request listener');
  app.set('env', 'production');
  const listener: RequestListener = (request, response) => {
    try {
      checkRequest(request);
    } catch (error) {
      return refuse(error, request, response);
    }
    app(request, response);
  };
  server.removeAllListeners('request').on('request', listener);
  return server;
}

/**
 * Functions take JSON, or no body, from programs of this machine. They check the method themselves.
 * @throws Problem `ACCESS_DENIED` or `REQUEST_INVALID`.
 */
function checkRequest({ headers }: IncomingMessage): void {
  checkLoopback(headers);
  if (headers['sec-fetch-site'] !== undefined)
    throw new Problem('ACCESS_DENIED', 'Sec-Fetch-Site is set: browsers have no business with a function');
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (type === undefined ? hasBody : !JSON_TYPES.test(type))
    throw new Problem('REQUEST_INVALID', 'Content-Type must be application/json');
}

function refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(problemDetails(error, (text) => text));
  const status = error instanceof Problem ? statusOf(error.code) : 500;
  // The body is not read: the connection ends with the answer.
  response.writeHead(status, { 'Content-Type': 'application/problem+json', Connection: 'close' }).end(body);
  request.resume();
}
