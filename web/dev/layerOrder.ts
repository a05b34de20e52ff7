// Puts the order of the cascade layers at the start of each built style sheet: sheets of shared chunks load
// before the first one, and the first layer that a page meets is the weakest.

import type { Plugin } from 'vite';

/**
 * The layers, the weakest first. `shared` is for parts that several pages use: which sheet loads first
 * depends on how code is split. `base.css` declares the same for the server of `npm run web`.
 */
export const LAYERS = '@layer tokens, base, shared, parts;';

/** Declares the layers in each style sheet of a build. */
export function layerOrder(): Plugin {
  return {
    name: 'layer-order',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'asset' && file.fileName.endsWith('.css')) file.source = `${LAYERS}${file.source}`;
    },
  };
}
