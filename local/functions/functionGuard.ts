// Refuses requests of web pages to the ports of the functions. On Google Cloud, IAM refuses them: pushes and
// schedules have a token, browsers have none. On one machine a page could start an investigation with the
// keys of the developer.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { checkLoopback } from '../../shared/api/access/sameSite.ts';
import { Problem, problemDetails, toHttpStatus } from '../../shared/api/http/problem.ts';

/** The listener of the framework: an Express application. */
type Application = RequestListener & { set(setting: 'env' | 'hint', value: string): unknown };

/** Pushes and CloudEvents. Forms cannot send these types; other sites' scripts need a preflight. */
const JSON_TYPES = /^application\/(?:json|cloudevents\+json)\s*(?:;|$)/i;

const TOPIC_PATH = /^\/projects\/[^/]+\/topics\/[^/]+$/;

/**
 * Puts the guard before the only request listener of a server of the functions-framework, and turns off stack
 * traces in its error responses.
 * @param api address of the API, for requests that were meant for it. Absent: none is served.
 * @param isScheduled whether a schedule calls it, which sends no body or an empty object. Default: Pub/Sub
 * pushes to it.
 * @returns the same server.
 * @throws Error when the server has no request listener.
 */
export function guardFunction(server: Server, api?: string, isScheduled = false): Server {
  const [app] = server.listeners('request') as Application[];
  if (app === undefined) throw new Error('the server of the functions-framework has no request listener');
  app.set('env', 'production');
  app.set('hint', misplaced(api));
  const listener: RequestListener = (request, response) => {
    try {
      checkRequest(request, api, isScheduled);
    } catch (error) {
      return refuseRequest(error, request, response);
    }
    app(request, response);
  };
  server.removeAllListeners('request').on('request', listener);
  return server;
}

/**
 * Accepts JSON, or no body, from programs of this machine. The functions check the method.
 * @throws Problem `ACCESS_DENIED`, `REQUEST_INVALID`, or `NOT_FOUND` with the address of the API.
 */
function checkRequest(
  { headers, url = '/' }: IncomingMessage,
  api: string | undefined,
  isScheduled: boolean,
): void {
  checkLoopback(headers);
  // Pushes have no path or, by the functions-framework's convention, that of their topic. Schedules have no
  // path, and no body or an empty object.
  const [path = '/'] = url.split('?');
  const isOwn = path === '/' || (!isScheduled && TOPIC_PATH.test(path));
  const bytes =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
  const hasBody = bytes > 0;
  if (!isOwn || (isScheduled && bytes > '{}'.length)) throw new Problem('NOT_FOUND', misplaced(api, path));
  if (headers['sec-fetch-site'] !== undefined)
    throw new Problem('ACCESS_DENIED', 'Sec-Fetch-Site is set: browsers have no business with a function');
  const type = headers['content-type'];
  if (type === undefined ? hasBody : !JSON_TYPES.test(type))
    throw new Problem('REQUEST_INVALID', 'Content-Type must be application/json');
}

/** The API's address, for a request to a function instead. @param path without query (secrets). */
function misplaced(api: string | undefined, path = '/'): string {
  if (api === undefined) return 'This is the port of a function; no API is served.';
  const place = path.startsWith('/v1') ? path.slice(0, 200) : '/v1/webhooks/SOURCE for webhooks';
  return `This is the port of a function; the API is at ${api}${place}`;
}

function refuseRequest(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(problemDetails(error, (text) => text));
  const status = error instanceof Problem ? toHttpStatus(error.code) : 500;
  // Closes the connection, because the body is not read.
  response.writeHead(status, { 'Content-Type': 'application/problem+json', Connection: 'close' }).end(body);
  request.resume();
}
