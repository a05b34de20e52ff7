// The dashboard as the API serves it: its own files under its own policy, and nothing else of the disk.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAccess } from '../../shared/api/access/localAccess.ts';
import type { ApiDeps } from '../../shared/api/http/route.ts';
import { firstReads } from '../../shared/api/pages/sessionReads.ts';
import { readWebPage } from '../../shared/api/pages/webPage.ts';
import { createApi } from '../../shared/lists/createApi.ts';
import { writeFiles } from '../support/ownConfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'page-'));
const built = pathToFileURL(`${folder}/dist/`);

beforeAll(() => {
  const files = {
    'secret.txt': 'not of the page',
    'dist/index.html': '<!doctype html><title>Inquest</title>',
    'dist/assets/index-1.js': 'export {};',
    'dist/assets/index-1.js.br': brotliCompressSync('export {};'),
    'dist/assets/index-1.js.gz': gzipSync('export {};'),
    'dist/assets/index-1.css': 'p{}',
    'dist/assets/list-1.js': 'export {};',
    'dist/assets/session-1.js': 'export {};',
    'dist/assets/session-1.css': 'p{}',
    'dist/assets/part-1.js': 'export {};',
    'dist/assets/unlisted.js': 'not in the manifest',
    'dist/.vite/manifest.json': JSON.stringify({
      'index.html': { file: 'assets/index-1.js', css: ['assets/index-1.css'], isEntry: true },
      'src/lists/SessionWithParts.tsx': {
        file: 'assets/session-1.js',
        css: ['assets/session-1.css'],
        imports: ['index.html', '_part-1.js'],
      },
      'src/list/ListPage.tsx': { file: 'assets/list-1.js', imports: ['index.html'] },
      '_part-1.js': { file: 'assets/part-1.js', imports: ['index.html', 'src/lists/SessionWithParts.tsx'] },
    }),
  };
  writeFiles(files, folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const host = '127.0.0.1:8080';
// No request of these tests reaches a store.
const deps = { store: {}, log: console, mask: (text: string) => text } as unknown as ApiDeps;
const apiOf = (page: ReturnType<typeof readWebPage>) =>
  createApi(deps, { access: localAccess((text) => text), page });
const ask = (path: string, headers: Record<string, string> = {}, page = readWebPage(built)) =>
  apiOf(page).request(`http://${host}${path}`, { headers: { host, ...headers } });

describe('the page', () => {
  it.each([
    '/',
    '/s/2026-11-23-a-1',
    '/s/2026-11-23-a-1/ask',
    '/agents/one',
    '/knowledge/a-key',
    '/usage',
    '/system',
    '/compare',
    '/alerts',
    '/new',
    '/s/a/messages/01-b',
  ])('stands at %s, under its policy', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Inquest</title>');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('permissions-policy')).toBe('');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('stands with 404 at an unknown address for a browser, and not below the API or for programs', async () => {
    const html = { accept: 'text/html,application/xhtml+xml' };
    const unknown = await ask('/zzz', html);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('<title>Inquest</title>');
    expect(unknown.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const response of [await ask('/zzz'), await ask('/v1/zzz', html), await ask('/mcp/zzz', html)])
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has files that are kept for ever, as their names change with their content', async () => {
    const response = await ask('/assets/index-1.js');
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await ask('/assets/index-1.css')).headers.get('content-type')).toMatch(/^text\/css/);
  });

  it("names the code of the list and of a session's page, and its first reads, at their addresses, so that the browser loads them early", async () => {
    const code = (name: string, styles = [`</assets/${name}-1.css>; rel=preload; as=style; crossorigin`]) => [
      `</assets/${name}-1.js>; rel=modulepreload`,
      ...styles,
    ];
    for (const path of ['/s/a', '/s/a/ask'])
      expect((await ask(path)).headers.get('link')?.split(', ')).toEqual([
        ...code('index'),
        ...firstReads('a').map((read) => `<${read}>; rel=preload; as=fetch; crossorigin`),
        ...code('part', []),
        ...code('session'),
      ]);
    expect((await ask('/')).headers.get('link')?.split(', ')).toEqual([
      ...code('index'),
      ...code('list', []),
    ]);
    for (const path of ['/usage', '/s/a/messages/01-b', '/s/a,b', '/s/a;b', '/assets/index-1.js'])
      expect((await ask(path)).headers.get('link'), path).toBeNull();
  });

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate, br;q=0', 'gzip', gunzipSync],
    ['GZIP;q=0.5, *;q=0.1', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['', null, (body: Buffer) => body],
    ['identity, br;q=0, gzip;q=0', null, (body: Buffer) => body],
  ])('sends the file that the build compressed, as %j accepts it', async (accepted, encoding, decode) => {
    const response = await ask('/assets/index-1.js', { 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(decode(Buffer.from(await response.arrayBuffer())).toString()).toBe('export {};');
  });

  it.each(['/', '/assets/index-1.css'])('answers 304 when the client has %s', async (path) => {
    const first = await ask(path);
    const etag = first.headers.get('etag') ?? '';
    const again = await ask(path, { 'if-none-match': `"other", ${etag}`, 'accept-encoding': 'br' });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await ask(path, { 'if-none-match': 'W/"another"' })).status).toBe(200);
  });

  it.each([
    '/assets/index-1.js.br',
    '/assets/unlisted.js',
    '/secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/.vite/manifest.json',
    '/index.html',
    '/s/a/b/c',
  ])('does not serve %s', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
  });

  it('opens from a link of another site and under any name, and its requests do not', async () => {
    expect((await ask('/s/a', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
    expect((await ask('/', { host: 'evil.example' })).status).toBe(200);
    expect((await ask('/v1/sessions', { host: 'evil.example' })).status).toBe(403);
  });

  it('does not stand at /health, which answers under any name', async () => {
    for (const path of ['/health', '/healthz']) {
      const response = await ask(path, { host: 'probe.example' });
      expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
    }
  });

  it('leads to the description of the API where it was not built', async () => {
    const page = readWebPage(pathToFileURL(`${folder}/nothing/`));
    expect(page).toBeUndefined();
    const response = await apiOf(page).request(`http://${host}/`, { headers: { host } });
    expect(response.headers.get('location')).toBe('/v1/docs');
  });
});
