// The dashboard as it was built: its files are read once, and nothing else of the disk is served.

import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import * as z from 'zod';

/** A file of the page. */
export interface WebFile {
  body: Uint8Array<ArrayBuffer>;
  type: string;
}

/** The page: its HTML, and its assets by path (`/assets/…`). */
export interface WebPage {
  index: WebFile;
  files: ReadonlyMap<string, WebFile>;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Vite's manifest. */
const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).default([]),
    assets: z.array(z.string()).default([]),
  }),
);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Sent with every file of the page. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': '',
};

/** The addresses at which the page itself stands. */
const ADDRESSES = /^\/(?:s\/[^/]+(?:\/ask)?|agents(?:\/[^/]+)?|knowledge(?:\/[^/]+)?|rejected|usage)?$/;

/** The page that was built in a folder; undefined without a build. @throws Error for an incomplete build. */
export function readWebPage(folder: URL): WebPage | undefined {
  const manifest = new URL('.vite/manifest.json', folder);
  if (!existsSync(manifest)) return undefined;
  const read = (path: string): WebFile => ({
    body: new Uint8Array(readFileSync(new URL(path, folder))),
    type: TYPES[extname(path)] ?? 'application/octet-stream',
  });
  const chunks = Object.values(manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8'))));
  const paths = new Set(chunks.flatMap(({ file, css, assets }) => [file, ...css, ...assets]));
  return {
    index: read('index.html'),
    files: new Map([...paths].map((path) => [`/${path}`, read(path)])),
  };
}

/** The content at an address of the page; undefined if there is none. */
export function webFileAt(page: WebPage, path: string): (WebFile & { isHashed: boolean }) | undefined {
  const file = page.files.get(path);
  if (file !== undefined) return { ...file, isHashed: true };
  return ADDRESSES.test(path) ? { ...page.index, isHashed: false } : undefined;
}
