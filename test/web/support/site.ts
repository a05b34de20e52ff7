// The built dashboard with an API of fixtures behind it, on a free port, under the headers of the real one.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { PAGE_HEADERS, readWebPage, webFileAt } from '../../../shared/api/webPage.ts';
import { createFixtureApi } from '../../../web/dev/fixtureApi.ts';
import type { SessionFixture } from '../../../web/dev/fixtures.ts';

const DIST = new URL('../../../web/dist/', import.meta.url);

/** How the site misbehaves. */
interface SiteOptions {
  /** After so many bytes each connection of a stream is cut, one after the other; then none is. */
  cuts?: number[];
  /** The clock of the API. */
  now?: () => Date;
}

/** Starts a site with these sessions. */
export async function startSite(sessions: SessionFixture[], { cuts = [], now }: SiteOptions = {}) {
  const page = readWebPage(DIST);
  if (page === undefined) throw new Error('the dashboard is not built: run npx vite build web');
  const api = createFixtureApi({ sessions: structuredClone(sessions) }, now);
  const site = new Hono();
  /** Whether requests of the API are refused, as by a machine that cannot be reached. */
  const state = { isDown: false };
  site.all('/v1/*', async (context) => {
    if (state.isDown) return new Response('', { status: 503 });
    const response = await api.app.fetch(context.req.raw);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const limit = isStream ? cuts.shift() : undefined;
    return limit === undefined ? response : new Response(cutAfter(response.body, limit), response);
  });
  site.get('/*', (context) => {
    const file = webFileAt(page, context.req.path);
    if (file === undefined) return context.notFound();
    return context.body(file.body, 200, { 'Content-Type': file.type, ...PAGE_HEADERS });
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = serve({ fetch: site.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
  const port = await promise;
  onTestFinished(() => {
    api.cut();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}`, api, state };
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
