// What the dashboard weighs, and what its files may hold.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LAYERS } from '../../web/dev/layerOrder.ts';

const DIST = new URL('../../web/dist/', import.meta.url);
interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8')) as Record<
  string,
  Chunk
>;
const read = (path: string) => readFileSync(new URL(path, DIST));

/** The files that a route loads before it is whole. */
function filesOf(entry: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[entry];
  if (chunk === undefined) throw new Error(`nothing was built of ${entry}`);
  if (seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const other of chunk.imports ?? []) filesOf(other, seen);
  return seen;
}

const weigh = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(read(file)).length, 0);

describe('the dashboard', () => {
  it('has a list of 45 kB at most, with styles, gzipped', () => {
    expect(weigh(filesOf('index.html'))).toBeLessThanOrEqual(45_000);
  });
  it('has a session of 87 kB at most, with styles and markdown, gzipped', () => {
    const files = filesOf('src/lists/SessionWithParts.tsx', filesOf('index.html'));
    expect(weigh(files)).toBeLessThanOrEqual(87_000);
  });
  it('declares the order of layers in each style sheet, whichever loads first', () => {
    const sheets = new Set(Object.values(manifest).flatMap(({ css = [] }) => css));
    expect(sheets.size).toBeGreaterThan(1);
    for (const sheet of sheets) expect(read(sheet).toString()).toMatch(new RegExp(`^${LAYERS}`));
  });
  it('has no font, no source map, no style or script of its own in the page, and makes no HTML', () => {
    const files = Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css]);
    expect(files.filter((file) => !/\.(?:js|css|svg)$/.test(file))).toEqual([]);
    const html = read('index.html').toString();
    expect(html).not.toMatch(/<style|<script(?![^>]*src=)/);
    const scripts = files.filter((file) => file.endsWith('.js')).map((file) => read(file).toString());
    for (const script of scripts) {
      expect(script).not.toMatch(
        /sourceMappingURL|\beval\(|new Function\(|insertAdjacentHTML|document\.write/,
      );
      // The one place is the view's own, for a property that the dashboard never sets.
      expect(script.replace(/dangerouslySetInnerHTML/g, '')).not.toMatch(/\.(?:outerHTML|srcdoc)\s*=/);
    }
  });
});
