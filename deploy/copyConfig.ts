// Copies a configuration into the folder of a deployment.

import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PARSED_FILES, parseEntry } from '../shared/config/parsedFiles.ts';

/**
 * Copies a configuration without hidden files: `.env` has the secrets of one machine, and a deployment must
 * not contain them. Copies no packs, which only commands read. Adds the values of its YAML files, which the
 * services then do not parse.
 * @param to is created.
 */
export async function copyConfig(from: string, to: string): Promise<void> {
  const packs = join(from, 'packs');
  await cp(from, to, {
    recursive: true,
    filter: (path) => path === from || !(basename(path).startsWith('.') || path === packs),
  });
  const entries: [digest: string, value: unknown][] = [];
  for await (const name of glob('{,agents/,chains/}*.yaml', { cwd: to })) {
    const entry = parseEntry(await readFile(join(to, name), 'utf8'));
    if (entry !== undefined) entries.push(entry);
  }
  // Sorted, so that an archive is equal for equal files.
  await writeFile(join(to, PARSED_FILES), JSON.stringify(Object.fromEntries(entries.sort())));
}
