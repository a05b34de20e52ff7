// Answers the API's addresses from fixtures, for `npm run web`.

import { getRequestListener } from '@hono/node-server';
import type { Plugin } from 'vite';
import { loadFixtures } from './loadFixtures.ts';
import { createPageApi } from './pageApi.ts';

/** The plug-in of Vite's server. It has no part in what is built. */
export function serveFixtures(): Plugin {
  return {
    name: 'inquest-fixtures',
    apply: 'serve',
    async configureServer(server) {
      const api = await createPageApi({ sessions: loadFixtures() });
      const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
      server.middlewares.use((request, response, next) => {
        if (request.url?.startsWith('/v1/')) void listener(request, response);
        else next();
      });
    },
  };
}
