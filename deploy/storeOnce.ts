// Stores modules that two bundles share once.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { projectFile } from '../shared/projectFiles.ts';

type Outputs = Metafile['outputs'];

const IMPORT = /import\{[^}]*\}from"[^"]*";/y;
const HASHED = /[^/]+-[0-9A-Z]{8}\.js$/;

/** The text of a module with its imports in the order of the alphabet. */
function sortImports(text: string): string {
  const start = Math.max(0, text.indexOf('import{'));
  const imports: string[] = [];
  IMPORT.lastIndex = start;
  for (let found = IMPORT.exec(text); found; found = IMPORT.exec(text)) imports.push(found[0]);
  const end = start + imports.join('').length;
  return `${text.slice(0, start)}${imports.sort().join('')}${text.slice(end)}`;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Puts modules of the first bundle in the place of those of the second that differ in the order of their
 * imports alone: esbuild orders them by how many entries of a bundle share them.
 * @param kept the outputs of the first bundle, on the disk.
 * @param outputs those of the second, in the same folder.
 * @returns the outputs of the second bundle without the modules that the first has.
 */
export function storeOnce(kept: Outputs, outputs: Outputs): Outputs {
  const read = (path: string) => readFileSync(projectFile(path), 'utf8');
  const known = new Map(
    Object.keys(kept)
      .filter((path) => HASHED.test(path))
      .map((path) => [sortImports(read(path)), path]),
  );
  const texts = new Map(
    Object.keys(outputs)
      .filter((path) => path.endsWith('.js') && !(HASHED.test(path) && kept[path]))
      .map((path) => [path, read(path)]),
  );
  const replaced = new Map<string, string>();
  // A module becomes equal to another one when a module that it imports has been replaced.
  for (let before = -1; before < replaced.size; ) {
    before = replaced.size;
    for (const [path, text] of texts) {
      const same = HASHED.test(path) ? known.get(sortImports(text)) : undefined;
      if (same === undefined) continue;
      replaced.set(path, same);
      texts.delete(path);
      for (const [other, content] of texts)
        texts.set(other, content.replaceAll(fileName(path), fileName(same)));
    }
  }
  for (const [path, text] of texts) writeFileSync(projectFile(path), text);
  for (const path of replaced.keys()) rmSync(projectFile(path));
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([path]) => !replaced.has(path))
      .map(([path, output]) => [
        path,
        {
          ...output,
          imports: output.imports.map((one) => ({ ...one, path: replaced.get(one.path) ?? one.path })),
        },
      ]),
  );
}
