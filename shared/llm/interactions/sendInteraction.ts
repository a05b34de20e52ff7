// Sends requests to the Interactions API. Google's client retries a request that was possibly run, and
// continues long answers with further paid ones, so that this wire does without it.

import { TerminalError } from '../../core/errors.ts';
import { asObject, type JsonObject, parseJson } from '../../text/json.ts';
import type { GeminiBackend } from '../gemini/backend.ts';

const ENDPOINT = 'https://generativelanguage.googleapis.com';

/** How requests are sent. */
export interface Transport {
  /** Address, version and key. */
  backend: GeminiBackend;
  /** Sends a request. Where the answer streams, its body yields whole frames. */
  fetch: typeof fetch;
  /** Ends the request and its stream. */
  signal: AbortSignal;
}

/**
 * Sends one request to the API. Below `path` nothing is escaped.
 * @throws TerminalError `CONFIG_INVALID` on Vertex AI; an error with the `status` of a refusal, or as
 * `fetch`.
 */
export async function requestInteraction(
  { backend, fetch, signal }: Transport,
  method: 'POST' | 'GET' | 'DELETE',
  path: string,
  body?: JsonObject,
): Promise<Response> {
  const { vertexai, apiKey, baseUrl = ENDPOINT, apiVersion } = backend;
  if (vertexai || apiKey === undefined) {
    const message =
      '`api: interactions` needs the Gemini API and GEMINI_API_KEY: its form on Vertex AI is not known.';
    throw new TerminalError('CONFIG_INVALID', message);
  }
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/${apiVersion}/interactions${path}`, {
    method,
    signal,
    headers: { 'x-goog-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const text = await response.text();
  throw Object.assign(new Error(text === '' ? `status ${response.status}` : text), {
    status: response.status,
  });
}

/** The events of a streamed interaction, until `[DONE]` or the end. @throws as `requestInteraction`. */
export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  for await (const frame of response.body ?? []) {
    const text = decoder.decode(frame);
    const data = text
      .split(/\r\n|\r|\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    if (data === '[DONE]') return;
    // A bare error body can end a stream.
    const event = parseJson(data === '' ? text : data);
    const { error, event_type: type } = asObject(Array.isArray(event) ? event[0] : event);
    if (error !== undefined && type === undefined) throw new Error(JSON.stringify({ error }));
    if (event !== undefined) yield event;
  }
}
