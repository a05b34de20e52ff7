// The built dashboard: its files are read once, and no other file of the disk is served.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import * as z from 'zod';
import { acceptedEncoding, type Encoding } from '../http/compress.ts';
import { addressedSession, firstReads } from './sessionReads.ts';

interface WebFile {
  /** The content. */
  body: Uint8Array<ArrayBuffer>;
  /** The body as the build compressed it. */
  compressed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;
  /** The content type. */
  type: string;
  /** The same for all codings, so it is weak. */
  etag: string;
}

/** The dashboard. */
export interface WebPage {
  /** The HTML. */
  index: WebFile;
  /** Assets by path (`/assets/…`). */
  files: ReadonlyMap<string, WebFile>;
  /**
   * Links of an address: the code that the HTML names, because browsers load a header's links first, and the
   * code of the list or of the session's page, which is loaded beside it.
   */
  links: Record<'entry' | 'list' | 'session', string[]>;
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
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
    assets: z.array(z.string()).default([]),
  }),
);

type Manifest = z.infer<typeof manifestSchema>;

/** The modules of the list, the session's page and the HTML, as the manifest names them. */
const [LIST_MODULE, SESSION_MODULE, ENTRY] = [
  'src/list/ListPage.tsx',
  'src/lists/SessionWithParts.tsx',
  'index.html',
];

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Sent with the HTML. */
const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': '',
};
/** Sent with the other files: short, because a page loads a dozen of them. */
const ASSET_HEADERS = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };

/** The name of such a file changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Browsers cache the page and ask the server whether it has changed. It contains no data. */
const ASK_FIRST = 'no-cache';

/** The suffixes of files that the build compressed. */
export const COMPRESSED_NAMES: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** The addresses that serve the HTML. */
const ADDRESSES =
  /^\/(?:s\/[^/]+(?:\/ask|\/messages\/[^/]+)?|agents(?:\/[^/]+)?|knowledge(?:\/[^/]+)?|compare|errors|new|alerts|rejected|schedules|system|usage)?$/;

/** The page that was built in a folder; undefined without a build. @throws Error for an incomplete build. */
export function readWebPage(folder: URL): WebPage | undefined {
  const manifest = new URL('.vite/manifest.json', folder);
  if (!existsSync(manifest)) return undefined;
  const bytesOf = (path: string) => new Uint8Array(readFileSync(new URL(path, folder)));
  const read = (path: string): WebFile => {
    const body = bytesOf(path);
    const codings = Object.entries(COMPRESSED_NAMES).filter(([, name]) =>
      existsSync(new URL(`${path}${name}`, folder)),
    );
    return {
      body,
      compressed: Object.fromEntries(codings.map(([coding, name]) => [coding, bytesOf(`${path}${name}`)])),
      type: TYPES[extname(path)] ?? 'application/octet-stream',
      etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    };
  };
  const chunks = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  const paths = new Set(Object.values(chunks).flatMap(({ file, css, assets }) => [file, ...css, ...assets]));
  return {
    index: read('index.html'),
    files: new Map([...paths].map((path) => [`/${path}`, read(path)])),
    links: {
      entry: preloadLinks(chunks, ENTRY),
      list: preloadLinks(chunks, LIST_MODULE, ENTRY),
      session: preloadLinks(chunks, SESSION_MODULE, ENTRY),
    },
  };
}

/** The links for a module, its imports and styles. @param loaded a module whose links are left out. */
function preloadLinks(chunks: Manifest, module: string, loaded?: string): string[] {
  const without = loaded === undefined ? [] : listModuleImports(chunks, loaded);
  return listModuleImports(chunks, module, new Set(without)).flatMap((name) => chunkLinks(chunks[name]));
}

/** The imports of a module, then the module, in the browser's order. @param found modules to leave out. */
function listModuleImports(chunks: Manifest, module: string, found = new Set<string>()): string[] {
  if (found.has(module)) return [];
  found.add(module);
  return [
    ...(chunks[module]?.imports ?? []).flatMap((next) => listModuleImports(chunks, next, found)),
    module,
  ];
}

/** The links of a chunk. Styles load with `crossorigin`; a preload without it is loaded twice. */
function chunkLinks(chunk: Manifest[string] | undefined): string[] {
  if (chunk === undefined) return [];
  const styles = chunk.css.map((path) => `</${path}>; rel=preload; as=style; crossorigin`);
  return [`</${chunk.file}>; rel=modulepreload`, ...styles];
}

/** The links of an address beside those of the HTML. */
function earlyLinks({ links: { list, session } }: WebPage, path: string): string[] {
  if (path === '/') return list;
  const sessionId = addressedSession(path);
  return sessionId === undefined ? [] : [...firstReads(sessionId).map(preloadedRead), ...session];
}

/** The link for an API path. With this attribute it equals the page's `fetch`, so it is sent once. */
const preloadedRead = (path: string) => `<${path}>; rel=preload; as=fetch; crossorigin`;

/** The page with status 404, for a browser at an unknown address; undefined for programs and `/v1`. */
export function unknownPage({ index }: WebPage, { method, url, headers }: Request): Response | undefined {
  const isBrowser = headers.get('accept')?.includes('text/html') === true;
  if (method !== 'GET' || !isBrowser || /^\/(?:v1|mcp)(?:\/|$)/.test(new URL(url).pathname)) return undefined;
  const type = { 'Content-Type': index.type, 'Cache-Control': 'no-store' };
  return new Response(index.body, { status: 404, headers: { ...PAGE_HEADERS, ...type } });
}

/** The page at an address: compressed as the request accepts; 304 if it names the same content. */
export function pageResponse(page: WebPage, path: string, request: Headers): Response | undefined {
  const asset = page.files.get(path);
  const file = asset ?? (ADDRESSES.test(path) ? page.index : undefined);
  if (file === undefined) return undefined;
  const { body, compressed, type, etag } = file;
  const headers: Record<string, string> = {
    ...(asset === undefined ? PAGE_HEADERS : ASSET_HEADERS),
    'Cache-Control': asset === undefined ? ASK_FIRST : FOREVER,
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  const early = earlyLinks(page, path);
  if (early.length > 0) headers.Link = [...page.links.entry, ...early].join(', ');
  const known = request.get('if-none-match')?.split(',') ?? [];
  if (known.some((one) => one.trim() === etag)) return new Response(null, { status: 304, headers });
  const encoding = acceptedEncoding(request.get('accept-encoding'));
  const smaller = encoding && compressed[encoding];
  headers['Content-Type'] = type;
  if (smaller !== undefined) headers['Content-Encoding'] = encoding ?? '';
  return new Response(smaller ?? body, { headers });
}
