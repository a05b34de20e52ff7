// A built dashboard in a temporary folder, for tests of a deployment that do not open it.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILES: Record<string, string> = {
  'index.html':
    '<!doctype html><title>Dashboard</title><script type="module" src="/assets/main.js"></script>',
  'assets/main.js': 'export {};',
  '.vite/manifest.json': '{ "index.html": { "file": "assets/main.js" } }',
  '.vite/license.md': '# Licenses\n\n## preact - 11.2.0 (MIT)\n\nThe text of its license\n',
};

/** Writes the dashboard. @returns its folder, which the caller removes. */
export function writePage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-page-'));
  for (const [name, text] of Object.entries(FILES)) {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
