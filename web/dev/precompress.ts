// Compresses the files of the page when they are built, as well as brotli and gzip can.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { COMPRESSED_NAMES } from '../../shared/api/pages/webPage.ts';

const TEXT = /\.(?:html|js|css|svg)$/;
/** Bytes below which a compressed file is not smaller by a network packet. */
const MIN_BYTES = 1_000;

/** Writes `FILE.br` and `FILE.gz` beside each text file of a build. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir: folder = '' }) {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const path = join(folder, name);
        if (!TEXT.test(name)) continue;
        const content = readFileSync(path);
        if (content.length < MIN_BYTES) continue;
        const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(path + COMPRESSED_NAMES.br, brotliCompressSync(content, { params: size }));
        writeFileSync(path + COMPRESSED_NAMES.gzip, gzipSync(content, { level: 9 }));
      }
    },
  };
}
