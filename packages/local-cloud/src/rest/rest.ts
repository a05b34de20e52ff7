// Services over HTTP and JSON, for curl and gcloud. A request is converted to a message of the protocol and
// then handled as a request of gRPC.

import type { IncomingHttpHeaders } from 'node:http';
import { decode, encode, type Message } from '../protocol/protoFiles.ts';
import { readRequest } from '../protocol/readRequest.ts';
import type { CloudService } from '../protocol/services.ts';
import { StatusError, status } from '../protocol/status.ts';
import { messageFromJson, messageToJson } from './messageJson.ts';
import { type AnswerForm, answerForm, requestJson } from './parameters.ts';
import { errorAnswer, HttpError } from './restError.ts';
import { findRoute, listAnnotatedRoutes, type Route } from './routes.ts';
import { jsonError } from './scalars.ts';

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** A request of HTTP, of whichever version. */
export interface RestRequest {
  /** The HTTP method. */
  method: string;
  /** As it stands in the request, with its query. */
  path: string;
  /** Lowercase names. */
  headers: CallerHeaders;
  /** Whether a body follows, possibly an empty one. */
  hasBody: boolean;
  /** @throws HttpError when there are more bytes than `maxBytes`. */
  readBody(maxBytes: number): Promise<Buffer>;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** The response to a REST request. */
export interface RestAnswer {
  /** The HTTP status. */
  status: number;
  /** Lowercase names. */
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

/** JSON of a request with the largest message that the services take: bytes are a third longer in base64. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Answers REST requests to the services. Never rejects. */
export function createRest(services: CloudService[]): (request: RestRequest) => Promise<RestAnswer> {
  const routes = listAnnotatedRoutes(services);
  const pages = new Map(services.flatMap((service) => Object.entries(service.pages ?? {})));
  return async (request) => {
    const [path = '', query = ''] = request.path.split(/\?(.*)/s);
    try {
      checkCaller(request.headers);
      // As Google's emulators: tools wait for it.
      if (request.method === 'GET' && path === '/') return textAnswer('Ok\n');
      const page = request.method === 'GET' ? pages.get(path) : undefined;
      if (page !== undefined) return jsonAnswer(200, page(), answerForm(query));
      checkContentType(request.headers, request.hasBody);
      const routed = findRoute(routes, request.method, path);
      if (routed === undefined) {
        const details = `The local cloud does not have the method ${request.method} ${path}`;
        throw new StatusError(status.NOT_FOUND, details);
      }
      const body = parseBody(await request.readBody(MAX_BODY_BYTES));
      const message = messageFromJson(routed.route.request, requestJson(routed, body, query));
      const form = answerForm(query);
      return jsonAnswer(200, await callRpc(routed.route, message, form, request.signal), form);
    } catch (error) {
      const { status, json } = errorAnswer(error);
      return jsonAnswer(status, json, answerForm(query));
    }
  };
}

/** @throws StatusError whatever the RPC answers with. */
async function callRpc(
  route: Route,
  message: Message,
  form: AnswerForm,
  signal: AbortSignal,
): Promise<unknown> {
  const { rpc, name } = route;
  const bytes = Buffer.from(encode(route.request, message));
  const request = readRequest(route.request, bytes, route.maxRequestBytes);
  if (request instanceof StatusError) throw request;
  if (rpc === undefined) throw new StatusError(status.UNIMPLEMENTED, `the local cloud does not have ${name}`);
  if ('bidiStream' in rpc) throw new StatusError(status.UNIMPLEMENTED, `${name} is there over gRPC only`);
  if ('unary' in rpc) return answerJson(route, await rpc.unary(request, signal), form);
  return Array.from(rpc.serverStream(request), (answer) => answerJson(route, answer, form));
}

/** @param answer a message, or its bytes. */
function answerJson({ response }: Route, answer: Message, { enums }: AnswerForm): unknown {
  const bytes = answer instanceof Uint8Array ? answer : encode(response, answer);
  // Of a Buffer, texts are decoded faster and bytes are Buffers.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return messageToJson(response, decode(response, buffer), enums);
}

/** @throws StatusError INVALID_ARGUMENT */
function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Most bodies have no such integer, and a large one is read much faster without the check.
    return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch {
    throw jsonError('', 'the body is not valid JSON.');
  }
}

/** Keeps integers exact that a number of JavaScript cannot hold. */
function exactInteger(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return /^-?\d{1,20}$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value;
}

function jsonAnswer(status: number, json: unknown, { indent }: AnswerForm): RestAnswer {
  const body = `${JSON.stringify(json, null, indent)}\n`;
  return { status, headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8' }, body };
}

const textAnswer = (body: string): RestAnswer => ({
  status: 200,
  headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  body,
});

// Keeps web pages away from the REST surface. It has no login, and a browser on this machine reaches it:
// without these rules any page could publish alerts or read documents.

/** The headers of a request, by their names in lower case. */
type CallerHeaders = IncomingHttpHeaders;

/**
 * Refuses requests that a web page of another site can have caused, including pages of other programs of this
 * machine (`same-site`), and of names that were rebound to this machine (`Host`).
 * @throws HttpError PERMISSION_DENIED, which names the header.
 */
function checkCaller({ host = '', origin, 'sec-fetch-site': site = 'none' }: CallerHeaders): void {
  const refuse = (reason: string) => new HttpError(403, status.PERMISSION_DENIED, reason);
  if (!['none', 'same-origin'].includes(String(site)))
    throw refuse('Sec-Fetch-Site is another site: web pages are not answered');
  if (!LOOPBACK.test(host))
    throw refuse('Host must be 127.0.0.1 or localhost: the ports of one machine have no login');
  if (origin !== undefined && origin !== `http://${host}`)
    throw refuse('Origin names another site: requests from pages of other sites are refused');
}

/**
 * Refuses bodies that are no JSON. A form of a web page always names a type and cannot send this one; a
 * script of another site has to ask first (CORS), which is refused.
 * @throws HttpError with the status 415.
 */
function checkContentType(headers: CallerHeaders, hasBody: boolean): void {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  const refuse = (reason: string) => new HttpError(415, status.INVALID_ARGUMENT, reason);
  if (type === undefined ? hasBody : !JSON_TYPE.test(type)) {
    throw refuse('Content-Type must be application/json.');
  }
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse('Content-Encoding must not be set: the local cloud does not have compressed requests.');
  }
}
