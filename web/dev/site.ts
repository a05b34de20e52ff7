// The built dashboard with its API on fixtures, on a free port: for tests and measurements.

import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { pageResponse, readWebPage, type WebPage } from '../../shared/api/pages/webPage.ts';
import { createPageApi, type Fixtures } from './pageApi.ts';

const DIST = new URL('../dist/', import.meta.url);

/** How the site misbehaves. */
export interface SiteOptions {
  /** After so many bytes each connection of a stream is cut, one after the other; then none is. */
  cuts?: number[];
  /** Bytes a second of each answer; before the first of them it waits 60 ms. Default: at once. */
  bytesPerSecond?: number;
  /** The clock of the API. */
  now?: () => Date;
  /**
   * JSON that is answered instead of the API's, by `GET /v1/…`: for states that no short list of documents
   * has.
   */
  answers?: Record<string, object>;
}

/** A request that changed something, with its body as JSON, else as text. */
interface Posted {
  path: string;
  body: unknown;
}

/** Serves a site. */
export async function serveSite(fixtures: Fixtures, options: SiteOptions = {}) {
  const { cuts = [], bytesPerSecond, now, answers = {} } = options;
  const page = readWebPage(DIST);
  if (page === undefined) throw new Error('the dashboard is not built: run npx vite build web');
  const api = await createPageApi(structuredClone(fixtures), { now, page });
  const posted: Posted[] = [];
  const streams = new Set<() => void>();
  /** The status for refused API requests; 0: answered. And what the page gets. */
  const state: { refusal: number; index?: (html: string) => string } = { refusal: 0 };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith('/v1/')) return withIndex(await api.fetch(request), request, page, state.index);
    if (request.method === 'POST') posted.push({ path: pathname + search, body: await bodyOf(request) });
    if (state.refusal !== 0) return refusal(state.refusal);
    const prepared = answers[`${request.method} ${pathname}`];
    if (prepared !== undefined) return Response.json(prepared);
    const isStream = pathname.endsWith('/events');
    // Bytes of a stream are counted as they are, not compressed.
    if (isStream) request.headers.delete('accept-encoding');
    const response = await api.fetch(request);
    if (!isStream || !response.ok) return response;
    return new Response(cutAfter(response.body, cuts.shift(), streams), response);
  };
  const fetch = async (request: Request): Promise<Response> => {
    const response = await answer(request);
    if (bytesPerSecond === undefined) return response;
    return new Response(slowed(response.body, bytesPerSecond), response);
  };
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
  const port = await promise;
  /** Ends all streams, as a lost connection does. */
  const cut = () => {
    for (const end of streams) end();
  };
  const stop = () => {
    cut();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, api: { ...api, posted, cut }, state, stop };
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.clone().text();
  const isJson = request.headers.get('content-type')?.startsWith('application/json');
  return isJson && text !== '' ? JSON.parse(text) : text;
}

/** The response; its HTML changed by `index`. */
async function withIndex(
  response: Response,
  request: Request,
  page: WebPage,
  index: ((html: string) => string) | undefined,
): Promise<Response> {
  if (index === undefined || !response.headers.get('content-type')?.startsWith('text/html')) return response;
  const whole = pageResponse(page, new URL(request.url).pathname, new Headers());
  const headers = new Headers(response.headers);
  headers.delete('content-encoding');
  return new Response(index((await whole?.text()) ?? ''), { status: response.status, headers });
}

/** As the API refuses: with a problem that has a code. */
function refusal(status: number): Response {
  const code = { 400: 'REQUEST_INVALID', 401: 'LOGIN_REQUIRED' }[status] ?? 'INTERNAL';
  return new Response(JSON.stringify({ code, status, title: code, detail: 'refused by a test' }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

/** A body that ends after so many bytes, or when its function in `streams` is called. */
function cutAfter(
  body: ReadableStream<Uint8Array> | null,
  limit: number | undefined,
  streams: Set<() => void>,
) {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let end = () => {};
  const forget = () => void streams.delete(end);
  // The types of browsers do not know `cancel`.
  const transformer = {
    flush: forget,
    cancel: forget,
    start(controller: TransformStreamDefaultController<Uint8Array>) {
      end = () => {
        streams.delete(end);
        controller.terminate();
      };
      streams.add(end);
    },
    transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) end();
    },
  };
  return body?.pipeThrough(new TransformStream(transformer)) ?? null;
}

/** A body on a slow network. */
function slowed(body: ReadableStream<Uint8Array> | null, bytesPerSecond: number) {
  const slow = new TransformStream<Uint8Array, Uint8Array>({
    start: () => sleep(60),
    async transform(chunk, controller) {
      await sleep((chunk.length / bytesPerSecond) * 1000);
      controller.enqueue(chunk);
    },
  });
  return body?.pipeThrough(slow) ?? null;
}
