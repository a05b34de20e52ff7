// Builds the dashboard into web/dist, and serves it from fixtures: `npm run web`.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { layerOrder } from './dev/layerOrder.ts';
import { precompress } from './dev/precompress.ts';
import { serveFixtures } from './dev/serveFixtures.ts';

const NO_CONSTRUCT = fileURLToPath(new URL('src/markdown/noConstruct.ts', import.meta.url));

/** The modules of a build. */
interface Graph {
  getModuleInfo(id: string): { importers: readonly string[] } | null;
}

/** Whether the page of a session loads a module with its own code, and not later. */
function isOfSessionPage(id: string, graph: Graph): boolean {
  if (id.endsWith('/lists/SessionWithParts.tsx')) return true;
  const importers = graph.getModuleInfo(id)?.importers ?? [];
  return importers.some(
    (one) => /\/web\/src\/(?:session|lists|features)\//.test(one) && isOfSessionPage(one, graph),
  );
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [serveFixtures(), layerOrder(), precompress()],
  resolve: {
    alias: {
      // The build for browsers writes HTML to decode names of characters, which the policy of the page
      // forbids.
      'decode-named-character-reference': fileURLToPath(
        new URL('../node_modules/decode-named-character-reference/index.js', import.meta.url),
      ),
      // HTML in a text is text (`src/markdown/parse.ts`).
      './lib/html-flow.js': NO_CONSTRUCT,
      './lib/html-text.js': NO_CONSTRUCT,
      'character-entities': fileURLToPath(new URL('src/markdown/entities.ts', import.meta.url)),
    },
  },
  build: {
    target: 'es2022',
    manifest: true,
    // The licenses of the packages in the page, for the NOTICE of a deployment.
    license: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Code that several pages or parts use, in one file: each file is a request. Code that no first
          // screen needs is left out.
          groups: [
            {
              name: 'common',
              test: /\/(?:web\/src\/(?:api|frame|model|parts)(?!\/(?:Dialog|Leaving|ChainChoice|drafts|healthWords|reviews|sentAlert|exampleAlert|Reading)\.)|shared(?!\/(?:evidence\/(?:causeWords|outcomeWords)|text\/resource|client\/knownTotal)\.)|node_modules\/@?preact)/,
              minShareCount: 2,
            },
            {
              name: (id, graph) => (isOfSessionPage(id, graph) ? 'session' : null),
              // The entry of all pages imports `preload`.
              test: /\/web\/src\/(?:session|lists|features)\/(?!preload\.)/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
});
