// Which tests reach a file through imports, and over how many of them.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRunInMemory, SELECTIONS } from '../../support/fullTests.ts';
import { importsOf } from '../../support/sourceImports.ts';

const SOURCES = '{functions,shared,cli,local,deploy,docs,packages,test,web}/**/*.{ts,tsx}';
const { inMemory, leftOut } = SELECTIONS.quick;
/** Tests that need neither a browser nor an emulator. */
const TESTS = [
  '{functions,shared,cli,local,deploy,docs,packages}/**/*.test.ts',
  'web/src/**/*.test.ts',
  'test/{leaks,schema,simulation}/**/*.test.ts',
  ...inMemory,
];
/** They replace modules, which needs a process for each of them. */
const WITH_MOCKS = /\bvi\.(do)?mock\(/i;
/** They use the database beside the store, and wait for minutes where none runs. */
const ON_CLOUD = /\bnew (Firestore|PubSub)\(/;

/** The test files of a tree that `npm test` runs without a browser and an emulator, as paths below it. */
export function listTests(root: string): string[] {
  return globSync(TESTS, { cwd: root, exclude: [...leftOut, '**/node_modules/**'] })
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return canRunInMemory(`/${file}`) && !WITH_MOCKS.test(text) && !ON_CLOUD.test(text);
    })
    .sort();
}

/** For each file of the project that is imported at run time, the files that import it. */
export type Importers = Map<string, string[]>;

/** Reads the imports of all files of a tree. Paths are below `root`. */
export function readImporters(root: string): Importers {
  const importers: Importers = new Map();
  for (const file of globSync(SOURCES, { cwd: root, exclude: ['**/node_modules/**'] })) {
    for (const { specifier, typeOnly } of importsOf(file, readFileSync(join(root, file), 'utf8'))) {
      if (typeOnly || !specifier.startsWith('.')) continue;
      const imported = join(file, '..', specifier);
      const known = importers.get(imported);
      if (known === undefined) importers.set(imported, [file]);
      else known.push(file);
    }
  }
  return importers;
}

/** The files that import `file`, directly or through others, each with the number of imports between them. */
export function measureDistances(importers: Importers, file: string): Map<string, number> {
  const distances = new Map([[file, 0]]);
  // A map is iterated in the order of insertion, also over what is added meanwhile.
  for (const [reached, distance] of distances) {
    for (const importer of importers.get(reached) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}
