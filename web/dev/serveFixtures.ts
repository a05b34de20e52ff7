// Answers the API's addresses from fixtures, for `npm run web`: the page's own code asks for them as it asks the API.

import { getRequestListener } from '@hono/node-server';
import type { Plugin } from 'vite';
import { createFixtureApi } from './fixtureApi.ts';
import { loadFixtures } from './loadFixtures.ts';

/** The plug-in of Vite's server. It has no part in what is built. */
export function serveFixtures(): Plugin {
  return {
    name: 'inquest-fixtures',
    apply: 'serve',
    configureServer(server) {
      const api = createFixtureApi(loadFixtures());
      const listener = getRequestListener(api.app.fetch, { overrideGlobalObjects: false });
      server.middlewares.use((request, response, next) => {
        if (request.url?.startsWith('/v1/')) void listener(request, response);
        else next();
      });
    },
  };
}
