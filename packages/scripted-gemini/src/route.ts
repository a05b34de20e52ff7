// Checks the path, the credentials and the size of a request, before its body.

import type { IncomingMessage } from 'node:http';
import { type ApiError, apiError } from './apiError.ts';

/** How the client wants its answer: SSE frames, one JSON array of chunks, or one body. */
export type Delivery = 'sse' | 'array' | 'unary';

/** The method and the model in the path of a request. */
interface Route {
  /** Version of the API: `v1`, `v1beta` or `v1beta1`. */
  version: string;
  /** Name of the model, without `models/`. */
  model: string;
  /** `generateContent` or `streamGenerateContent`. */
  method: string;
  /** The form of the response. */
  delivery: Delivery;
  /** Whether the request came by the paths of Vertex AI. */
  vertex: boolean;
}
/** A key with this prefix is refused as invalid, for tests of that case. */
const WRONG_KEY_PREFIX = 'invalid';

const PATH =
  /^\/(v1|v1beta|v1beta1)\/((?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/)?models\/([^/:]+):(streamGenerateContent|generateContent)$/;

/** The model and the method of a request; undefined when the API has no such path. */
export function findRoute(request: IncomingMessage): Route | undefined {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const match = PATH.exec(url.pathname);
  if (match === null || request.method !== 'POST') return undefined;
  const [, version = '', publisher, model = '', method = ''] = match;
  const streamed: Delivery = url.searchParams.get('alt') === 'sse' ? 'sse' : 'array';
  const delivery = method === 'streamGenerateContent' ? streamed : 'unary';
  return { version, model, method, delivery, vertex: publisher !== undefined };
}

/** The 404 for an unknown model. */
export function unknownModel({ model, version, method }: Route): ApiError {
  return apiError(
    404,
    `models/${model} is not found for API version ${version}, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`,
  );
}

/** Accepts any key and any bearer token; the error when there is none. */
export function checkCredentials(request: IncomingMessage, vertex: boolean): ApiError | undefined {
  const header = request.headers['x-goog-api-key'];
  const key = (Array.isArray(header) ? header[0] : header) ?? '';
  const hasToken = /^Bearer \S/.test(request.headers.authorization ?? '');
  if (key.startsWith(WRONG_KEY_PREFIX)) {
    const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
    return apiError(400, 'API key not valid. Please pass a valid API key.', { details: [reason] });
  }
  if (key !== '' || hasToken) return undefined;
  return vertex
    ? apiError(401, 'Request is missing required authentication credential.')
    : apiError(
        403,
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      );
}
