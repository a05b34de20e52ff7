// Which tests reach a file through imports, and over how many of them.

import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { canRunInMemory, NOT_ON_STORE, SELECTIONS } from '../../support/fullTests.ts';
import { importsOf } from '../../support/sourceImports.ts';

const SOURCES = '{functions,shared,cli,local,deploy,docs,packages,test,web}/**/*.{ts,tsx}';
const { inMemory, onStore } = SELECTIONS.quick;
/** CI runs all tests of clients of models, also those with packages of others. */
const leftOut = SELECTIONS.quick.leftOut.filter((file) => !file.startsWith('shared/llm/'));
const NO_TESTS = '**/node_modules/**';
const IN_MEMORY = [
  '{functions,shared,cli,local,deploy,docs,packages}/**/*.test.ts',
  'web/src/**/*.test.ts',
  'test/{leaks,schema,simulation}/**/*.test.ts',
  ...inMemory,
];
/** They run the source in processes of their own, where it has no mutants. */
const IN_PROCESSES = [
  'test/{figures,mutants,reliability,system}/**',
  'test/features/budgets/budgetProcesses.test.ts',
];
/** They replace modules, which needs a process for each of them. */
const WITH_MOCKS = /\bvi\.(do)?mock\(/i;

/** Whether a file of tests needs the local cloud. Others use the store in memory. */
export function needsStore(file: string): boolean {
  return (
    (file.startsWith('test/') && !IN_MEMORY.some((glob) => matchesGlob(file, glob))) ||
    !canRunInMemory(`/${file}`)
  );
}

/** Lists the files of tests of a tree that `npm test` runs without a browser and without other processes. */
export function listTests(root: string): string[] {
  const left = [...leftOut, ...NOT_ON_STORE, ...IN_PROCESSES, NO_TESTS];
  const files = [
    ...globSync(IN_MEMORY, { cwd: root, exclude: [...leftOut, NO_TESTS] }),
    ...globSync(onStore, { cwd: root, exclude: left }),
  ];
  return [...new Set(files)]
    .filter((file) => !WITH_MOCKS.test(readFileSync(join(root, file), 'utf8')))
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
