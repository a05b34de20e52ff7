// The layers of local/ and of the local cloud: allowed imports by folder. shared/layers.test.ts has the whole
// table.

import { globSync, readFileSync } from 'node:fs';
import { posix as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../test/support/sourceImports.ts';

/** The imports of each folder of local/ within local/. Every import points down this table. */
const LOCAL: Record<string, string[]> = {
  '.': ['emulators', 'functions', 'processes', 'scriptedModel'],
  emulators: ['processes'],
  functions: ['processes'],
  scriptedModel: [],
  mcp: ['processes'],
  monitoring: ['processes'],
  destinations: ['processes'],
  processes: [],
};

const protocol = ['database', 'protocol'];

/** The same for the local cloud. */
const LOCAL_CLOUD: Record<string, string[]> = {
  '.': ['server', 'firestore', 'firestore/indexes', 'pubsub', ...protocol],
  server: ['rest', 'protocol'],
  rest: ['protocol'],

  firestore: [
    'firestore/listen',
    'firestore/rpcs',
    'firestore/limits',
    'firestore/indexes',
    'firestore/engine',
    'firestore/values',
    ...protocol,
  ],
  'firestore/listen': [
    'firestore/rpcs',
    'firestore/indexes',
    'firestore/query',
    'firestore/engine',
    'firestore/values',
    'protocol',
  ],
  'firestore/rpcs': [
    'firestore/limits',
    'firestore/indexes',
    'firestore/query',
    'firestore/engine',
    'firestore/values',
    'protocol',
  ],
  'firestore/limits': [
    'firestore/indexes',
    'firestore/query',
    'firestore/engine',
    'firestore/values',
    'protocol',
  ],
  'firestore/indexes': ['firestore/query', 'firestore/engine', 'firestore/values', 'protocol'],
  'firestore/query': ['firestore/engine', 'firestore/values', 'protocol'],
  'firestore/engine': ['firestore/values', ...protocol],
  'firestore/values': ['protocol'],

  pubsub: ['pubsub/rpcs', 'pubsub/schemas', 'pubsub/delivery', 'pubsub/store', ...protocol],
  'pubsub/rpcs': ['pubsub/schemas', 'pubsub/delivery', 'pubsub/store', 'pubsub/fields', 'protocol'],
  'pubsub/schemas': ['pubsub/store', 'pubsub/fields', 'protocol'],
  'pubsub/delivery': ['pubsub/store', 'pubsub/fields', 'protocol'],
  'pubsub/store': ['pubsub/fields', ...protocol],
  'pubsub/fields': ['protocol'],

  database: ['protocol'],
  protocol: [],
};

describe.each([
  { root: 'local', mayImport: LOCAL },
  { root: 'packages/local-cloud/src', mayImport: LOCAL_CLOUD },
])('the folders of $root/', ({ root, mayImport }) => {
  const files = globSync(`${root}/**/*.ts`)
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const folderOf = (file: string): string => path.relative(root, path.dirname(file)) || '.';

  it('all have a row, above the rows that they import', () => {
    const folders = Object.keys(mayImport);
    expect([...new Set(files.map(folderOf))].toSorted()).toEqual(folders.toSorted());
    const isBelow = (folder: string, index: number) => folders.indexOf(folder) > index;
    expect(folders.filter((folder, index) => !mayImport[folder]?.every((to) => isBelow(to, index)))).toEqual(
      [],
    );
  });

  it('import only the folders of their rows', () => {
    const refused = files
      .flatMap((file) =>
        importsOf(file, readFileSync(file, 'utf8')).map(({ specifier }) => ({ file, specifier })),
      )
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ file, specifier }) => ({ file, target: path.join(path.dirname(file), specifier) }))
      .filter(({ target }) => target.startsWith(`${root}/`))
      .filter(
        ({ file, target }) =>
          folderOf(file) !== folderOf(target) && !mayImport[folderOf(file)]?.includes(folderOf(target)),
      );
    expect(refused.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });
});
