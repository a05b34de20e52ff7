// Builds the dashboard into web/dist, and serves it from fixtures: `npm run web`.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { layerOrder } from './dev/layerOrder.ts';
import { precompress } from './dev/precompress.ts';
import { serveFixtures } from './dev/serveFixtures.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [serveFixtures(), layerOrder(), precompress()],
  resolve: {
    alias: {
      // The build for browsers writes HTML to decode names of characters, which the policy of the page forbids.
      'decode-named-character-reference': fileURLToPath(
        new URL('../node_modules/decode-named-character-reference/index.js', import.meta.url),
      ),
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
          // What several pages use, in one file: each file is a request.
          groups: [
            {
              name: 'common',
              test: /\/(?:web\/src\/(?:api|frame|model|parts)|shared|node_modules\/@?preact)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});
