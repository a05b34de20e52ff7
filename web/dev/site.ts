// The built dashboard with an API of fixtures behind it, on a free port, under the headers of the real one: for tests and
// measurements.

import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { compressResponses } from '../../shared/api/http/compress.ts';
import { pageResponse, readWebPage, unknownPage } from '../../shared/api/pages/webPage.ts';
import { createFixtureApi } from './fixtureApi.ts';
import type { Fixtures } from './fixtures.ts';

const DIST = new URL('../dist/', import.meta.url);

/** How the site misbehaves. */
export interface SiteOptions {
  /** After so many bytes each connection of a stream is cut, one after the other; then none is. */
  cuts?: number[];
  /** Bytes a second of each answer; before the first of them it waits 60 ms. Default: at once. */
  bytesPerSecond?: number;
  /** The clock of the API. */
  now?: () => Date;
}

/** Serves a site. */
export async function serveSite(fixtures: Fixtures, { cuts = [], bytesPerSecond, now }: SiteOptions = {}) {
  const page = readWebPage(DIST);
  if (page === undefined) throw new Error('the dashboard is not built: run npx vite build web');
  const api = createFixtureApi(structuredClone(fixtures), now);
  const site = new Hono();
  /** The status with which requests of the API are refused; 0: they are answered. And what the page is given as. */
  const state: { refusal: number; index?: (html: string) => string } = { refusal: 0 };
  site.use(async (context, next) => {
    await next();
    const { res } = context;
    if (bytesPerSecond !== undefined) context.res = new Response(slowed(res.body, bytesPerSecond), res);
  });
  site.use('/v1/*', compressResponses());
  site.all('/v1/*', async (context) => {
    if (state.refusal !== 0) return refusal(state.refusal);
    const response = await api.app.fetch(context.req.raw);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const limit = isStream ? cuts.shift() : undefined;
    return limit === undefined ? response : new Response(cutAfter(response.body, limit), response);
  });
  site.get('/*', async (context) => {
    const response = pageResponse(page, context.req.path, context.req.raw.headers);
    if (response === undefined) return unknownPage(page, context.req.raw) ?? context.notFound();
    if (state.index === undefined || !response.headers.get('content-type')?.startsWith('text/html'))
      return response;
    const whole = pageResponse(page, context.req.path, new Headers());
    const { headers } = response;
    headers.delete('content-encoding');
    return new Response(state.index((await whole?.text()) ?? ''), { headers });
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = serve({ fetch: site.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
  const port = await promise;
  const stop = () => {
    api.cut();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, api, state, stop };
}

/** As the API refuses: with a problem that has a code. */
function refusal(status: number): Response {
  const code = { 400: 'REQUEST_INVALID', 401: 'LOGIN_REQUIRED' }[status] ?? 'INTERNAL';
  return new Response(JSON.stringify({ code, status, title: code, detail: 'refused by a test' }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

/** The beginning of a body; what comes after so many bytes is lost. */
function cutAfter(body: ReadableStream<Uint8Array> | null, limit: number): ReadableStream<Uint8Array> | null {
  let left = limit;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
  return body?.pipeThrough(cut) ?? null;
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
